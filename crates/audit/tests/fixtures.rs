//! The files of real tools, made against a server whose behaviour is known: every request took 2 ms and succeeded
//! (`healthy`), or every tenth was answered by a 500 (`errors`).

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use audit::{Level, Results, audit, read, terminal};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn fixture(name: &str) -> (String, String) {
    (
        name.to_owned(),
        fs::read_to_string(folder().join(name)).unwrap(),
    )
}

fn one(names: &[&str]) -> Results {
    let files: Vec<_> = names.iter().map(|name| fixture(name)).collect();
    let mut all = read(&files).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(all.len(), 1, "{names:?}");
    all.remove(0)
}

fn names(part: &str) -> Vec<String> {
    let all = fs::read_dir(folder()).unwrap();
    let all = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut all: Vec<String> = all.filter(|name| name.contains(part)).collect();
    all.sort();
    assert!(!all.is_empty());
    all
}

#[test]
fn nothing_is_found_in_the_files_of_a_healthy_target() {
    for name in names("healthy") {
        let audit = audit(&one(&[&name]));
        assert!(audit.findings.is_empty(), "{}", terminal(&audit, false));
    }
}

#[test]
fn oha_calls_error_answers_a_success_and_is_told_so() {
    for name in names("errors") {
        let audit = audit(&one(&[&name]));
        let rules: Vec<&str> = audit
            .findings
            .iter()
            .map(|finding| finding.rule)
            .filter(|rule| *rule != "too-short")
            .collect();
        let expected: &[&str] = if name.starts_with("oha") {
            &["success-beside-failures"]
        } else {
            &[]
        };
        assert_eq!(rules, expected, "{}", terminal(&audit, false));
    }
}

/// What each file says, as a person reads it: the form, requests, mean in ms, a percentile.
const READ_BY_HAND: &str = "\
k6-1.8.1-summary-export-healthy.json | k6 summary | 4374 | 4.267 | 0.95 | 12.27
locust-2.47.0-healthy_stats.csv | Locust CSV | 1521 | 11.907 | 0.95 | 24
locust-2.47.0-errors_stats.csv | Locust CSV | 16806 | 1.071 | 0.99 | 7
artillery-2.0.21-errors.json | Artillery JSON | 800 | 37.3 | 0.99 | 172.5
artillery-1.7.9-errors.json | Artillery JSON | 800 | none | 0.95 | 37.5
autocannon-7.15.0-healthy.json | autocannon JSON | 7871 | 2.3 | 0.99 | 9
autocannon-9.0.0-errors.json | autocannon JSON | 101711 | 0.03 | 0.999 | 4
vegeta-12.12.0-errors.json | vegeta JSON | 2000 | 1.017 | 0.99 | 31.626
vegeta-12.12.0-errors.txt | vegeta text | 2000 | 1.017 | 0.99 | 31.626
oha-1.16.0-errors.json | oha JSON | 164625 | 0.1206 | 0.99 | 0.217
oha-1.16.0-errors.txt | oha text | 54249 | 0.3676 | 0.99 | 7.887
wrk-4.1.0-errors.txt | wrk text | 253845 | 0.13444 | 0.99 | 3.10
wrk2-4.0.0-errors.txt | wrk2 text | 1991 | 1.452 | 0.99 | 7.91
hey-0.1.4-errors.txt | hey text | 41975 | 0.5 | 0.99 | 7.5";

#[test]
fn every_reader_finds_the_figures_of_its_tool() {
    let near = |one: f64, other: f64| (one - other).abs() <= 0.001 * other.abs() + 1e-9;
    for line in READ_BY_HAND.lines() {
        let [name, form, sent, mean, q, at] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let number = |text: &str| text.parse::<f64>().unwrap();
        let results = one(&[name]);
        assert_eq!(results.form, form, "{name}");
        let level = &results.levels[0];
        let asked = level
            .rows
            .iter()
            .find(|row| row.name == "http_req_duration");
        let row = asked.unwrap_or(&level.total);
        let counted = row.counts.sent.as_ref().unwrap().value;
        assert!(near(counted, number(sent)), "{name}: {counted}");
        match &row.times.mean {
            Some(time) => assert!(near(time.value, number(mean)), "{name}: {time:?}"),
            None => assert_eq!(mean, "none", "{name}"),
        }
        let percentile = row.percentile(number(q)).unwrap();
        assert!(near(percentile.value, number(at)), "{name}: {percentile:?}");
        assert!(!percentile.at.is_empty());
    }
}

#[test]
fn samples_are_counted_where_a_file_has_them() {
    for (name, form, sent, failed) in [
        ("jmeter-2.13-errors.csv", "JMeter JTL", 500.0, 50.0),
        ("hey-0.1.4-errors.csv", "hey CSV", 300.0, 30.0),
        ("k6-1.8.1-lines-healthy.json", "k6 JSON lines", 60.0, 0.0),
    ] {
        let results = one(&[name]);
        assert_eq!(results.form, form);
        let counts = &results.levels[0].total.counts;
        let figures = [&counts.sent, &counts.failed].map(|figure| figure.as_ref().unwrap().value);
        assert!(
            (figures[0] - sent).abs() <= 1.0 && (figures[1] - failed).abs() <= 0.1 * sent,
            "{name}: {figures:?}"
        );
    }
}

#[test]
fn the_files_of_one_locust_run_are_one_result() {
    let files = ["stats", "stats_history", "failures"]
        .map(|part| format!("locust-2.47.0-errors_{part}.csv"));
    let results = one(&[&files[0], &files[1], &files[2]]);
    let level: &Level = &results.levels[0];
    assert_eq!(level.users.as_ref().map(|users| users.value), Some(10.0));
    let counts = &level.total.counts;
    assert_eq!(
        counts.failed.as_ref().map(|failed| failed.value),
        Some(1681.0)
    );
    assert_eq!(counts.failures[0].1.value.to_bits(), 1681f64.to_bits());
    assert!(audit(&results).findings.is_empty());
}

#[test]
fn a_run_of_our_own_keeps_its_levels_apart() {
    let results = one(&["headcount-run-healthy.json"]);
    assert_eq!(
        results
            .levels
            .iter()
            .map(|level| level.name.as_str())
            .collect::<Vec<_>>(),
        ["5 users", "10 users"]
    );
    let asked = results.levels[0]
        .rows
        .iter()
        .find(|row| row.name == "GET /delay/2ms")
        .unwrap();
    assert!(
        asked.times.min.as_ref().unwrap().value >= 2.0
            && asked.counts.sent.as_ref().unwrap().value > 1000.0
    );
}
