//! Tests limiters that queue requests before they refuse any, and servers with one worker and a queue. The responses of
//! both leave one by one at even intervals.

use model::Nanos;
use record::{Confidence, Evidence, Finding, Level, Run, Timings, Unknown};

use crate::simulated::{Chance, crowd};
use crate::statistics::{Refused, statistics};
use crate::{figure, is_near};

/// Queues up to 10 requests. Times are in seconds.
#[derive(Clone, Copy)]
struct Queue {
    per_s: f64,
    /// The time that a request takes after it has waited, relative to the interval between two.
    work: f64,
    /// The share of requests that are answered at once.
    cached: f64,
}

const LIMITER: Queue = Queue {
    per_s: 20.0,
    work: 0.0,
    cached: 0.0,
};
const WORKER: Queue = Queue {
    work: 1.0,
    ..LIMITER
};

/// A level of 30 s with this number of requests per second.
fn level(index: usize, queue: Queue, asked_per_s: f64, seed: u64) -> Level {
    let mut chance = Chance {
        share: 0.0,
        state: seed,
    };
    let (mut at, mut free_at) = (0.0_f64, 0.0_f64);
    let (mut refused, mut left) = (Vec::new(), Vec::new());
    let mut timings = Timings::default();
    let interval = 1.0 / queue.per_s;
    while at < 30.0 {
        let begins = free_at.max(at);
        let took = if chance.next() < queue.cached {
            left.push(at);
            Some(0.0)
        } else if begins - at <= 10.0 * interval {
            free_at = begins + interval;
            left.push(begins + queue.work * interval);
            Some(begins + queue.work * interval - at)
        } else {
            None
        };
        if let Some(took) = took {
            let took = Nanos::from_secs_f64(took + 0.001);
            timings.answered(took, took, false);
        } else {
            timings.answered(Nanos::from_millis(1), Nanos::from_millis(1), true);
            refused.push(Refused {
                at_s: at,
                passed: left.iter().filter(|left| **left <= at).count() as u64,
                wait_s: None,
            });
        }
        at -= (1.0 - chance.next()).ln() / asked_per_s;
    }
    let limited = statistics(&refused, 30.0, left.len() as u64);
    let mut level = crowd(50, asked_per_s, 30.0).level(index, limited);
    level.measured.requests = [("GET /".to_owned(), timings)].into();
    level
}

fn found(levels: Vec<Level>) -> Option<Finding> {
    let run = Run {
        levels,
        ..Run::default()
    };
    capacity::findings(&run)
        .into_iter()
        .find(|finding| matches!(finding.cause, record::Cause::RateLimiter(_)))
}

fn asks_about_a_worker(finding: &Finding) -> bool {
    let mut open = finding.unknown.iter();
    open.any(|open| matches!(open, Unknown::OneWorker { .. }))
}

#[test]
fn a_limiter_that_queues_is_known_by_the_request_that_did_not_wait() {
    for per_s in [5.0, 20.0] {
        let queue = Queue { per_s, ..LIMITER };
        for seed in 1..20 {
            let finding = found(vec![level(0, queue, 200.0, seed)]);
            let finding = finding.unwrap_or_else(|| panic!("{per_s}/s, seed {seed}"));
            assert!(is_near(figure(&finding, "rate_per_s"), per_s, 0.1));
            assert_eq!(finding.confidence, Confidence::Low);
            assert!(asks_about_a_worker(&finding), "{finding:#?}");
            let outpaced = |seen: &Evidence| match *seen {
                Evidence::Outpaced { took_s, apart_s } => Some((took_s, apart_s)),
                _ => None,
            };
            let outpaced = finding.evidence.iter().find_map(outpaced).unwrap();
            assert!(is_near(outpaced.0, 0.001, 0.01), "{outpaced:?}");
            assert!(is_near(outpaced.1, 1.0 / per_s, 0.1), "{outpaced:?}");
        }
    }
}

/// The same level, of which the first second was not measured.
fn warmed_up(mut level: Level, queue: Queue) -> Level {
    let interval = Nanos::from_secs_f64(1.0 / queue.per_s);
    let timings = level.measured.requests.remove("GET /").unwrap_or_default();
    let mut steady = Timings::default();
    let passed = timings.response.without(&timings.failed_response);
    for (time, count) in passed.bins().filter(|(time, _)| *time > interval) {
        (0..count).for_each(|_| steady.answered(time, time, false));
    }
    for (time, count) in timings.failed_response.bins() {
        (0..count).for_each(|_| steady.answered(time, time, true));
    }
    level.measured.before.quickest = passed.min();
    level.measured.requests = [("GET /".to_owned(), steady)].into();
    level
}

#[test]
fn the_request_that_did_not_wait_may_be_one_of_the_warm_up() {
    let warm = |queue| warmed_up(level(0, queue, 200.0, 1), queue);
    let finding = found(vec![warm(LIMITER)]).unwrap();
    assert!(asks_about_a_worker(&finding), "{finding:#?}");
    assert_eq!(found(vec![warm(WORKER)]), None);
}

#[test]
fn quick_requests_at_a_lower_load_show_that_a_limiter_queues() {
    let levels = |queue| vec![level(0, queue, 5.0, 3), level(1, queue, 200.0, 3)];
    let finding = found(levels(LIMITER)).unwrap();
    assert_eq!(finding.confidence, Confidence::High);
    assert!(!asks_about_a_worker(&finding), "{finding:#?}");
    assert_eq!(found(levels(WORKER)), None);
}

#[test]
fn a_worker_with_a_queue_is_no_limiter() {
    for per_s in [5.0, 20.0] {
        for seed in 1..20 {
            let worker = Queue { per_s, ..WORKER };
            assert_eq!(found(vec![level(0, worker, 200.0, seed)]), None);
            let cached = Queue {
                cached: 0.002,
                ..worker
            };
            assert_eq!(found(vec![level(0, cached, 200.0, seed)]), None);
        }
    }
}

#[test]
fn quick_times_of_something_else_are_no_evidence() {
    let quick = |failed| {
        let mut timings = Timings::default();
        (0..2).for_each(|_| timings.answered(Nanos::from_millis(1), Nanos::from_millis(1), failed));
        timings
    };
    // Requests that were never refused.
    let mut with_others = level(0, WORKER, 200.0, 3);
    with_others
        .measured
        .requests
        .insert("GET /health".to_owned(), quick(false));
    assert_eq!(found(vec![with_others]), None);
    // Failures of an older record, whose times cannot be told from those of successes.
    let mut failing = level(0, WORKER, 5.0, 3);
    let mut failed = quick(true);
    failed.failed_response = stats::Histogram::default();
    failing.measured.requests = [("GET /".to_owned(), failed)].into();
    assert_eq!(found(vec![failing, level(1, WORKER, 200.0, 3)]), None);
}
