//! The files of real tools, made against a server whose behaviour is known: every request took 2 ms and succeeded
//! (`healthy`), or every tenth was answered by a 500 (`errors`).

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

/// What each file says, as a person reads it: the form, requests, mean in ms, one percentile.
#[test]
fn every_reader_finds_the_figures_of_its_tool() {
    let table: &[(&str, &str, f64, Option<f64>, (f64, f64))] = &[
        (
            "k6-1.8.1-summary-export-healthy.json",
            "k6 summary",
            4374.0,
            Some(4.267),
            (0.95, 12.27),
        ),
        (
            "locust-2.47.0-healthy_stats.csv",
            "Locust CSV",
            1521.0,
            Some(11.907),
            (0.95, 24.0),
        ),
        (
            "locust-2.47.0-errors_stats.csv",
            "Locust CSV",
            16806.0,
            Some(1.071),
            (0.99, 7.0),
        ),
        (
            "artillery-2.0.21-errors.json",
            "Artillery JSON",
            800.0,
            Some(37.3),
            (0.99, 172.5),
        ),
        (
            "artillery-1.7.9-errors.json",
            "Artillery JSON",
            800.0,
            None,
            (0.95, 37.5),
        ),
        (
            "autocannon-7.15.0-healthy.json",
            "autocannon JSON",
            7871.0,
            Some(2.3),
            (0.99, 9.0),
        ),
        (
            "autocannon-9.0.0-errors.json",
            "autocannon JSON",
            101_711.0,
            Some(0.03),
            (0.999, 4.0),
        ),
        (
            "vegeta-12.12.0-errors.json",
            "vegeta JSON",
            2000.0,
            Some(1.017),
            (0.99, 31.626),
        ),
        (
            "vegeta-12.12.0-errors.txt",
            "vegeta text",
            2000.0,
            Some(1.017),
            (0.99, 31.626),
        ),
        (
            "oha-1.16.0-errors.json",
            "oha JSON",
            164_625.0,
            Some(0.1206),
            (0.99, 0.217),
        ),
        (
            "oha-1.16.0-errors.txt",
            "oha text",
            54_249.0,
            Some(0.3676),
            (0.99, 7.887),
        ),
        (
            "wrk-errors.txt",
            "wrk text",
            253_845.0,
            Some(0.13444),
            (0.99, 3.10),
        ),
        (
            "wrk2-4.0.0-errors.txt",
            "wrk2 text",
            1991.0,
            Some(1.452),
            (0.99, 7.91),
        ),
        (
            "hey-0.1.4-errors.txt",
            "hey text",
            41_975.0,
            Some(0.5),
            (0.99, 7.5),
        ),
    ];
    for (name, form, sent, mean, (q, at)) in table {
        let results = one(&[name]);
        assert_eq!(&results.form, form, "{name}");
        let level = &results.levels[0];
        let row = level
            .rows
            .iter()
            .find(|row| row.name == "http_req_duration")
            .unwrap_or(&level.total);
        let near = |one: f64, other: f64| (one - other).abs() <= 0.001 * other.abs() + 1e-9;
        assert!(
            near(row.counts.sent.as_ref().unwrap().value, *sent),
            "{name}: {:?}",
            row.counts
        );
        assert_eq!(
            row.times
                .mean
                .as_ref()
                .map(|time| near(time.value, mean.unwrap())),
            mean.map(|_| true),
            "{name}: {:?}",
            row.times.mean
        );
        let percentile = row
            .percentile(*q)
            .unwrap_or_else(|| panic!("{name}: {:?}", row.times.percentiles));
        assert!(near(percentile.value, *at), "{name}: {percentile:?}");
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
