use plan::Subject;
use record::{Deliveries, Iterations, Load, TargetUse, Timings};

use super::*;

const HOLD: Span = Span {
    start: Nanos::from_secs(1),
    end: Nanos::from_secs(100),
};

/// The number of checks, at most ten, after which the threshold aborts the run.
fn given_up(subject: &str, condition: &str, level: &Level) -> Option<u32> {
    let subject = Subject::parse(subject).unwrap();
    let threshold = Threshold::parse(&subject, condition).unwrap();
    let mut aborting = AbortThresholds::of(&[threshold], level, HOLD);
    (1..=10).find(|look| {
        assert!(aborting.is_due(Nanos::from_secs(u64::from(*look) + 1), HOLD, 1));
        aborting.take(level.measured.clone(), level).is_some()
    })
}

fn level() -> Level {
    let mut level = Level {
        load: Load {
            users: 1,
            groups: 1,
            ..Load::default()
        },
        ..Level::default()
    };
    level.phases.duration_s = 10.0;
    level
}

fn requests(count: u64) -> Level {
    let mut timings = Timings::default();
    let time = Nanos::from_millis(5);
    (0..count).for_each(|_| timings.answered(time, time, false));
    let mut level = level();
    level.measured.requests.insert("GET /".to_owned(), timings);
    level
}

fn deliveries(delivered: u64, lost: u64, on_their_way: u64) -> Level {
    let channel = Deliveries {
        messages: delivered + lost + on_their_way,
        expected: delivered + lost + on_their_way,
        delivered,
        lost: [(model::LossReason::ReceiverDisconnected, lost)].into(),
        ..Deliveries::default()
    };
    let mut level = level();
    level.measured.deliveries.insert("said".to_owned(), channel);
    level
}

#[test]
fn a_count_that_may_still_grow_is_not_given_up() {
    let few = requests(400);
    for condition in [
        "count >= 500 or abort",
        "count > 400 or abort",
        "count == 500 or abort",
        "count != 400 or abort",
        "rate >= 50/s or abort",
    ] {
        assert_eq!(given_up("requests", condition, &few), None, "{condition}");
    }
    let deliveries = deliveries(10, 0, 0);
    assert_eq!(
        given_up("deliveries", "delivered >= 500 or abort", &deliveries),
        None
    );
}

#[test]
fn a_count_beyond_its_limit_is_given_up_at_once() {
    let many = requests(400);
    for condition in [
        "count < 400 or abort",
        "count <= 399 or abort",
        "count == 399 or abort",
    ] {
        assert_eq!(
            given_up("requests", condition, &many),
            Some(1),
            "{condition}"
        );
    }
    let lost = deliveries(10, 1, 0);
    assert_eq!(given_up("deliveries", "lost == 0 or abort", &lost), Some(1));
}

#[test]
fn what_is_on_its_way_is_not_lost() {
    let flying = deliveries(900, 0, 100);
    for condition in [
        "delivered >= 99% or abort",
        "delivered == 100% or abort",
        "lost < 1% or abort",
    ] {
        assert_eq!(
            given_up("deliveries", condition, &flying),
            None,
            "{condition}"
        );
    }
    let lost = deliveries(900, 50, 50);
    for condition in [
        "delivered >= 99% or abort",
        "delivered == 100% or abort",
        "lost < 1% or abort",
    ] {
        assert_eq!(
            given_up("deliveries", condition, &lost),
            Some(LOOKS),
            "{condition}"
        );
    }
}

#[test]
fn the_longest_and_the_shortest_are_final_the_middle_is_not() {
    let level = requests(2000);
    assert_eq!(given_up("requests", "max < 4ms or abort", &level), Some(1));
    assert_eq!(given_up("requests", "max > 6ms or abort", &level), None);
    assert_eq!(given_up("requests", "min > 6ms or abort", &level), Some(1));
    assert_eq!(given_up("requests", "min < 4ms or abort", &level), None);
    assert_eq!(
        given_up("requests", "p95 < 4ms or abort", &level),
        Some(LOOKS)
    );
    assert_eq!(
        given_up("requests", "p95 > 6ms or abort", &level),
        None,
        "what takes long ends last"
    );
}

#[test]
fn the_targets_memory_is_looked_at_while_the_level_runs() {
    let mut level = level();
    level.target = Some(TargetUse {
        memory_mb_max: Some(20.0),
        ..TargetUse::default()
    });
    assert_eq!(given_up("target", "memory < 1MB or abort", &level), Some(1));
    assert_eq!(given_up("target", "memory < 1GB or abort", &level), None);
}

#[test]
fn a_share_of_iterations_may_recover_for_some_looks() {
    let mut level = level();
    level.measured.iterations = Iterations {
        planned: 100,
        started: 100,
        succeeded: 40,
        failed: 60,
        ..Iterations::default()
    };
    assert_eq!(
        given_up("iterations", "failed < 50% or abort", &level),
        Some(LOOKS)
    );
}
