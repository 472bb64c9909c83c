//! Figures of the target that are watched in addition to the users' measurements.

use serde_json::Value;

use super::section::Field;
use super::url;
use super::values::{text, whole};
use crate::problem::{Flaw, Problems, quoted};

/// The sources of the target's own figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// The target's process id. Needed only if the process cannot be found by its port.
    pub pid: Option<u32>,
    /// The Prometheus endpoint: an absolute URL, or a path below the target that starts with `/`.
    pub metrics: Option<String>,
    /// Names of the endpoint's series to store. A name that ends with `*` stands for all series with this prefix.
    pub only: Vec<String>,
}

impl Watch {
    /// Whether a series with this name is stored.
    pub fn keeps(&self, name: &str) -> bool {
        self.only
            .iter()
            .any(|wanted| match wanted.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == wanted,
            })
    }
}

pub(super) fn read(field: &Field<'_>, problems: &mut Problems) -> Watch {
    let section = field.open(&["pid", "metrics", "only"], problems);
    let only = section.field("only");
    let metrics = section.field("metrics");
    if only.value.is_some() && metrics.value.is_none() {
        let flaw = Flaw::with_hint(
            "there is no endpoint whose series could be stored",
            "give its URL as `watch.metrics`",
        );
        only.refuse(problems, flaw);
    }
    Watch {
        pid: section
            .field("pid")
            .read_some(problems, |value| whole(value, 1, 4_194_304)),
        metrics: metrics.read_some(problems, url::of_request),
        only: only
            .one_or_many()
            .iter()
            .filter_map(|name| name.read_some(problems, series))
            .collect(),
    }
}

/// Reads the name of a series, or a prefix followed by `*`.
fn series(value: &Value) -> Result<String, Flaw> {
    let name = text(value)?;
    let start = name.strip_suffix('*').unwrap_or(name);
    let letter = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':');
    let rest = |c: char| letter(c) || c.is_ascii_digit();
    if start.starts_with(letter) && start.chars().all(rest) {
        return Ok(name.to_owned());
    }
    if start.contains('{') {
        return Err(Flaw::with_hint(
            format!("{} has labels", quoted(name)),
            "give only the name: headcount stores all series with that name",
        ));
    }
    Err(Flaw::new(format!(
        "expected the name of a series such as `queue_length` or `queue_*`, got {}",
        quoted(name)
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Options;

    fn watch(value: &Value) -> Result<Watch, String> {
        let options = json!({ "load": { "users": 1 }, "watch": value });
        let read = Options::from_json(&options).map_err(|problems| problems.to_string())?;
        Ok(read.watch)
    }

    #[test]
    fn an_endpoint_and_its_series_are_read() {
        let read =
            watch(&json!({ "pid": 7, "metrics": "/metrics", "only": ["queue_length", "db_*"] }));
        let read = read.unwrap();
        assert_eq!(
            (read.pid, read.metrics.as_deref()),
            (Some(7), Some("/metrics"))
        );
        assert!(read.keeps("queue_length") && read.keeps("db_pool_busy"));
        assert!(!read.keeps("queue_length_max") && !read.keeps("adb_"));
        let one =
            watch(&json!({ "metrics": "http://10.0.0.5:9100/metrics", "only": "up" })).unwrap();
        assert_eq!(one.only, ["up"]);
        assert!(
            !Watch::default().keeps("up"),
            "nothing is kept that nobody asked for"
        );
    }

    #[test]
    fn what_cannot_be_watched_is_refused() {
        let check = |value: Value, expected: &str| {
            let problem = watch(&value).unwrap_err();
            assert!(problem.contains(expected), "{value} gives {problem}");
        };
        check(json!({ "pid": 0 }), "watch.pid: must be 1 to");
        check(
            json!({ "metrics": "metrics" }),
            "watch.metrics: \"metrics\" has no scheme",
        );
        check(
            json!({ "only": ["up"] }),
            "watch.only: there is no endpoint",
        );
        check(
            json!({ "metrics": "/m", "only": ["up{a=\"b\"}"] }),
            "watch.only[0]: \"up{a=\\\"b\\\"}\" has labels",
        );
        check(
            json!({ "metrics": "/m", "only": ["*"] }),
            "expected the name of a series",
        );
        check(json!({ "process": 1 }), "unknown option");
    }
}
