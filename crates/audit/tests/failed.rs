//! Runs in which every request failed, and runs that did not make their planned load, from the files of the tools.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use std::fs;
use std::path::Path;

use audit::{Severity, audit, read, terminal};

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Returns the worst severity of the rule's findings. `None` without findings.
fn severity(name: &str, text: String, rule: &str) -> Option<Severity> {
    let audit = audit(&read(&[(name.to_owned(), text)]).unwrap()[0]);
    let found = audit.findings.iter().filter(|one| one.rule == rule);
    let worst = found.map(|one| one.severity).max();
    println!("{name}: {}", terminal(&audit, false));
    worst
}

/// Files of runs in which a tenth of the requests failed, with replacements that make all of them fail.
const ALL_FAILED: [(&str, &[(&str, &str)]); 8] = [
    ("hey-0.1.5-errors.txt", &[("[200]\t55260", "[500]\t55260")]),
    ("oha-1.16.0-errors.txt", &[("[200] 48824", "[503] 48824")]),
    (
        "vegeta-12.12.0-errors.txt",
        &[
            ("90.00%", "0.00%"),
            ("200:1800  500:200", "500:2000"),
            ("900.46", "0.00"),
        ],
    ),
    (
        "k6-1.8.1-summary-export-errors.json",
        &[
            ("\"passes\": 2430", "\"passes\": 24307"),
            ("\"fails\": 21877", "\"fails\": 0"),
        ],
    ),
    (
        "locust-2.47.0-errors_stats.csv",
        &[("16806,1681,", "16806,16806,")],
    ),
    (
        "artillery-2.0.21-errors.json",
        &[("http.codes.200\": 720", "http.codes.502\": 720")],
    ),
    (
        "jmeter-5.6.3-errors.csv",
        &[(",200,OK,", ",500,No,"), (",text,true,", ",text,false,")],
    ),
    ("hey-0.1.5-errors.csv", &[(",200,", ",500,")]),
];

#[test]
fn percentiles_of_failures_are_told_to_be_so() {
    const RULE: &str = "mostly-failed";
    // These runs had a target that answers every request with 500.
    for name in ["wrk-4.1.0-failed.txt", "autocannon-9.0.0-failed.json"] {
        assert_eq!(
            severity(name, fixture(name), RULE),
            Some(Severity::Unsupported)
        );
    }
    for (name, changes) in ALL_FAILED {
        let some = fixture(name);
        assert_eq!(
            severity(name, some.clone(), RULE),
            None,
            "a tenth is not most"
        );
        let all = changes.iter().fold(some, |text, (from, to)| {
            assert!(text.contains(from), "{name}: {from}");
            text.replace(from, to)
        });
        assert_eq!(
            severity(name, all, RULE),
            Some(Severity::Unsupported),
            "{name}"
        );
    }
}

#[test]
fn a_run_without_any_response_measured_nothing() {
    const RULE: &str = "nothing-measured";
    let hey = "hey-0.1.5-healthy.txt";
    assert_eq!(severity(hey, fixture(hey), RULE), None);
    let undefined = "
Summary:
  Total:\t0.0123 secs
  Slowest:\t0.0000 secs
  Fastest:\t0.0000 secs
  Average:\tNaN secs
  Requests/sec:\t16260.1626

Latency distribution:
  50%% in NaN secs
  99%% in NaN secs

Error distribution:
  [200]\tGet \"http://127.0.0.1:1/\": dial tcp 127.0.0.1:1: connect: connection refused
";
    for text in [
        undefined.to_owned(),
        undefined.replace("Average:\tNaN", "Average:\t0.0000"),
    ] {
        assert_eq!(severity(hey, text, RULE), Some(Severity::Unsupported));
    }
    let wrk = "wrk-4.1.0-failed.txt";
    let some = fixture(wrk);
    assert_eq!(severity(wrk, some.clone(), RULE), None);
    let none = some.replace("31161 requests in", "0 requests in");
    assert_eq!(severity(wrk, none, RULE), Some(Severity::Unsupported));
}

/// A record in which one operation took 2 ms each time, every request of another timed out, and every delivery was lost.
fn of_ours() -> String {
    let times = |count| {
        let mut timings = record::Timings::default();
        for _ in 0..count {
            timings.count += 1;
            timings.response.record(model::Nanos::from_millis(2));
        }
        timings
    };
    let mut late = record::Timings::default();
    (0..300).for_each(|_| late.ran_out(model::Nanos::from_secs(2)));
    let lost = record::Deliveries {
        messages: 300,
        expected: 300,
        lost: [(model::LossReason::NeverSeen, 300)].into(),
        ..record::Deliveries::default()
    };
    let mut level = record::Level::default();
    let measured = &mut level.measured;
    measured.requests = [
        ("GET /".to_owned(), times(300)),
        ("GET /late".to_owned(), late),
    ]
    .into();
    measured.deliveries.insert("said".to_owned(), lost);
    let run = record::Run {
        levels: vec![level],
        ..record::Run::default()
    };
    record::to_json(&run).unwrap()
}

#[test]
fn requests_without_a_response_are_failures_beside_the_responses() {
    const RULE: &str = "mostly-failed";
    let wrk = |errors: &str| {
        let rate = "Requests/sec:";
        let errors = format!("  Socket errors: {errors}\n{rate}");
        let text = fixture("wrk-4.1.0-healthy.txt").replace(rate, &errors);
        severity("wrk", text, RULE)
    };
    // There were 9,545 responses.
    assert_eq!(wrk("connect 0, read 9544, write 0, timeout 0"), None);
    let few = Some(Severity::Doubtful);
    assert_eq!(wrk("connect 1, read 9540, write 5, timeout 0"), few);
    // There were 8,397 responses, all of them successful.
    let autocannon = |errors: &str| {
        let text = fixture("autocannon-9.0.0-healthy.json");
        let count = |key: &str| format!("\"{key}\":{errors}");
        let text = text.replace("\"errors\":0", &count("errors"));
        let text = text.replace("\"timeouts\":0", &count("timeouts"));
        severity("autocannon", text, RULE)
    };
    assert_eq!(autocannon("8397"), None, "a timeout is one error");
    assert_eq!(autocannon("8398"), few);
}

#[test]
fn failing_checks_are_read_from_the_newer_summary_of_k6() {
    let healthy = fixture("k6-1.8.1-machine-readable-healthy.json");
    let mut failing: serde_json::Value = serde_json::from_str(&healthy).unwrap();
    let metrics = failing["results"]["checks"]["metrics"].as_array_mut();
    for metric in metrics.unwrap() {
        if metric["name"] == "checks_succeeded" {
            metric["values"]["matches"] = 0.into();
            metric["values"]["rate"] = 0.into();
        }
    }
    let doubtful = Some(Severity::Doubtful);
    assert_eq!(severity("k6", healthy, "mostly-failed"), None);
    assert_eq!(
        severity("k6", failing.to_string(), "mostly-failed"),
        doubtful
    );
}

#[test]
fn times_describe_no_failures_of_an_operation_that_has_its_own() {
    assert_eq!(severity("run.json", of_ours(), "mostly-failed"), None);
}

#[test]
fn times_of_the_few_that_were_left_are_doubtful() {
    let report = |samples: &str| {
        format!(
            "[[level]]\nname = \"a\"\ncount = 1000\nok = 300\nfailed = 700\n{samples}mean = \"5ms\"\np50 = \"4ms\"\n"
        )
    };
    let of = |samples: &str| severity("a", report(samples), "mostly-failed");
    assert_eq!(of("samples = 300\n"), Some(Severity::Doubtful));
    assert_eq!(of("samples = 1000\n"), Some(Severity::Unsupported));
    assert_eq!(of(""), Some(Severity::Unsupported));
}

#[test]
fn load_that_was_planned_and_not_made_is_told() {
    const RULE: &str = "load-not-made";
    let report = |more: &str| {
        format!(
            "[[level]]\nname = \"a\"\nduration = \"10s\"\ncount = 5000\nrate = 500\n{more}\nmean = \"5ms\"\n"
        )
    };
    let of = |more: &str| severity("a", report(more), RULE);
    assert_eq!(of("offered = 1000"), Some(Severity::Unsupported));
    assert_eq!(of("offered = 510"), None);
    assert_eq!(of("dropped = 5000"), Some(Severity::Unsupported));
    assert_eq!(of("dropped = 50"), Some(Severity::Doubtful));
    assert_eq!(of("dropped = 0"), None);
    // k6 drops starts for which no user is free, and counts them apart from the iterations.
    let k6 = fixture("k6-1.8.1-summary-export-errors.json");
    let dropped = "\"dropped_iterations\": {\"count\": 60000, \"rate\": 30000}, \"http_reqs\":";
    let with = k6.replace("\"http_reqs\":", dropped);
    assert_eq!(severity("k6", k6, RULE), None);
    assert_eq!(severity("k6", with, RULE), Some(Severity::Unsupported));
    // vegeta's throughput also covers the wait for the last responses.
    let vegeta = fixture("vegeta-12.12.0-healthy.txt");
    assert_eq!(severity("vegeta", vegeta, RULE), None);
    let late = fixture("vegeta-12.12.0-errors.txt").replace("900.46", "300.15");
    assert_eq!(severity("vegeta", late, RULE), Some(Severity::Doubtful));
    let artillery = fixture("artillery-2.0.21-healthy.json");
    let skipped = artillery.replacen(
        "\"vusers.created\":",
        "\"vusers.skipped\": 4000, \"vusers.created\":",
        1,
    );
    assert_eq!(severity("artillery", artillery, RULE), None);
    assert_eq!(
        severity("artillery", skipped, RULE),
        Some(Severity::Unsupported)
    );
}
