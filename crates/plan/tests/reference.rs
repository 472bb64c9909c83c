//! Parses the examples of the reference documentation unchanged.

use plan::{Options, RateProfile, Subject, Threshold};
use serde_json::{Value, json};

const THRESHOLDS: &str = include_str!("../../../docs/reference/thresholds.md");
const STREAMS: &str = include_str!("../../../docs/reference/streams.md");
const LOAD: &str = include_str!("../../../docs/reference/load.md");

/// The lines of all fenced blocks of a kind. There must be at least `least` lines.
fn examples(text: &'static str, kind: &str, least: usize) -> Vec<&'static str> {
    let mut within = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(fence) = line.strip_prefix("```") {
            within = fence == kind;
        } else if within {
            found.push(line);
        }
    }
    assert!(found.len() >= least, "{kind}: {found:?}");
    found
}

fn threshold(line: &str) -> Result<Threshold, String> {
    let (subject, condition) = line.split_once(": ").ok_or("there is no subject")?;
    let subject = Subject::parse(subject).map_err(|why| why.to_string())?;
    Threshold::parse(&subject, condition).map_err(|why| why.to_string())
}

#[test]
fn every_threshold_of_the_reference_is_read() {
    let all = examples(THRESHOLDS, "thresholds", 15);
    for line in [all, examples(STREAMS, "thresholds", 8)].concat() {
        let read = threshold(line).unwrap_or_else(|why| panic!("{line}: {why}"));
        assert_eq!(read.abort, line.ends_with("or abort"), "{line}");
        assert_eq!(read.reach.is_some(), line.contains("up to"), "{line}");
        assert_eq!(read.to_string(), line);
    }
}

#[test]
fn what_the_reference_calls_refused_is_refused() {
    for line in examples(THRESHOLDS, "refused", 5) {
        assert!(threshold(line).is_err(), "{line}");
    }
}

#[test]
fn every_load_of_the_reference_is_read() {
    for line in examples(LOAD, "load", 8) {
        let load: Value = serde_json::from_str(line).unwrap();
        let options = Options::from_json(&json!({ "load": load }));
        let options = options.unwrap_or_else(|problems| panic!("{line}: {problems}"));
        assert!(!options.load.levels.is_empty(), "{line}");
    }
}

#[test]
fn every_course_of_the_reference_is_read() {
    for line in examples(LOAD, "rate", 5) {
        RateProfile::parse(line).unwrap_or_else(|why| panic!("{line}: {why}"));
    }
}
