//! A written `run.json` can be read again, and files of every version remain readable.

mod common;

use model::Nanos;
use proptest::prelude::*;
use record::{ReadError, Run, Timings, from_json, to_json};
use serde_json::Value;

/// Written by the first headcount with version 1. Never regenerate it: add a field as an `Option`, or a new version.
const VERSION_1: &str = include_str!("golden/run-v1.json");
/// Written by the first headcount with version 2. Never regenerate it either.
const VERSION_2: &str = include_str!("golden/run-v2.json");
/// Written by the first headcount with version 3. Never regenerate it either.
const VERSION_3: &str = include_str!("golden/run-v3.json");

#[test]
fn a_run_survives_its_file() {
    let run = common::run();
    assert_eq!(from_json(&to_json(&run).unwrap()).unwrap(), run);
    let empty = Run::default();
    assert_eq!(from_json(&to_json(&empty).unwrap()).unwrap(), empty);
}

#[test]
fn every_version_is_read_as_it_was_written() {
    assert_eq!(from_json(VERSION_1).unwrap(), common::run_of_version_1());
    assert_eq!(from_json(VERSION_2).unwrap(), common::run_of_version_2());
    assert_eq!(
        from_json(VERSION_3).unwrap(),
        common::first_run_of_version_3()
    );
}

#[test]
fn no_key_of_this_version_is_lost_or_renamed() {
    let now: Value = serde_json::from_str(&to_json(&common::run()).unwrap()).unwrap();
    let golden: Value = serde_json::from_str(VERSION_3).unwrap();
    let missing = missing_keys(&golden, &now, "");
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn sentences_of_older_versions_become_identifiers_or_stay_as_text() {
    let mut old: Value = serde_json::from_str(VERSION_2).unwrap();
    let level = &mut old["levels"][0];
    level["sound"] = false.into();
    level["unsound_reasons"] = serde_json::json!(["a worker was busy"]);
    level["suspicions"] = serde_json::json!(["a pause of 25 ms"]);
    level["measured"]["iterations"]["dropped_why"] =
        serde_json::json!({ "the generator was behind": 3, "a cause of its own": 2 });
    old["thresholds"][0]["undecided"] = serde_json::json!({ "cause": "no_data" });
    old["findings"] = serde_json::json!([{
        "cause": "rate_limiter", "what": "a limiter", "confidence": "high", "levels": [0], "limits": [0],
        "evidence": ["a header"], "unknown": [], "advice": ["use more addresses"], "figures": { "limit": 100.0 },
    }]);
    let run = from_json(&old.to_string()).unwrap();
    let [finding] = &run.findings[..] else {
        panic!("{:?}", run.findings);
    };
    let what = "a limiter".to_owned();
    assert_eq!(finding.cause, record::Cause::Text { what });
    let evidence = record::Evidence::Text {
        text: "a header".to_owned(),
    };
    assert_eq!(finding.evidence, [evidence]);
    let text = |text: &str| record::IssueCause::Text {
        text: text.to_owned(),
    };
    let issues = [
        record::LevelIssue::invalid(text("a worker was busy")),
        record::LevelIssue::questionable(text("a pause of 25 ms")),
    ];
    assert_eq!(run.levels[0].issues, issues);
    let dropped = &run.levels[0].measured.iterations.dropped_by_cause;
    let causes = [
        (record::DropCause::GeneratorBehind, 3),
        (record::DropCause::Unknown, 2),
    ];
    assert_eq!(*dropped, causes.into());
    let why = run.thresholds[0].inconclusive;
    assert_eq!(why, Some(record::Inconclusive::NoData));
    assert_eq!(run.version, record::VERSION);
}

#[test]
fn operations_in_flight_whose_age_is_not_saved_could_end_at_any_time() {
    let mut old = Timings::default();
    (0..400).for_each(|_| old.answered(Nanos(5), Nanos(5), false));
    old.unfinished = 400;
    assert_eq!(old.response_at(0.5).value(), Some(Nanos(5)));
    let p95 = stats::Estimate::Beyond {
        at_least: Some(Nanos(5)),
    };
    assert_eq!(old.response_at(0.95), p95);
    assert_eq!(old.beyond(Nanos(5)).unknown, 400);
}

fn missing_keys(old: &Value, new: &Value, path: &str) -> Vec<String> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => old
            .iter()
            .flat_map(|(key, value)| match new.get(key) {
                Some(kept) => missing_keys(value, kept, &format!("{path}.{key}")),
                None => vec![format!("{path}.{key}")],
            })
            .collect(),
        (Value::Array(old), Value::Array(new)) => old
            .iter()
            .zip(new)
            .flat_map(|(old, new)| missing_keys(old, new, path))
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn files_of_other_kinds_and_versions_are_refused_by_name() {
    let check = |text: &str, expected: &str| {
        let error = from_json(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text} gives {error}");
    };
    check("", "not JSON");
    check("hello", "not JSON");
    check("[1]", "`kind` is missing");
    check(r#"{"metrics":{}}"#, "`kind` is missing");
    check(r#"{"kind":"k6"}"#, r#"`kind` is "k6", not "headcount-run""#);
    check(
        r#"{"kind":"headcount-run"}"#,
        "version missing, which does not exist",
    );
    check(
        r#"{"kind":"headcount-run","version":0}"#,
        "version 0, which does not exist",
    );
    check(
        r#"{"kind":"headcount-run","version":4}"#,
        "version 4, but this headcount reads only up to version 3",
    );
    check(
        r#"{"kind":"headcount-run","version":1}"#,
        "the run (saved in version 1) is damaged: missing field",
    );
}

#[test]
fn a_newer_file_is_newer_even_where_its_shape_is_unknown() {
    let text = r#"{"kind":"headcount-run","version":7,"levels":"by satellite"}"#;
    assert!(matches!(
        from_json(text),
        Err(ReadError::Newer { found: 7 })
    ));
}

#[test]
fn a_damaged_file_says_where() {
    let text = VERSION_3.replacen("\"workers\": 2", "\"workers\": \"two\"", 1);
    let error = from_json(&text).unwrap_err().to_string();
    assert!(
        error.contains("invalid type: string \"two\", expected u32 at line"),
        "{error}"
    );
}

#[test]
fn a_missing_counter_is_damage_and_not_zero() {
    let text = VERSION_1.replacen("\"reordered\": 5,", "", 1);
    let error = from_json(&text).unwrap_err().to_string();
    assert!(error.contains("missing field `reordered`"), "{error}");
}

proptest! {
    #[test]
    fn floats_keep_every_digit(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
        let mut run = Run::default();
        run.thresholds.push(record::ThresholdResult {
            observed: Some(record::Observed::Exactly { value, unit: model::Unit::Plain }),
            ..Default::default()
        });
        let back = from_json(&to_json(&run).unwrap()).unwrap();
        let observed = back.thresholds[0].observed.as_ref().and_then(record::Observed::figure);
        prop_assert_eq!(observed.map(f64::to_bits), Some(value.to_bits()));
    }

    #[test]
    fn any_text_is_refused_without_panic(text in ".{0,200}") {
        prop_assert!(from_json(&text).is_err());
    }
}
