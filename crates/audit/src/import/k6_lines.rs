//! k6's JSON lines (`--out json=FILE`): each sample of each metric by itself. Requests are read, by name.

use std::collections::BTreeMap;

use serde_json::Value;

use super::samples::Samples;
use super::{ImportError, Source};
use crate::{Figure, Level, Results};

pub(super) fn is(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.contains("\"metric\"")
        && (first.contains("\"type\":\"Metric\"") || first.contains("\"type\":\"Point\""))
}

pub(super) fn read(source: Source<'_>) -> Result<Results, ImportError> {
    const FORM: &str = "k6's JSON lines";
    let mut by_name: BTreeMap<String, Samples> = BTreeMap::new();
    let mut whole = Samples::default();
    for (index, line) in source
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let value: Value = serde_json::from_str(line)
            .map_err(|why| source.broken(FORM, format!("line {}: {why}", index + 1)))?;
        if value["type"] != "Point" || value["metric"] != "http_req_duration" {
            continue;
        }
        let data = &value["data"];
        let Some(took) = data["value"].as_f64() else {
            return Err(source.broken(
                FORM,
                format!("line {}: a time that is no number", index + 1),
            ));
        };
        let ended = data["time"]
            .as_str()
            .and_then(milliseconds_of_day)
            .unwrap_or(0.0);
        let tags = &data["tags"];
        let failed = tags["expected_response"].as_str() == Some("false");
        let kind = || tags["status"].as_str().unwrap_or("no answer").to_owned();
        let name = tags["name"].as_str().unwrap_or("requests");
        by_name
            .entry(name.to_owned())
            .or_default()
            .note(ended - took, took, failed.then(kind));
        whole.note(ended - took, took, failed.then(kind));
    }
    let mut level = Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: whole
            .duration_s()
            .map(|span| Figure::rounded(span, 0.001, source.name)),
        total: whole.row("", source.name, 0.0),
        ..Level::default()
    };
    let mut results = source.results("k6 JSON lines");
    level.rows = by_name
        .into_iter()
        .map(|(name, samples)| samples.row(&name, source.name, 0.0))
        .collect();
    results.levels.push(level);
    Ok(results)
}

/// Of `2026-11-21T19:09:13.060029323Z`: enough for spans within a day.
fn milliseconds_of_day(time: &str) -> Option<f64> {
    let (_, clock) = time.split_once('T')?;
    let clock = clock.split(['Z', '+', '-']).next()?;
    let mut parts = clock.split(':');
    let mut next = || parts.next()?.parse::<f64>().ok();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    Some(1000.0 * (hours * 3600.0 + minutes * 60.0 + seconds))
}
