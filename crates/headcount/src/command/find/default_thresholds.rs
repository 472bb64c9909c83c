//! Thresholds for a scenario that declares none.

use record::Measured;
use serde_json::{Map, Value, json};

/// The limit for the 95th percentile of fast targets, in milliseconds.
const LIMIT_MS: f64 = 500.0;
/// A slow target gets this many times its 95th percentile at the first load, rounded up.
const SLOWER: f64 = 4.0;
/// Share of operations that may fail.
const FAILED: &str = "failed < 1%";
const LOST: &str = "lost < 1%";

/// Thresholds for everything that the first trial measured. `None` if it measured nothing.
pub(super) fn of(measured: &Measured) -> Option<Value> {
    let mut all = Map::new();
    let mut add = |subject: &str, p95_ms: Option<f64>, second: &str| {
        let limit = limit_ms(p95_ms.unwrap_or(0.0));
        let conditions = json!([format!("p95 < {limit}ms"), second]);
        all.insert(subject.to_owned(), conditions);
    };
    let p95 = |histograms: &mut dyn Iterator<Item = &stats::Histogram>| {
        let mut sum = stats::Histogram::default();
        histograms.for_each(|one| sum.merge(one));
        sum.quantile(0.95).map(model::Nanos::as_millis_f64)
    };
    // A channel without receivers, as in a group of one, expects none.
    if measured.deliveries.values().any(|one| one.judged() > 0) {
        let times = p95(&mut measured.deliveries.values().map(|one| &one.latency));
        add("deliveries", times, LOST);
    }
    if !measured.requests.is_empty() {
        let times = p95(&mut measured.requests.values().map(|one| &one.response));
        add("requests", times, FAILED);
    }
    if !measured.round_trips.is_empty() {
        let times = p95(&mut measured.round_trips.values().map(|one| &one.response));
        add("roundTrips", times, FAILED);
    }
    let nothing = all.is_empty() && measured.iterations.started == 0;
    if nothing {
        return None;
    }
    all.insert("iterations".to_owned(), json!([FAILED]));
    Some(Value::Object(all))
}

/// The usual limit, or one that a slow target keeps easily: rounded up to 1, 2 or 5 times a power of ten.
fn limit_ms(p95_ms: f64) -> f64 {
    let least = SLOWER * p95_ms;
    if least <= LIMIT_MS {
        return LIMIT_MS;
    }
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let found = steps.into_iter().find(|step| *step >= least);
    found.unwrap_or(10.0 * power)
}

/// The default thresholds of a saved search, as options.
pub(super) fn options(thresholds: &[String]) -> Value {
    let by_subject = by_subject(thresholds).into_iter();
    let each = by_subject.map(|(subject, conditions)| (subject.to_owned(), json!(conditions)));
    Value::Object(each.collect())
}

/// The thresholds as a line of the options: `thresholds: { requests: ["p95 < 500ms"] },`.
pub(super) fn line(thresholds: &[String]) -> String {
    let each = by_subject(thresholds).into_iter();
    let each = each.map(|(subject, conditions)| format!("{subject}: {}", listed(&conditions)));
    format!("thresholds: {{ {} }},", each.collect::<Vec<_>>().join(", "))
}

fn listed(conditions: &[&str]) -> String {
    let quoted: Vec<String> = conditions.iter().map(|one| format!("\"{one}\"")).collect();
    format!("[{}]", quoted.join(", "))
}

/// Groups thresholds such as `requests: p95 < 500ms` by their subject. The subjects of default thresholds are plain
/// words.
fn by_subject(thresholds: &[String]) -> Vec<(&str, Vec<&str>)> {
    let mut subjects: Vec<(&str, Vec<&str>)> = Vec::new();
    for (subject, condition) in thresholds.iter().filter_map(|one| one.split_once(": ")) {
        match subjects.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, conditions)) => conditions.push(condition),
            None => subjects.push((subject, vec![condition])),
        }
    }
    subjects
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::Nanos;
    use record::Timings;

    use super::*;

    fn measured(millis: u64) -> Measured {
        let mut timings = Timings::default();
        for _ in 0..100 {
            timings.answered(
                Nanos::from_millis(millis),
                Nanos::from_millis(millis),
                false,
            );
        }
        let mut measured = Measured {
            requests: BTreeMap::from([("GET /".to_owned(), timings)]),
            ..Measured::default()
        };
        measured.iterations.started = 100;
        measured
    }

    #[test]
    fn defaults_cover_what_was_measured_and_can_be_pasted() {
        let found = of(&measured(3)).unwrap();
        let expected =
            json!({ "requests": ["p95 < 500ms", "failed < 1%"], "iterations": ["failed < 1%"] });
        assert_eq!(found, expected);
        let texts = [
            "requests: p95 < 500ms".to_owned(),
            "requests: failed < 1%".to_owned(),
            "iterations: failed < 1%".to_owned(),
        ];
        assert_eq!(options(&texts), expected);
        assert_eq!(
            line(&texts),
            "thresholds: { requests: [\"p95 < 500ms\", \"failed < 1%\"], iterations: [\"failed < 1%\"] },"
        );
    }

    #[test]
    fn a_slow_target_gets_a_limit_that_it_keeps_at_the_first_load() {
        let found = of(&measured(1_100)).unwrap();
        assert_eq!(found["requests"][0], "p95 < 5000ms");
    }

    #[test]
    fn a_channel_without_receivers_has_no_threshold() {
        let mut alone = measured(3);
        let channel = record::Deliveries::default();
        alone.deliveries.insert("said".to_owned(), channel);
        assert_eq!(of(&alone), of(&measured(3)));
    }

    #[test]
    fn without_measurements_there_are_no_thresholds() {
        assert_eq!(of(&Measured::default()), None);
    }
}
