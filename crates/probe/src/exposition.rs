//! Parses the response of a Prometheus endpoint, line by line: text format 0.0.4 and `OpenMetrics` 1.0.
//!
//! Invalid lines are skipped and counted, so that the caller can report them. Exemplars, timestamps, help and units are
//! ignored. Quoted (UTF-8) names are not supported.

mod figures;
mod line;

use std::collections::HashMap;

pub use figures::ProcessFigures;

/// Maximum number of samples, so that an endpoint cannot fill the memory.
const MOST: usize = 50_000;

/// One response of an endpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposition {
    /// The samples, in the order of the response.
    pub samples: Vec<MetricSample>,
    /// The number of invalid lines and of samples beyond the 50,000th.
    pub left_out: u64,
}

/// The value of one series at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSample {
    /// The name without labels.
    pub name: String,
    /// The labels as written, including the braces: `{method="GET"}`. Empty without labels.
    pub labels: String,
    /// The value, which may be infinite or NaN.
    pub value: f64,
    /// Whether the value only grows, so that its increase matters. This is true for counters and for the parts of
    /// histograms and summaries. Without a type, the name decides.
    pub counts: bool,
}

impl Exposition {
    /// Parses a response.
    pub fn parse(text: &str) -> Self {
        let mut found = Self::default();
        let mut types: HashMap<&str, &str> = HashMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(comment) = line.strip_prefix('#') {
                if let Some((name, kind)) = line::type_of(comment) {
                    types.insert(name, kind);
                }
                continue;
            }
            match line::sample(line) {
                Some(sample) if found.samples.len() < MOST => found.samples.push(MetricSample {
                    name: sample.name.to_owned(),
                    labels: sample.labels.to_owned(),
                    value: sample.value,
                    counts: counts(sample.name, &types),
                }),
                _ => found.left_out += 1,
            }
        }
        found
    }
}

/// Suffixes of names whose values only grow.
const GROWING: [&str; 4] = ["_total", "_count", "_sum", "_bucket"];

fn counts(name: &str, types: &HashMap<&str, &str>) -> bool {
    let family = GROWING.iter().find_map(|end| name.strip_suffix(end));
    let of_name = types.get(name).copied();
    match of_name.or_else(|| types.get(family?).copied()) {
        Some("counter") => true,
        Some("histogram" | "summary") => of_name.is_none(),
        Some("unknown" | "untyped") | None => family.is_some(),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "\
# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.5
# TYPE http_requests counter
http_requests_total{method=\"GET\",path=\"/a b\\\"}\"} 1027 1395066363000
http_requests_created{method=\"GET\"} 1.6e9
# TYPE rpc histogram
rpc_bucket{le=\"0.1\"} 3 # {trace=\"x\"} 0.05
rpc_bucket{le=\"+Inf\"} 4
rpc_count 4
# TYPE temp gauge
temp_total -3
loose_total 7
loose NaN

# EOF
";

    #[test]
    fn both_formats_are_read() {
        let found = Exposition::parse(TEXT);
        assert_eq!(found.left_out, 0);
        let seen: Vec<_> = found
            .samples
            .iter()
            .map(|sample| (sample.name.as_str(), sample.value, sample.counts))
            .collect();
        assert_eq!(
            seen[..8],
            [
                ("process_cpu_seconds_total", 12.5, true),
                ("http_requests_total", 1027.0, true),
                ("http_requests_created", 1.6e9, false),
                ("rpc_bucket", 3.0, true),
                ("rpc_bucket", 4.0, true),
                ("rpc_count", 4.0, true),
                ("temp_total", -3.0, false),
                ("loose_total", 7.0, true),
            ]
        );
        assert!(seen[8].1.is_nan() && !seen[8].2);
        assert_eq!(found.samples[1].labels, r#"{method="GET",path="/a b\"}"}"#);
    }

    #[test]
    fn what_is_no_sample_is_counted_and_the_rest_is_read() {
        let text = "a 1\nb\n{x=\"y\"} 1\nc{x=\"y} 1\nd{x=y} 1\ne one\nf 1 2 3\n9 1\n<html>\ng 2";
        let found = Exposition::parse(text);
        let names: Vec<_> = found.samples.iter().map(|sample| &sample.name).collect();
        assert_eq!(names, ["a", "g"]);
        assert_eq!(found.left_out, 8);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "(?s).{0,300}") {
            let _ = Exposition::parse(&text);
        }

        #[test]
        fn any_text_of_the_grammars_own_letters_is_read_without_panic(text in "[a-z_{}\"\\\\=,# 0-9.\n+-]{0,200}") {
            let found = Exposition::parse(&text);
            prop_assert!(found.samples.len() <= text.lines().count());
        }

        #[test]
        fn what_is_written_by_the_rules_is_read_as_it_was_meant(
            name in "[a-zA-Z_:][a-zA-Z0-9_:]{0,20}",
            labels in proptest::collection::btree_map("[a-zA-Z_][a-zA-Z0-9_]{0,8}", "(?s).{0,12}", 0..4),
            value in any::<f64>().prop_filter("finite", |value| value.is_finite()),
            time in proptest::option::of(any::<i32>()),
        ) {
            let escaped = |text: &str| text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"");
            let inside: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
            let braces = if inside.is_empty() { String::new() } else { format!("{{{}}}", inside.join(",")) };
            // For `lines`, a carriage return ends a line only before a line feed.
            let time = time.map(|time| format!(" {time}")).unwrap_or_default();
            let found = Exposition::parse(&format!("{name}{braces} {value:e}{time}\n"));
            prop_assert_eq!(found.left_out, 0);
            prop_assert_eq!(&found.samples[0].name, &name);
            prop_assert_eq!(&found.samples[0].labels, &braces);
            prop_assert_eq!(found.samples[0].value.to_bits(), value.to_bits());
        }
    }
}
