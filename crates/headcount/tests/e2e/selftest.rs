//! `headcount selftest`: known values beside measured ones. A difference must be noticed.
//!
//! The program itself judges times, and reports if the machine was too busy. Counts must always agree.

use serde_json::Value;

use crate::harness::{Ended, Lab};

fn selftest(parts: &str, more: &[&str]) -> (Ended, Value) {
    let args = [&["selftest", "--json", "--quiet", "--only", parts], more].concat();
    let ended = Lab::new().headcount(&args);
    let report = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|why| panic!("no JSON ({why}): {} {}", ended.stdout, ended.stderr));
    (ended, report)
}

/// Returns the comparisons with one of these verdicts.
fn rows<'a>(report: &'a Value, verdicts: &[&str]) -> Vec<&'a Value> {
    let parts = report["parts"].as_array().unwrap();
    let rows = parts
        .iter()
        .flat_map(|part| part["rows"].as_array().unwrap());
    rows.filter(|row| verdicts.contains(&row["verdict"].as_str().unwrap()))
        .collect()
}

/// Asserts that every count is exact. Only a time may be excused by a busy machine.
fn counts_agree(ended: &Ended, report: &Value) {
    let differ = rows(report, &["differs"]);
    let counts: Vec<_> = differ.iter().filter(|row| row["unit"] == "count").collect();
    assert!(counts.is_empty(), "{counts:#?}");
    let expected = match report["verdict"].as_str() {
        Some("ok") => 0,
        Some("differs") => 1,
        _ => 98,
    };
    assert_eq!(ended.code, Some(expected), "{report:#}");
}

#[test]
fn a_million_deliveries_are_counted_exactly_in_every_fault() {
    let (ended, report) = selftest("deliveries", &[]);
    counts_agree(&ended, &report);
    let due = &report["parts"][0]["rows"][1];
    assert_eq!(due["what"], "deliveries that were due");
    // A busy machine skips ticks; the ledger follows the messages that are sent.
    assert!(due["truth"].as_f64() > Some(100_000.0), "{due}");
    assert_eq!(rows(&report, &["ok"]).len(), 8, "{report:#}");
}

#[test]
fn refusals_resets_limits_errors_and_silence_are_counted_exactly() {
    let (ended, report) = selftest("failures", &[]);
    counts_agree(&ended, &report);
    assert_eq!(rows(&report, &["ok"]).len(), 8, "{report:#}");
}

#[test]
fn percentiles_under_a_stall_schedule_and_delays_are_held_against_the_truth() {
    let (ended, report) = selftest("delays,echo,stall-http,stall-room", &[]);
    counts_agree(&ended, &report);
    let judged = rows(&report, &["ok", "differs", "disturbed"]);
    let times: Vec<_> = judged.iter().filter(|row| row["unit"] == "ns").collect();
    assert_eq!(times.len(), 25, "{report:#}");
    assert!(
        times.iter().all(|row| row["measured"].is_number()),
        "{times:#?}"
    );
}

#[test]
fn waiting_times_of_queues_are_held_against_a_simulation_of_the_arrivals() {
    let (ended, report) = selftest("queue-even,queue-poisson", &[]);
    counts_agree(&ended, &report);
}

#[test]
fn a_leak_and_busy_threads_are_seen_in_the_target() {
    let (ended, report) = selftest("leak,busy-loop,busy-pool", &[]);
    counts_agree(&ended, &report);
}

#[test]
fn a_server_that_answers_later_than_it_was_told_is_noticed() {
    let (ended, report) = selftest("delays", &["--lie", "delay=50ms"]);
    // On a busy machine, the difference may be attributed to the machine. In neither case does the self-test pass.
    assert!(matches!(ended.code, Some(1 | 98)), "{report:#}");
    let wrong = rows(&report, &["differs", "disturbed"]);
    assert_eq!(wrong.len(), 10, "{report:#}");
}

#[test]
fn a_server_that_drops_what_it_says_it_delivered_is_noticed() {
    let (ended, report) = selftest(
        "deliveries",
        &["--lie", "drop=1000", "--deliveries", "150k"],
    );
    assert_eq!(ended.code, Some(1), "{report:#}");
    assert!(report["verdict"] == "differs", "{report:#}");
    let wrong: Vec<_> = rows(&report, &["differs"])
        .iter()
        .map(|row| row["what"].clone())
        .collect();
    assert!(
        wrong.contains(&"lost".into()) && wrong.contains(&"delivered".into()),
        "{report:#}"
    );
}

#[test]
fn the_truth_stands_beside_what_was_measured_and_a_difference_is_said_in_words() {
    let args = [
        "selftest",
        "--only",
        "deliveries",
        "--lie",
        "drop=1000",
        "--deliveries",
        "1",
    ];
    let ended = Lab::new().headcount(&args);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("is WRONG"), "{}", ended.stdout);
    assert!(ended.stdout.contains("DIFFERS"), "{}", ended.stdout);
    assert!(
        ended.stderr.contains("1 of 1: deliveries dropped"),
        "{}",
        ended.stderr
    );
}

/// Runs the cases of the findings once, and returns them. None may get a wrong cause, on a busy machine either.
fn findings_of(names: &str) -> Vec<Value> {
    let args = [
        "selftest",
        "--findings",
        "--json",
        "--quiet",
        "--only",
        names,
    ];
    let ended = Lab::alone().headcount(&args);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let cases = report["cases"].as_array().unwrap();
    for case in cases {
        assert_eq!(
            (&case["runs"], &case["wrong"]),
            (&1.into(), &0.into()),
            "{report:#}"
        );
    }
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:?}");
    cases.clone()
}

fn names_the_cause(cases: &[Value], name: &str) -> bool {
    let case = cases.iter().find(|case| case["case"] == name).unwrap();
    case["first"][case["expected"].as_str().unwrap()] == 1
}

#[test]
fn servers_with_a_known_cause_get_its_finding_and_near_misses_get_none() {
    let cases = findings_of("timeout,limiter,one-thread,sessions");
    assert_eq!(cases.len(), 9, "{cases:#?}");
    for name in ["timeout", "limiter", "sessions"] {
        // A busy machine can hide a cause, since a finding needs regular times. So a run that shows none is repeated.
        let is_named = names_the_cause(&cases, name)
            || (1..10).any(|_| names_the_cause(&findings_of(name), name));
        assert!(is_named, "{name}: {cases:#?}");
    }
}

#[test]
fn a_part_that_does_not_exist_is_refused_with_those_that_do() {
    let ended = Lab::new().headcount(&["selftest", "--only", "dorps"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("stall-http"), "{}", ended.stderr);
}

#[test]
fn slow_consumers_and_a_quota_are_named_and_their_near_misses_are_not() {
    for (name, cases) in [("slow-consumers", 3), ("quota", 2)] {
        let found = findings_of(name);
        if found.is_empty() && name == "quota" {
            eprintln!("not tested: no control group can be made here");
            continue;
        }
        assert_eq!(found.len(), cases, "{found:#?}");
        let is_named = names_the_cause(&found, name)
            || (1..10).any(|_| names_the_cause(&findings_of(name), name));
        assert!(is_named, "{found:#?}");
    }
}

#[test]
fn exhausted_ports_are_tested_only_where_there_are_few() {
    assert_eq!(findings_of("ports"), [] as [Value; 0]);
}
