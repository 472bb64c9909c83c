//! Reads oha's JSON. Times are in seconds. oha's success rate counts every request with a response, even a server
//! error.

use serde_json::Value;

use super::pieces::figure;
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Results, Row, Times};

pub(super) fn read(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let summary = |key: &str, scale: f64| figure(value, &["summary", key], scale, 0.0);
    let codes = counts(value, "statusCodeDistribution");
    if codes.is_empty() && summary("total", 1.0).is_none() {
        return Err(source.broken(
            "oha's JSON",
            "it has neither `summary.total` nor status codes",
        ));
    }
    let answered: f64 = codes.iter().map(|(_, count)| count.value).sum();
    let listed = value["latencyPercentiles"].as_object();
    let percentiles = listed.into_iter().flatten().filter_map(|(key, time)| {
        let percent: f64 = key.strip_prefix('p')?.parse().ok()?;
        Some((
            percent / 100.0,
            Figure::exact(time.as_f64()? * 1e3, format!("latencyPercentiles.{key}")),
        ))
    });
    let row = Row {
        at: "summary".to_owned(),
        counts: Counts {
            sent: Some(Figure::exact(answered, "statusCodeDistribution")),
            failures: codes
                .into_iter()
                .filter(|(code, _)| code.as_str() >= "400")
                .collect(),
            success_percent: summary("successRate", 100.0),
            ..Counts::default()
        },
        // In some versions, the rate includes requests that the end of the run aborted, but the status codes do not.
        rate_per_s: figure(value, &["summary", "requestsPerSec"], 1.0, 0.0).map(|rate| Figure {
            slack: rate.value * 0.01,
            ..rate
        }),
        times: Times {
            min: summary("fastest", 1e3),
            mean: summary("average", 1e3),
            max: summary("slowest", 1e3),
            percentiles: percentiles.collect(),
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    };
    let mut results = source.results("oha JSON");
    results.levels.push(Level {
        name: "run".to_owned(),
        at: "summary".to_owned(),
        duration_s: summary("total", 1.0),
        total: row,
        ..Level::default()
    });
    Ok(results)
}

fn counts(value: &Value, key: &str) -> Vec<(String, Figure)> {
    let all = value[key].as_object();
    let each = all.into_iter().flatten();
    each.map(|(name, count)| {
        (
            name.clone(),
            Figure::exact(count.as_f64().unwrap_or(0.0), format!("{key}.{name}")),
        )
    })
    .collect()
}
