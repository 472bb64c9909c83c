//! Files of real tools, from a server with known behaviour: every request took 2 ms and succeeded (`healthy`), or every
//! tenth got a 500 (`errors`).

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use audit::{Level, Results, Severity, audit, read, terminal};

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

/// Returns the files of each run whose name contains `part`. Most runs have one file; Locust's have several.
fn runs(part: &str) -> Vec<Vec<String>> {
    let all = fs::read_dir(folder()).unwrap();
    let all = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut runs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in all.filter(|name| name.contains(part)) {
        let run = name.split('_').next().unwrap().to_owned();
        runs.entry(run).or_default().push(name);
    }
    assert!(!runs.is_empty());
    runs.into_values().collect()
}

fn of(names: &[String]) -> Results {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    one(&names)
}

#[test]
fn nothing_is_found_in_the_files_of_a_healthy_target() {
    for names in runs("healthy") {
        let audit = audit(&of(&names));
        assert!(audit.findings.is_empty(), "{}", terminal(&audit, false));
    }
}

#[test]
fn oha_calls_error_answers_a_success_and_is_told_so() {
    for names in runs("errors") {
        let name = &names[0];
        let audit = audit(&of(&names));
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

/// Figures read by hand from each file: format, number of requests, mean in ms, and a percentile with its value.
const READ_BY_HAND: &str = "\
k6-0.31.1-summary-export-errors.json | k6 summary | 18011 | 1.025 | 0.95 | 5.311
k6-0.49.0-summary-export-errors.json | k6 summary | 22100 | 0.8207 | 0.95 | 4.425
k6-1.8.1-machine-readable-errors.json | k6 summary | 24322 | 0.7281 | 0.95 | 3.862
k6-1.8.1-summary-export-healthy.json | k6 summary | 4374 | 4.267 | 0.95 | 12.27
locust-2.0.0-healthy_stats.csv | Locust CSV | 453 | 9.858 | 0.98 | 22
locust-1.6.0-errors_stats.csv | Locust CSV | 1366 | 11.55 | 0.99 | 26
locust-0.14.6-errors_stats.csv | Locust CSV | 719 | 9 | 0.99 | 19
locust-0.12.2-errors_requests.csv | Locust CSV | 550 | 7 | none | 0
autocannon-2.4.1-healthy.json | autocannon JSON | 4217 | 3.29 | 0.999 | 35
autocannon-4.6.0-healthy.json | autocannon JSON | 3868 | 3.6 | 0.999 | 25
artillery-1.6.0-errors.json | Artillery JSON | 160 | none | 0.95 | 24.1
locust-2.47.0-healthy_stats.csv | Locust CSV | 1521 | 11.907 | 0.95 | 24
locust-2.47.0-errors_stats.csv | Locust CSV | 16806 | 1.071 | 0.99 | 7
artillery-2.0.21-errors.json | Artillery JSON | 800 | 37.3 | 0.99 | 172.5
artillery-2.0.5-errors.json | Artillery JSON | 160 | 40.7 | 0.95 | 83.9
vegeta-6.3.0-healthy.json | vegeta JSON | 600 | 3.437 | 0.99 | 8.77
vegeta-6.3.0-errors.txt | vegeta text | 600 | 1.2 | 0.99 | 7.016
artillery-1.7.9-errors.json | Artillery JSON | 800 | none | 0.95 | 37.5
autocannon-7.15.0-healthy.json | autocannon JSON | 7871 | 2.3 | 0.99 | 9
autocannon-9.0.0-errors.json | autocannon JSON | 101711 | 0.03 | 0.999 | 4
vegeta-12.12.0-errors.json | vegeta JSON | 2000 | 1.017 | 0.99 | 31.626
vegeta-12.12.0-errors.txt | vegeta text | 2000 | 1.017 | 0.99 | 31.626
oha-0.5.4-healthy.json | oha JSON | 3489 | 2.860 | none | 0
oha-1.16.0-errors.json | oha JSON | 164625 | 0.1206 | 0.99 | 0.217
oha-1.16.0-errors.txt | oha text | 54249 | 0.3676 | 0.99 | 7.887
wrk-4.1.0-errors.txt | wrk text | 253845 | 0.13444 | 0.99 | 3.10
wrk2-4.0.0-errors.txt | wrk2 text | 1991 | 1.452 | 0.99 | 7.91
wrk2-3.1.1-errors.txt | wrk2 text | 2001 | 0.810 | 0.99 | 3.71
hey-0.1.5-errors.txt | hey text | 61400 | 0.2 | 0.99 | 2.3
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
        if q == "none" {
            continue;
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
        ("jmeter-5.1.1-errors.csv", "JMeter JTL", 300.0, 30.0),
        ("jmeter-5.6.3-errors.csv", "JMeter JTL", 300.0, 30.0),
        ("hey-0.1.5-errors.csv", "hey CSV", 300.0, 30.0),
        ("hey-0.1.4-errors.csv", "hey CSV", 300.0, 30.0),
        ("k6-1.8.1-lines-healthy.json", "k6 JSON lines", 60.0, 0.0),
        ("k6-0.31.1-lines-healthy.json", "k6 JSON lines", 15.0, 0.0),
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
fn a_transaction_of_jmeter_s_is_a_row_and_its_requests_are_the_whole() {
    for kind in ["transactions", "parent"] {
        // 150 transactions of two requests each. Every tenth request failed.
        let results = one(&[&format!("jmeter-5.6.3-{kind}-errors.csv")]);
        let level = &results.levels[0];
        let counted = |row: &audit::Row| {
            [&row.counts.sent, &row.counts.failed].map(|figure| figure.as_ref().unwrap().value)
        };
        let [sent, failed] = counted(&level.total);
        assert!(
            (sent - 300.0).abs() < 0.5 && (failed - 30.0).abs() < 0.5,
            "{kind}: {failed} of {sent}"
        );
        let rows: Vec<(&str, f64)> = level
            .rows
            .iter()
            .map(|row| (row.name.as_str(), counted(row)[0]))
            .collect();
        assert_eq!(
            rows,
            [("ask", 150.0), ("pay, and go", 150.0), ("buy", 150.0)],
            "{kind}"
        );
    }
}

#[test]
fn what_autocannon_adds_for_omitted_requests_is_held_against_no_law() {
    // The file has 153 requests on 2 connections, but 5,431 times.
    let results = one(&["autocannon-9.0.0-rate.json"]);
    let audit = audit(&results);
    assert!(audit.findings.is_empty(), "{}", terminal(&audit, false));
}

#[test]
fn iterations_that_old_k6_timed_and_did_not_count_contradict_nothing() {
    // 10 iterations of 0.1 s. The times also contain `setup` with 3 s and `teardown` with 1 s.
    let results = one(&["k6-0.49.0-setup.json"]);
    assert_eq!(results.levels[0].total.sample_counts(), [10.0, 11.0, 12.0]);
    assert_eq!(
        audit(&results).worst(),
        Some(Severity::Doubtful),
        "a p95 of ten, and nothing worse"
    );
}

#[test]
fn the_summaries_of_k6_agree_about_what_failed() {
    for version in [
        "0.31.1-summary-export",
        "0.49.0-summary-export",
        "1.8.1-summary-export",
        "1.8.1-handle-summary",
        "1.8.1-machine-readable",
    ] {
        let results = one(&[&format!("k6-{version}-errors.json")]);
        let level = &results.levels[0];
        let row = level
            .rows
            .iter()
            .find(|row| row.name == "http_req_duration")
            .unwrap();
        let [sent, failed, ok] = [&row.counts.sent, &row.counts.failed, &row.counts.ok]
            .map(|figure| figure.as_ref().unwrap().value);
        assert!(
            (failed / sent - 0.1).abs() < 0.01 && (sent - failed - ok).abs() < 0.5,
            "{version}: {failed} and {ok} of {sent}"
        );
        assert!(level.users.is_some());
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
