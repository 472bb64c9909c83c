//! Reads vegeta's JSON report. Times are in nanoseconds. Percentiles come from a t-digest, which has no error bound.

use serde_json::Value;

use super::pieces::figure;
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Loop, Method, Results, Row, Times};

pub(super) fn read(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let time = |key: &str| figure(value, &["latencies", key], 1e-6, 0.0);
    let Some(sent) = figure(value, &["requests"], 1.0, 0.0) else {
        return Err(source.broken("vegeta's report", "`requests` is not a number"));
    };
    let listed = [(0.5, "50th"), (0.9, "90th"), (0.95, "95th"), (0.99, "99th")];
    let codes = value["status_codes"].as_object();
    // Status code 0 means that there was no response.
    let failures = codes
        .into_iter()
        .flatten()
        .filter(|(code, _)| code.as_str() >= "400" || code.as_str() == "0");
    let failures = failures.map(|(code, count)| {
        (
            code.clone(),
            Figure::exact(
                count.as_f64().unwrap_or(0.0),
                format!("status_codes.{code}"),
            ),
        )
    });
    let row = Row {
        at: "latencies".to_owned(),
        counts: Counts {
            sent: Some(sent),
            failures: failures.collect(),
            success_percent: figure(value, &["success"], 100.0, 1e-6),
            ..Counts::default()
        },
        rate_per_s: None,
        times: Times {
            min: time("min"),
            mean: time("mean"),
            max: time("max"),
            percentiles: listed
                .into_iter()
                .filter_map(|(q, key)| Some((q, time(key)?)))
                .collect(),
            method: Method::Sketch,
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    };
    let mut results = source.results("vegeta JSON");
    results.levels.push(Level {
        name: "run".to_owned(),
        at: "requests".to_owned(),
        duration_s: figure(value, &["duration"], 1e-9, 0.0),
        // In vegeta's report, `rate` counts the requests sent, and `throughput` counts the successes.
        offered_per_s: figure(value, &["rate"], 1.0, 0.0),
        answered_per_s: figure(value, &["throughput"], 1.0, 0.0),
        shape: Some(Loop::Open),
        total: row,
        ..Level::default()
    });
    Ok(results)
}
