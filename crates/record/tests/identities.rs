//! Counts that add up have no inconsistencies. Counts that do not are reported.

mod common;

use model::Nanos;
use record::{Deliveries, Iterations, Level, Measured, Timings, note_failure};
use stats::Histogram;

fn texts<T: ToString>(found: &[T]) -> Vec<String> {
    found.iter().map(T::to_string).collect()
}

#[test]
fn a_correct_record_has_no_inconsistency() {
    assert_eq!(common::run().inconsistencies(), []);
    assert_eq!(Level::default().inconsistencies(), []);
}

#[test]
fn iterations_that_vanish_are_noticed() {
    let broken = Iterations {
        planned: 10,
        started: 9,
        succeeded: 8,
        ..Iterations::default()
    };
    assert_eq!(
        texts(&broken.broken_identities()),
        [
            "10 planned, but 9 started + 0 dropped",
            "9 started, but 8 succeeded + 0 failed + 0 unfinished",
        ]
    );
}

#[test]
fn deliveries_without_a_fate_are_noticed() {
    let mut broken = common::deliveries();
    broken.expected += 7;
    broken.late += 1;
    broken.whole_audience = 500;
    assert_eq!(
        texts(&broken.broken_identities()),
        [
            "1007 expected, but 995 delivered + 3 late + 3 lost + 0 cut off",
            "997 latencies, but 995 delivered + 3 late",
            "500 messages reached their whole audience, but 200 were sent",
        ]
    );
}

#[test]
fn a_broken_identity_names_its_level_and_its_thing() {
    let mut run = common::run();
    let requests = &mut run.levels[0].measured.requests;
    requests.get_mut("GET /rooms").unwrap().count = 1;
    let broken = texts(&run.inconsistencies());
    assert_eq!(broken.len(), 2, "{broken:?}");
    assert!(
        broken[0]
            .starts_with("level 1: request(GET /rooms): 1 timed out, but 3 failed and 1 ended")
    );
}

#[test]
fn merging_workers_adds_up_and_keeps_every_identity() {
    let whole = common::run().levels.remove(0);
    let mut merged = Measured::default();
    for _ in 0..3 {
        merged.merge(whole.measured.clone());
    }
    assert_eq!(merged.iterations.planned, 3 * 105);
    assert_eq!(
        merged.requests["POST /bridge/chat"].response.count(),
        3 * 1_999
    );
    assert_eq!(
        merged.deliveries["code-change"].lost[&model::LossReason::ReceiverDisconnected],
        6
    );
    assert_eq!(merged.checks["has a reply"].passed, 3 * 97);
    assert_eq!(
        merged.metrics["balance"].values.as_ref().unwrap().count(),
        6
    );
    assert_eq!(merged.failures.len(), 1);
    assert_eq!(merged.failures[0].count, 9);
    assert_eq!(merged.before.requests, 30);
    let level = Level {
        measured: merged,
        ..whole
    };
    assert_eq!(level.inconsistencies(), []);
}

#[test]
fn the_first_failure_in_time_stays_as_the_example() {
    let mut failures = Vec::new();
    for at_s in [5.0, 2.0, 9.0] {
        note_failure(&mut failures, common::failure(at_s, 1));
    }
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].count, 3);
    assert!((failures[0].first.at_s - 2.0).abs() < f64::EPSILON);
}

#[test]
fn a_time_out_has_no_time_and_hides_the_longest() {
    let mut timings = Timings::default();
    timings.answered(Nanos(30), Nanos(20), false);
    timings.answered(Nanos(60), Nanos(50), true);
    assert_eq!(timings.longest(), Some(Nanos(60)));
    timings.broke();
    timings.ran_out(Nanos::from_secs(15));
    timings.ran_out(Nanos::from_secs(5));
    assert_eq!(
        (timings.count, timings.failed, timings.timed_out),
        (5, 4, 2)
    );
    assert_eq!(timings.timeout, Some(Nanos::from_secs(15)));
    assert_eq!(timings.longest(), None);
    assert_eq!(timings.broken_identities(), []);
}

#[test]
fn the_times_of_successes_are_those_of_all_without_those_of_failures() {
    let mut timings = Timings::default();
    for (time, failed) in [(30, false), (60, true), (90, false), (40, true)] {
        timings.answered(Nanos(time), Nanos(time), failed);
    }
    timings.broke();
    timings.ran_out(Nanos::from_secs(5));
    timings.left_open(Nanos(70));
    timings.fail_answered(Nanos(90));
    let succeeded = timings.succeeded().unwrap();
    assert_eq!((timings.count, timings.failed), (6, 5));
    assert_eq!((succeeded.count, succeeded.failed), (1, 0));
    assert_eq!(succeeded.longest(), Some(Nanos(30)));
    assert_eq!(timings.broken_identities(), []);
    let older = Timings {
        failed_response: Histogram::new(),
        ..timings.clone()
    };
    assert_eq!(older.succeeded(), None);
    timings.failed_response.record_n(Nanos(30), 2);
    assert_eq!(
        texts(&timings.broken_identities()),
        ["5 times of failures and 1 timeouts, but 5 failed"]
    );
}

#[test]
fn lost_is_the_sum_of_its_reasons() {
    let deliveries = common::deliveries();
    assert_eq!(
        (deliveries.lost_count(), deliveries.misdelivered_count()),
        (3, 6)
    );
    assert_eq!(deliveries.received(), 997);
    assert_eq!(Deliveries::default().lost_count(), 0);
}
