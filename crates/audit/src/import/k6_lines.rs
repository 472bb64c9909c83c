//! Reads k6's JSON lines (`--out json=FILE`), each with one sample of a metric. Only requests are used, grouped by
//! name.

use std::io::BufRead;

use serde_json::Value;

use super::moment::milliseconds;
use super::pieces::lines;
use super::samples::{Named, Samples};
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Level, Results};

const FORM: &str = "k6's JSON lines";
const METRIC: &str = "http_req_duration";

pub(super) fn is(first: &str) -> bool {
    first.starts_with('{')
        && first.contains("\"metric\"")
        && (first.contains("\"type\":\"Metric\"") || first.contains("\"type\":\"Point\""))
}

#[derive(Default)]
struct Requests {
    by_name: Named,
    whole: Samples,
}

impl Requests {
    fn note(&mut self, data: &Value) -> Result<(), &'static str> {
        let took = data["value"].as_f64().ok_or("the time is not a number")?;
        let moment = data["time"].as_str().and_then(milliseconds);
        let ended = moment.ok_or("the timestamp is not valid")?;
        let tags = &data["tags"];
        // Before version 0.31, no tag states whether a response was expected, so the status decides.
        let status = tags["status"].as_str().unwrap_or("no answer");
        let failed = match tags["expected_response"].as_str() {
            Some(expected) => expected == "false",
            None => status == "0" || status >= "400",
        };
        let name = tags["name"].as_str().unwrap_or("requests");
        let kind = || status.to_owned();
        let began = ended - took;
        self.by_name.note(name, began, took, failed.then(kind));
        self.whole.note(began, took, failed.then(kind));
        Ok(())
    }
}

pub(super) fn read(source: Source<'_>, text: &mut dyn BufRead) -> Result<Results, ImportError> {
    let mut requests = Requests::default();
    lines((source, FORM), text, |number, line, whole| {
        // Nine out of ten lines are about other metrics, so they are skipped before parsing.
        if !line.contains(METRIC) {
            return Ok(());
        }
        let broken = |why: String| source.broken(FORM, format!("line {number}: {why}"));
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            // If k6 was stopped while writing, the last line is incomplete.
            Err(_) if !whole => return Ok(()),
            Err(why) => return Err(broken(why.to_string())),
        };
        if value["type"] != "Point" || value["metric"] != METRIC {
            return Ok(());
        }
        requests
            .note(&value["data"])
            .map_err(|why| broken(why.to_owned()))
    })?;
    let Requests { by_name, whole } = requests;
    if whole.is_empty() {
        return Err(source.broken(
            FORM,
            format!("it has no sample of {METRIC}, the only metric that the audit reads"),
        ));
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
    level.rows = by_name.rows(source.name, 0.0);
    results.levels.push(level);
    Ok(results)
}
