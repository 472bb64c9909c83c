//! Reads Artillery's report, version 2 (`aggregate.summaries`) or version 1 (`aggregate.latency`). Times are in
//! milliseconds. Version 2 stores times in a sketch with a relative error of 1 % (`DDSketch`), version 1 in an HDR
//! histogram.

use serde_json::Value;

use super::pieces::{figure, widen};
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Results, Row, Times};

const FORM: &str = "an Artillery report";

pub(super) fn read(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let aggregate = &value["aggregate"];
    let level = if aggregate["summaries"].is_object() {
        second(aggregate)
    } else if aggregate["latency"].is_object() {
        first(aggregate)
    } else {
        return Err(source.broken(FORM, "`aggregate` has neither `summaries` nor `latency`"));
    };
    let mut results = source.results("Artillery JSON");
    results.levels.push(level);
    Ok(results)
}

fn second(aggregate: &Value) -> Level {
    let counters = &aggregate["counters"];
    let counter = |name: &str| figure(counters, &[name], 1.0, 0.0);
    let span = figure(aggregate, &["lastMetricAt"], 1e-3, 0.0).zip(figure(
        aggregate,
        &["firstMetricAt"],
        1e-3,
        0.0,
    ));
    let all = counters.as_object();
    let codes = all.into_iter().flatten().filter_map(|(name, count)| {
        let code = name
            .strip_prefix("http.codes.")
            .filter(|code| *code >= "400");
        code.or_else(|| name.strip_prefix("errors.")).map(|kind| {
            (
                kind.to_owned(),
                Figure::exact(count.as_f64().unwrap_or(0.0), name.clone()),
            )
        })
    });
    Level {
        name: "run".to_owned(),
        at: "aggregate".to_owned(),
        duration_s: span
            .map(|(last, first)| Figure::rounded(last.value - first.value, 0.002, last.at)),
        // Counts the users that were not started because of `maxVusers`.
        dropped: counter("vusers.skipped"),
        total: Row {
            at: "aggregate.summaries".to_owned(),
            counts: Counts {
                sent: counter("http.requests"),
                failures: codes.collect(),
                ..Counts::default()
            },
            times: times(
                &aggregate["summaries"]["http.response_time"],
                0.0101,
                "aggregate.summaries.http.response_time",
            ),
            ..Row::default()
        },
        ..Level::default()
    }
}

fn first(aggregate: &Value) -> Level {
    let codes = aggregate["codes"].as_object();
    let failures = codes
        .into_iter()
        .flatten()
        .filter(|(code, _)| code.as_str() >= "400");
    let failures = failures.map(|(code, count)| {
        (
            code.clone(),
            Figure::exact(
                count.as_f64().unwrap_or(0.0),
                format!("aggregate.codes.{code}"),
            ),
        )
    });
    Level {
        name: "run".to_owned(),
        at: "aggregate".to_owned(),
        total: Row {
            at: "aggregate.latency".to_owned(),
            counts: Counts {
                sent: figure(aggregate, &["requestsCompleted"], 1.0, 0.0),
                failures: failures.collect(),
                ..Counts::default()
            },
            times: times(&aggregate["latency"], 0.001, "aggregate.latency"),
            ..Row::default()
        },
        ..Level::default()
    }
}

/// The tool rounds each time to a whole millisecond. Percentiles have the additional error `share`.
fn times(values: &Value, share: f64, at: &str) -> Times {
    let time = |key: &str| {
        figure(values, &[key], 1.0, 1.0).map(|time| Figure {
            at: format!("{at}.{key}"),
            ..time
        })
    };
    let percentile = |q: f64, key: &str| Some((q, widen(time(key), share, 1.0)?));
    let listed = [
        (0.5, "median"),
        (0.75, "p75"),
        (0.9, "p90"),
        (0.95, "p95"),
        (0.99, "p99"),
        (0.999, "p999"),
    ];
    Times {
        min: time("min"),
        mean: widen(time("mean"), 0.0, 1.0),
        max: time("max"),
        percentiles: listed
            .into_iter()
            .filter_map(|(q, key)| percentile(q, key))
            .collect(),
        samples: figure(values, &["count"], 1.0, 0.0),
        fixed_list: true,
        ..Times::default()
    }
}
