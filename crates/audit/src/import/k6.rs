//! Reads k6's summaries: `--summary-export` (figures directly below the metric), `handleSummary` (figures below
//! `values`, and the duration), and the newer machine-readable summary (a list of metrics). Times are in milliseconds.
//! Percentiles are interpolated between neighbouring samples.

use serde_json::Value;

use super::pieces::figure;
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Loop, Results, Row, Times};

pub(super) fn read(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let metrics = &value["metrics"];
    if !metrics.is_object() {
        return Err(source.broken("a k6 summary", "it has no metrics"));
    }
    let duration = figure(value, &["state", "testRunDurationMs"], 1e-3, 0.0);
    Ok(summary(source, metrics, duration))
}

/// Reads the newer summary: `{"config": {"duration": 5.0}, "results": {"metrics": [{"name": "iterations", …}, …]}}`.
pub(super) fn read_listed(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let results = &value["results"];
    let listed = results["metrics"].as_array();
    let checks = results["checks"]["metrics"].as_array();
    let all = listed.into_iter().chain(checks).flatten();
    let named = all.filter_map(|metric| {
        let name = match metric["name"].as_str()? {
            "checks_succeeded" => "checks",
            name => name,
        };
        Some((name.to_owned(), passes(metric.clone())))
    });
    let metrics = Value::Object(named.collect());
    if metrics.get("iterations").is_none() {
        return Err(source.broken("a k6 summary", "it has no iterations"));
    }
    Ok(summary(
        source,
        &metrics,
        figure(value, &["config", "duration"], 1.0, 0.0),
    ))
}

/// Adds the keys `passes` and `fails`, which the other summaries use for matches and misses.
fn passes(mut metric: Value) -> Value {
    let values = &mut metric["values"];
    if let (Some(matches), Some(total)) = (values["matches"].as_f64(), values["total"].as_f64()) {
        values["passes"] = matches.into();
        values["fails"] = (total - matches).into();
    }
    metric
}

fn summary(source: Source<'_>, metrics: &Value, duration_s: Option<Figure>) -> Results {
    let whole = duration_s.is_some();
    let mut level = Level {
        name: "run".to_owned(),
        at: "metrics".to_owned(),
        users: number(metrics, "vus_max", "max").or_else(|| number(metrics, "vus_max", "value")),
        duration_s,
        dropped: number(metrics, "dropped_iterations", "count"),
        // A user begins an iteration when the previous one has ended, so the load is closed.
        shape: Some(Loop::Closed),
        total: trend(metrics, "iteration_duration", ""),
        ..Level::default()
    };
    level.total.counts.sent = number(metrics, "iterations", "count");
    if level.total.times.samples.is_none() {
        // Older versions time `setup` and `teardown` as iterations, but do not count them as such.
        let counted = level.total.counts.sent.as_ref();
        level.total.times.samples =
            counted.map(|count| Figure::rounded(count.value + 1.0, 1.0, count.at.clone()));
    }
    level.total.rate_per_s = number(metrics, "iterations", "rate");
    if !whole {
        level.total.rate_per_s = level.total.rate_per_s.map(wide);
    }
    if metrics.get("http_reqs").is_some() {
        level.rows.push(requests(metrics));
    }
    level.rows.extend(checks(metrics));
    let mut results = source.results("k6 summary");
    results.levels.push(level);
    results
}

/// Widens the slack of a rate, because the file does not state the duration behind the rate.
fn wide(figure: Figure) -> Figure {
    Figure {
        slack: 0.02 * figure.value,
        ..figure
    }
}

fn requests(metrics: &Value) -> Row {
    let mut row = trend(metrics, "http_req_duration", "http_req_duration");
    row.rate_per_s = number(metrics, "http_reqs", "rate").map(wide);
    row.counts.sent = number(metrics, "http_reqs", "count");
    if row.times.samples.is_none() {
        row.times.samples.clone_from(&row.counts.sent);
    }
    // A rate metric counts matches. Here, a match is a failure, so `passes` is the number of failed requests.
    row.counts.failed = number(metrics, "http_req_failed", "passes");
    row.counts.ok = number(metrics, "http_req_failed", "fails");
    row
}

fn checks(metrics: &Value) -> Option<Row> {
    let (passes, fails) = (
        number(metrics, "checks", "passes")?,
        number(metrics, "checks", "fails")?,
    );
    let share = number(metrics, "checks", "rate").or_else(|| number(metrics, "checks", "value"));
    Some(Row {
        name: "checks".to_owned(),
        at: "metrics.checks".to_owned(),
        counts: Counts {
            success_percent: share.map(|share| Figure {
                value: share.value * 100.0,
                ..share
            }),
            ok: Some(passes),
            failed: Some(fails),
            ..Counts::default()
        },
        ..Row::default()
    })
}

fn trend(metrics: &Value, metric: &str, name: &str) -> Row {
    let time = |key: &str| number(metrics, metric, key);
    let mut percentiles: Vec<(f64, Figure)> = time("med")
        .map(|median| (0.5, median))
        .into_iter()
        .collect();
    let values = metrics[metric].get("values").unwrap_or(&metrics[metric]);
    for key in values
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::keys)
    {
        // Keys are `p(95)`, or `p95` in the newest version.
        let digits = key.strip_prefix('p').map(|rest| {
            let inner = rest
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'));
            inner.unwrap_or(rest)
        });
        let percent = digits.and_then(|digits| digits.parse::<f64>().ok());
        percentiles.extend(
            percent
                .filter(|percent| (0.0..100.0).contains(percent))
                .zip(time(key))
                .map(|(percent, time)| (percent / 100.0, time)),
        );
    }
    percentiles.sort_by(|one, other| one.0.total_cmp(&other.0));
    percentiles.dedup_by(|one, other| one.0.total_cmp(&other.0).is_eq());
    Row {
        name: name.to_owned(),
        at: format!("metrics.{metric}"),
        times: Times {
            min: time("min"),
            mean: time("avg"),
            max: time("max"),
            percentiles,
            samples: time("count"),
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    }
}

fn number(metrics: &Value, metric: &str, key: &str) -> Option<Figure> {
    let below = figure(metrics, &[metric, "values", key], 1.0, 0.0);
    let found = below.or_else(|| figure(metrics, &[metric, key], 1.0, 0.0))?;
    let at = format!("metrics.{}", found.at);
    Some(Figure { at, ..found })
}
