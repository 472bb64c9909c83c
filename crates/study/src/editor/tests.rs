//! Reports of small, handmade records.

use std::collections::BTreeMap;

use model::Nanos;
use record::{
    Convergence, Deliveries, IssueCause, Level, LevelIssue, Load, Metric, MetricKind, Phases, Run,
    TargetUse,
};

use super::figures::{Miss, ceiling_in_words, cpu_each_us, kb_per_user, miss};
use super::{Parts, evidence, pages};

/// A level of `users` in rooms of 5, with 1,000 successful deliveries after `ms` each.
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

/// The same, with values of the report's "latency".
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

#[test]
fn nothing_measured_makes_no_figure_of_ours_and_still_says_what_is_wrong() {
    let parts = Parts::default();
    let text = pages::markdown(&parts);
    assert!(text.contains("not measured"), "{text}");
    assert!(text.ends_with("Nothing was measured.\n"), "{text}");
    let ids: Vec<_> = evidence::all(&parts).iter().map(|one| one.id).collect();
    let expected: Vec<_> = (1..=17).map(|number| format!("E-X{number}")).collect();
    assert_eq!(ids, expected);
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
    let text = pages::markdown(&parts);
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
    assert!(late[0].contains("| no data | 0 | 1001"), "{late:?}");
    assert!(late[1].contains("| 600 | 1 | 1001"), "{late:?}");
    assert!(pages::headline(&parts).contains("p50 2.00 ms"), "{text}");
}

#[test]
fn the_level_where_it_stops_is_named_with_what_broke() {
    let mut broke = level(1000, 25);
    let held = broke.measured.converged.get_mut("document").unwrap();
    held.converged -= 3;
    held.diverged += 3;
    let why = ["p95 25.0 ms", "3 rooms not converged"].map(str::to_owned);
    let expected = Miss {
        broke: true,
        why: why.to_vec(),
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
    assert!(both.contains("cannot be told"), "{both}");
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
    let list = pages::markdown(&parts);
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
fn a_level_that_could_not_be_measured_is_not_said_to_have_broken_its_promise() {
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
        let expected = Miss {
            broke: false,
            why: vec![why.to_owned()],
        };
        assert_eq!(miss(&level), Some(expected));
        let rooms = run(vec![level]);
        let said = ceiling_in_words(&Parts {
            rooms: Some(&rooms),
            ..Parts::default()
        });
        let expected = format!(
            "No level showed that it meets the thresholds; whether 100 do is unknown: {why}. "
        );
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
