use model::Nanos;
use record::{Cause, Confidence, Level, Timings, Window};

use super::levels::{idle, level, target, with};
use super::{causes, only};

fn at(per_s: f64, ms: f64) -> Level {
    with(level(per_s, ms), idle())
}

#[test]
fn four_places_are_counted() {
    // Closed loops of 1, 4, 8 and 16 users in front of 4 places that take 10 ms each.
    let finding = only(vec![
        at(100.0, 10.0),
        at(400.0, 10.0),
        at(400.0, 20.0),
        at(400.0, 40.0),
    ]);
    let Cause::FixedConcurrency(fixed) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(
        (fixed.places, fixed.work_ms, fixed.per_s),
        (4.0, 10.0, 400.0)
    );
    assert_eq!(finding.confidence, Confidence::High);
    assert_eq!(finding.levels, [1, 3]);
}

#[test]
fn a_lock_is_one_place() {
    let finding = only(vec![at(50.0, 10.0), at(97.0, 30.0), at(100.0, 80.0)]);
    let Cause::FixedConcurrency(fixed) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(fixed.places, 1.0);
}

/// A trial of a search: 1.5 s of arrivals beyond what the places complete, so that half a second of work is left at the end.
fn short_and_overfull(per_s: f64, places_per_s: f64) -> Level {
    let mut level = at(per_s, 10.0);
    level.phases.duration_s = 1.5;
    let mut timings = Timings::default();
    for arrival in 0..(per_s * 1.5) as u64 {
        let wait = arrival as f64 * (1.0 / places_per_s - 1.0 / per_s);
        let time = Nanos::from_secs_f64(wait + 0.01);
        timings.answered(time, time, false);
    }
    level.measured.requests = [("GET /".to_owned(), timings)].into();
    level
}

#[test]
fn places_are_counted_in_trials_that_end_before_their_operations() {
    let finding = only(vec![
        at(100.0, 10.0),
        at(395.0, 14.0),
        short_and_overfull(540.0, 400.0),
    ]);
    let Cause::FixedConcurrency(fixed) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(fixed.places, 4.0);
}

#[test]
fn the_complete_second_of_a_short_trial_is_enough() {
    // A stack: most requests do not wait, and the others wait until the load is over.
    let mut stack = short_and_overfull(540.0, 400.0);
    let mut timings = Timings::default();
    for (count, millis) in [(650, 10), (160, 1_500)] {
        let time = Nanos::from_millis(millis);
        (0..count).for_each(|_| timings.answered(time, time, false));
    }
    stack.measured.requests = [("GET /".to_owned(), timings)].into();
    stack.series = vec![Window {
        requests: 400,
        ..Window::default()
    }];
    let finding = only(vec![at(100.0, 10.0), at(395.0, 14.0), stack]);
    let Cause::FixedConcurrency(fixed) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(fixed.places, 4.0);
}

#[test]
fn throughput_that_grows_with_the_load_is_no_finding() {
    let levels = vec![at(100.0, 10.0), at(200.0, 10.0), at(400.0, 11.0)];
    assert_eq!(causes(levels), []);
}

#[test]
fn places_that_were_never_all_in_use_are_no_finding() {
    let levels = vec![at(100.0, 10.0), at(390.0, 10.2), at(400.0, 10.3)];
    assert_eq!(causes(levels), []);
}

#[test]
fn flat_throughput_with_a_busy_cpu_is_not_a_fixed_concurrency() {
    let busy = || target(1, &[("a", 60.0, 0.0), ("b", 30.0, 0.0)]);
    let levels = vec![
        at(100.0, 10.0),
        with(level(400.0, 10.0), busy()),
        with(level(400.0, 40.0), busy()),
    ];
    assert_eq!(causes(levels), []);
}

#[test]
fn a_number_of_places_that_is_no_whole_number_is_no_finding() {
    // A link that carries 250 responses per second.
    let levels = vec![at(50.0, 10.0), at(250.0, 20.0), at(250.0, 60.0)];
    assert_eq!(causes(levels), []);
}
