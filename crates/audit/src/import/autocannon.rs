//! Reads autocannon's JSON. Times are whole milliseconds in an HDR histogram with three digits, which also yields the
//! mean. The minimum ignores times that were rounded to 0.

use serde_json::Value;

use super::pieces::{figure, widen};
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Loop, Results, Row, Times};

/// The last key occurs only in versions before 4.
const LISTED: [(f64, &str); 10] = [
    (0.025, "p2_5"),
    (0.1, "p10"),
    (0.25, "p25"),
    (0.5, "p50"),
    (0.75, "p75"),
    (0.9, "p90"),
    (0.975, "p97_5"),
    (0.99, "p99"),
    (0.999, "p99_9"),
    (0.999, "p999"),
];

pub(super) fn read(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let Some(sent) = figure(value, &["requests", "total"], 1.0, 0.0) else {
        return Err(source.broken("autocannon's JSON", "`requests.total` is not a number"));
    };
    let time = |key: &str| widen(figure(value, &["latency", key], 1.0, 1.0), 0.001, 1.0);
    let pipelining = value["pipelining"].as_f64().unwrap_or(1.0);
    let users = figure(value, &["connections"], pipelining, 0.0);
    // At a fixed rate, autocannon adds times for requests that it considers omitted, so Little's law does not hold.
    let samples = figure(value, &["latency", "totalCount"], 1.0, 0.0);
    let own = samples
        .as_ref()
        .is_some_and(|count| (count.value - sent.value).abs() < 0.5);
    let median_of_zero = value["latency"]["p50"].as_f64() == Some(0.0);
    let failures = ["4xx", "5xx"].into_iter().filter_map(|kind| {
        let count = figure(value, &[kind], 1.0, 0.0)?;
        (count.value > 0.0).then(|| (kind.to_owned(), count))
    });
    let mean = widen(figure(value, &["latency", "mean"], 1.0, 0.01), 0.001, 0.01);
    let row = Row {
        at: "latency".to_owned(),
        counts: Counts {
            sent: Some(sent),
            failures: failures.collect(),
            // The total counts responses only. Timeouts are among the errors.
            unanswered: figure(value, &["errors"], 1.0, 0.0),
            ..Counts::default()
        },
        rate_per_s: figure(value, &["requests", "mean"], 1.0, 0.0).map(|rate| Figure {
            slack: 0.05 * rate.value,
            ..rate
        }),
        times: Times {
            min: time("min").filter(|_| !median_of_zero),
            mean,
            max: time("max"),
            percentiles: LISTED
                .into_iter()
                .filter_map(|(q, key)| Some((q, time(key)?)))
                .collect(),
            samples_unknown: samples.is_none(),
            samples,
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    };
    let mut results = source.results("autocannon JSON");
    results.levels.push(Level {
        name: "run".to_owned(),
        at: "requests".to_owned(),
        users,
        duration_s: figure(value, &["duration"], 1.0, 0.01),
        shape: own.then_some(Loop::Closed),
        total: row,
        ..Level::default()
    });
    Ok(results)
}
