//! Reports of small, handmade records.

use std::collections::BTreeMap;

use model::Nanos;
use record::{
    Convergence, Deliveries, IssueCause, Level, LevelIssue, Load, Metric, MetricKind, Phases, Run,
    TargetUse,
};

use super::figures::{Miss, Reason, cpu_each_us, kb_per_user, miss};
use super::{Parts, TEMPLATES, page};
use crate::templates::{check, part};

/// Returns a level of `users` in rooms of 5, with 1,000 successful deliveries of `ms` each.
fn level(users: u64, ms: u64) -> Level {
    let mut all = Deliveries {
        messages: 250,
        expected: 1000,
        delivered: 1000,
        ..Deliveries::default()
    };
    all.latency.record_n(Nanos::from_millis(ms), 1000);
    let mut level = Level {
        load: Load {
            users,
            groups: users / 5,
            ..Load::default()
        },
        phases: Phases {
            duration_s: 10.0,
            ..Phases::default()
        },
        target: Some(TargetUse {
            cpu_percent: Some(20.0),
            memory_mb_start: Some(20.0),
            memory_mb_max: Some(30.0),
            ..TargetUse::default()
        }),
        ..Level::default()
    };
    let held = Convergence {
        converged: users / 5,
        ..Convergence::default()
    };
    level.measured.converged = BTreeMap::from([("document".to_owned(), held)]);
    level.measured.deliveries = BTreeMap::from([("edit".to_owned(), all)]);
    level
}

/// Adds values of "latency", as the report defines it, to a level.
fn reporting(mut level: Level, values: &[f64]) -> Level {
    let mut metric = Metric::new(MetricKind::Trend);
    for &value in values {
        metric.record(value, 1.0);
    }
    let name = "the report's own latency, ms".to_owned();
    level.measured.metrics.insert(name, metric);
    level
}

fn run(levels: Vec<Level>) -> Run {
    Run {
        levels,
        ..Run::default()
    }
}

/// Returns the page as Markdown and as shown on the terminal.
fn pages(parts: &Parts<'_>) -> (String, String) {
    check(TEMPLATES, &page::figures(parts))
}

fn ceiling_in_words(parts: &Parts<'_>) -> String {
    part(TEMPLATES, "limit.md", &page::figures(parts))
}

#[test]
fn nothing_measured_makes_no_figure_of_ours_and_still_says_what_is_wrong() {
    let parts = Parts::default();
    let (text, terminal) = pages(&parts);
    assert!(text.contains("not measured"), "{text}");
    assert!(!text.contains("Here"), "{text}");
    assert!(text.ends_with("Nothing was measured.\n"), "{text}");
    for number in 1..=17 {
        assert!(text.contains(&format!("\n### E-X{number} ")), "{number}");
        assert!(terminal.contains(&format!("\n  E-X{number} ")), "{number}");
    }
}

#[test]
fn the_reports_latency_stands_beside_the_true_one_and_no_data_is_not_zero() {
    let report = run(vec![
        level(10, 1),
        level(30, 1),
        reporting(level(50, 2), &[700.0, 840.0]),
        level(50, 2),
    ]);
    let late = run(vec![level(10, 1001), reporting(level(50, 1001), &[600.0])]);
    let parts = Parts {
        report: Some(&report),
        late: Some(&late),
        ..Parts::default()
    };
    let (text, terminal) = pages(&parts);
    let row = |start: &str| {
        let found = text.lines().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no {start} in {text}"))
    };
    assert!(
        row("| 1 | 10 | 1 | 0 | 0 | EXCELLENT | no data | no data | 0 | 1.00 |")
            .ends_with("healthy server |")
    );
    let third = row("| 3 | 50 | 5 | 767 | 1830 | POOR |");
    assert!(third.contains("| 770 | 2 | 2.00 |"), "{third}");
    let late = text
        .lines()
        .filter(|line| line.ends_with("one second late |"));
    let late: Vec<&str> = late.collect();
    assert!(late[0].contains("| no data | 0 | 1,001"), "{late:?}");
    assert!(late[1].contains("| 600 | 1 | 1,001"), "{late:?}");
    assert!(
        terminal.lines().next().unwrap().contains("p50 2.00 ms"),
        "{terminal}"
    );
}

#[test]
fn the_level_where_it_stops_is_named_with_what_broke() {
    let mut broke = level(1000, 25);
    let held = broke.measured.converged.get_mut("document").unwrap();
    held.converged -= 3;
    held.diverged += 3;
    let expected = Miss {
        broke: true,
        reasons: vec![Reason::P95(25.0), Reason::Count("diverged", 3)],
    };
    assert_eq!(miss(&broke), Some(expected));
    let rooms = run(vec![level(100, 1), level(500, 2), broke]);
    let parts = Parts {
        rooms: Some(&rooms),
        ..Parts::default()
    };
    let said = ceiling_in_words(&parts);
    let expected = "500 users met the thresholds; 1,000 did not: p95 25.0 ms, 3 rooms not converged. The server used 20 %";
    assert!(said.starts_with(expected), "{said}");
    assert!(said.ends_with("neither was full."), "{said}");
}

#[test]
fn a_server_whose_core_is_full_is_why_it_stops_and_only_beside_a_sound_generator() {
    let mut broke = level(1000, 25);
    broke.target.as_mut().unwrap().cpu_percent = Some(98.0);
    broke.generator.busiest_worker_percent = Some(88.0);
    let said = |level: Level| {
        let beyond = run(vec![level]);
        ceiling_in_words(&Parts {
            beyond: Some(&beyond),
            ..Parts::default()
        })
    };
    let full = said(broke.clone());
    assert!(full.contains("one core is full: 98 %"), "{full}");
    assert!(full.contains("busy for 88 %"), "{full}");
    broke.issues = vec![LevelIssue::invalid(IssueCause::NotMeasured)];
    let both = said(broke);
    assert!(both.contains("is unknown"), "{both}");
}

#[test]
fn a_level_that_is_not_sound_is_no_limit_of_the_server() {
    let mut unsound = level(1000, 25);
    unsound.issues = vec![LevelIssue::invalid(IssueCause::NotMeasured)];
    let rooms = run(vec![level(100, 1), unsound]);
    let parts = Parts {
        rooms: Some(&rooms),
        ..Parts::default()
    };
    let said = ceiling_in_words(&parts);
    assert!(said.contains("the generator was the limit"), "{said}");
    assert!(
        said.starts_with(
            "100 users met the thresholds; whether 1,000 do is unknown: \
             not measured validly (the level ended before its measurement began), p95 25.0 ms."
        ),
        "{said}"
    );
    let (list, _) = pages(&parts);
    assert!(
        list.contains(
            "- 1,000 users in rooms of 5: the level ended before its measurement began.\n"
        ),
        "{list}"
    );
    let held = run(vec![level(100, 1)]);
    let parts = Parts {
        rooms: Some(&held),
        ..Parts::default()
    };
    assert!(ceiling_in_words(&parts).starts_with("No limit was found: 100 users"));
}

#[test]
fn a_level_that_could_not_be_measured_is_not_said_to_have_broken_its_threshold() {
    let mut unsound = level(100, 6);
    unsound.issues = vec![LevelIssue::invalid(IssueCause::NotMeasured)];
    let mut few = level(100, 6);
    few.measured.deliveries.get_mut("edit").unwrap().latency = Deliveries::default().latency;
    for (level, why) in [
        (
            unsound,
            "not measured validly (the level ended before its measurement began)",
        ),
        (few, "too few deliveries for p95"),
    ] {
        assert!(miss(&level).is_some_and(|miss| !miss.broke));
        let rooms = run(vec![level]);
        let said = ceiling_in_words(&Parts {
            rooms: Some(&rooms),
            ..Parts::default()
        });
        let expected =
            format!("No level was shown to meet the thresholds; whether 100 do is unknown: {why}.");
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[test]
fn costs_are_those_of_the_servers_own_process() {
    let mut many = level(1100, 1);
    many.target.as_mut().unwrap().memory_mb_max = Some(35.0);
    let rooms = run(vec![level(100, 1), many]);
    let parts = Parts {
        rooms: Some(&rooms),
        ..Parts::default()
    };
    let of = |index: usize| kb_per_user(&parts, &rooms.levels[index]);
    assert_eq!((of(0), of(1)), (None, Some(5.0))); // 5 MB for 1,000 users more
    assert_eq!(cpu_each_us(&rooms.levels[0]), Some(2000.0)); // 20 % of 10 s for 1,000 deliveries
}

#[test]
fn every_figure_of_ours_stands_beside_the_reports() {
    let mut levels = vec![level(10, 1), level(30, 1), level(50, 2), level(50, 2)];
    for (index, level) in levels.iter_mut().enumerate() {
        *level = reporting(level.clone(), &[700.0, 840.0 + 100.0 * index as f64]);
        level.generator.busiest_worker_percent = Some(30.0);
    }
    let report = run(levels);
    let rooms = run(vec![level(100, 1), level(1000, 2), level(5000, 25)]);
    let parts = Parts {
        report: Some(&report),
        late: Some(&report),
        rooms: Some(&rooms),
        crowd: Some(&rooms),
        beyond: Some(&rooms),
        tens: Some(&rooms),
        fifty: Some(&rooms),
        whole: Some(&rooms),
        crdt: Some(&rooms),
        ceiling: None,
    };
    let (page, terminal) = pages(&parts);
    for sentence in [
        "p50 2.00 ms, p95 2.00 ms, 0 lost; the report's \"latency\" of the same run is 870 ms.",
        "1,000 users in rooms of 5 at the report's pace: 1,000 of 1,000 deliveries, p95 2.00 ms, 0 lost, 0 duplicated, 0 misdelivered, 200 of 200 rooms converged, 20 % of a core, 0.0 KB per user.",
        "test 1: no value at all (reported: 0 ms); test 2: mean",
        "(reported: 789.66 and 1741 ms). Here: test 1: 770 ms, while",
        "Here the tests gave 2, 2, 2, 2 values. Deliveries tracked in the same runs: 4,000.",
        "Test 3 received 41,739 messages, test 4 20,765: ×2.01",
        "The \"latency\" is 766.65 and 789.66 ms: ×0.97.",
        "test 1: 755 / 23.57 = 32.0 s, of which 1.0 s are ramp-up and 1 s is clean-up (10 users at full pace send 25.0/s);",
        "Here 1,000 users: rooms of 5 p95 2.00 ms at 20 % of a core, rooms of 10 p95 2.00 ms at 20 %.",
        "1,000 users met the thresholds; 5,000 did not: p95 25.0 ms. The server used",
        "No loss in 4,000 messages allows at most",
        "the 1,000 users that met the thresholds here would be 100 %",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    assert!(
        terminal.contains("\n1,000 users met the thresholds; 5,000"),
        "{terminal}"
    );
}
