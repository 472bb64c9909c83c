//! Reports of small, handmade records.

use std::collections::BTreeMap;

use model::Nanos;
use record::{BusiestThread, Deliveries, Level, Load, Machine, Phases, Run, TargetUse, Timings};

use super::{Parts, TEMPLATES, figures};
use crate::templates::check;

/// Returns a level of `users` in rooms of 5, with as many requests and as many deliveries, each of 2 ms.
fn level(users: u64, count: u64) -> Level {
    let mut all = Deliveries {
        messages: count / 4,
        expected: count,
        delivered: count,
        ..Deliveries::default()
    };
    all.latency.record_n(Nanos::from_millis(2), count);
    let sent = Timings {
        count,
        response: all.latency.clone(),
        ..Timings::default()
    };
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
            cpu_percent: Some(90.0),
            busiest_thread: Some(BusiestThread {
                name: "tokio".to_owned(),
                cpu_percent: 88.0,
            }),
            memory_mb_max: Some(10.0 + users as f64 / 100.0),
            ..TargetUse::default()
        }),
        leftovers: Some(users as f64),
        ..Level::default()
    };
    level.measured.requests = BTreeMap::from([("send".to_owned(), sent)]);
    level.measured.deliveries = BTreeMap::from([("message".to_owned(), all)]);
    level
}

fn run() -> Run {
    Run {
        levels: [5, 10, 20].map(|users| level(users, 1000 * users)).to_vec(),
        machine: Machine::default(),
        ..Run::default()
    }
}

#[test]
fn nothing_measured_makes_no_figure_of_ours_and_still_shows_the_mistakes() {
    let (page, terminal) = check(TEMPLATES, &figures::figures(&Parts::default()));
    assert!(page.contains("| not measured |"), "{page}");
    assert!(page.ends_with("Nothing was measured.\n"), "{page}");
    assert!(!page.contains("Here"), "{page}");
    for number in 1..=12 {
        let title = format!("B-X{number} ");
        assert!(page.contains(&format!("### {title}")), "{title} in {page}");
        assert!(terminal.contains(&format!("\n  {title}")), "{title}");
    }
}

#[test]
fn every_figure_of_ours_stands_beside_the_reports() {
    let run = run();
    let parts = Parts {
        short: Some(&run),
        http: Some(&run),
        rooms: Some(&run),
        crowd: Some(&run),
    };
    let (page, terminal) = check(TEMPLATES, &figures::figures(&parts));
    for sentence in [
        "20 users without a pause: 2,000 messages/s, p99 2.00 ms. The field report's server reached 13,712 messages/s; the rate here is 0.1 times as high.",
        "20 users at human pace: 20,000 of 20,000 deliveries, p95 2.00 ms, 0 lost, 0 duplicated, 0 misdelivered.",
        "In its table, throughput changes by +42 % from 5 to 10 users, for +100 % of users, and by +0.8 % from 10 to 20 users.",
        "Here: 500 → 1,000 → 2,000 messages/s, +100 % and +100 %.",
        "5 users: 10.000 and 2.000 ms; 10 users:",
        "busiest thread was at 88 % of a core at 20 users.",
        "400 / 0.029 s = 13,793 (any rate from 13,559 to 14,035 gives that wall time).",
        "10 sessions before the second level",
        "at most 20 sessions were left before a level.",
        "35,000 deliveries expected over all levels, 35,000 delivered, 0 late",
        "memory grew from 10.1 MB at 5 sessions to 10.2 MB: 10.0 KB per session.",
        "The bridge ran as a separate process.",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    assert!(
        terminal.starts_with("20 users without a pause: 2,000"),
        "{terminal}"
    );
}

#[test]
fn a_level_at_which_the_generator_was_the_limit_is_a_lower_bound() {
    let mut run = run();
    for level in &mut run.levels {
        let cause = record::IssueCause::NotMeasured;
        level.issues = vec![record::LevelIssue::invalid(cause)];
    }
    let parts = Parts {
        http: Some(&run),
        rooms: Some(&run),
        ..Parts::default()
    };
    let (page, _) = check(TEMPLATES, &figures::figures(&parts));
    for text in [
        "at least 2,000 messages/s",
        "0 misdelivered (INVALID: the generator was the limit).",
        "the level is invalid, so its throughput is a lower bound.",
        "| lower bound: the generator was the limit |",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
}
