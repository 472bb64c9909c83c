use model::{LossReason, MisdeliveryReason, Nanos};
use plan::Subject;
use record::{
    Counted, CountedKind, Deliveries, IssueCause, Iterations, LevelIssue, Little, Load, Measured,
    Metric, MetricKind, Phases, Shortfall, Timings,
};

use super::*;

mod carried;
mod figures;
mod levels;
mod own_failures;
mod percentiles;
mod refused;

fn threshold(subject: &str, condition: &str) -> Threshold {
    Threshold::parse(&Subject::parse(subject).unwrap(), condition).unwrap()
}

fn judged(level: &Level, subject: &str, condition: &str) -> ThresholdResult {
    result(&threshold(subject, condition), level)
}

fn why(level: &Level, subject: &str, condition: &str) -> Inconclusive {
    let result = judged(level, subject, condition);
    result
        .inconclusive
        .unwrap_or_else(|| panic!("{subject}: {condition}: {result:?}"))
}

fn held(level: &Level, subject: &str, condition: &str) -> Option<bool> {
    judged(level, subject, condition).held
}

fn level(measured: Measured) -> Level {
    Level {
        load: Load {
            users: 20,
            groups: 20,
            ..Load::default()
        },
        phases: Phases {
            duration_s: 10.0,
            ..Phases::default()
        },
        measured,
        ..Level::default()
    }
}

/// The same level, in which the generator was the limit.
fn invalid(level: Level) -> Level {
    Level {
        issues: vec![LevelIssue::invalid(IssueCause::NotMeasured)],
        ..level
    }
}

fn named<T>(name: &str, one: T) -> std::collections::BTreeMap<String, T> {
    [(name.to_owned(), one)].into()
}

/// `fast` responses of 5 ms, and `slow` ones of 500 ms.
fn timings(fast: u64, slow: u64) -> Timings {
    let mut timings = Timings::default();
    for (count, ms) in [(fast, 5), (slow, 500)] {
        let time = Nanos::from_millis(ms);
        (0..count).for_each(|_| timings.answered(time, time, false));
    }
    timings
}

fn requests(fast: u64, slow: u64) -> Level {
    level(Measured {
        requests: named("GET /", timings(fast, slow)),
        ..Measured::default()
    })
}

/// Conditions that would hold if missing data counted as 0.
const KEPT_BY_ZEROS: [(&str, &[&str]); 11] = [
    (
        "requests",
        &[
            "failed == 0",
            "failed < 1%",
            "count <= 5",
            "rate < 5",
            "p95 < 1s",
            "mean < 1s",
            "max < 1s",
        ],
    ),
    (
        "roundTrip(x)",
        &[
            "failed == 0",
            "failed < 1%",
            "count <= 5",
            "rate < 5",
            "p95 < 1s",
            "min < 1s",
        ],
    ),
    ("connections", &["failed == 0", "failed < 1%", "count != 5"]),
    (
        "step(x)",
        &[
            "failed == 0",
            "failed < 1%",
            "reached <= 3",
            "reached < 50%",
            "p99 < 1s",
        ],
    ),
    (
        "iterations",
        &[
            "failed == 0",
            "failed < 1%",
            "dropped == 0",
            "dropped < 1%",
            "p95 < 1s",
            "count < 5",
        ],
    ),
    (
        "delivery(x)",
        &[
            "lost == 0",
            "lost < 1%",
            "late == 0",
            "duplicated == 0",
            "reordered == 0",
            "misdelivered == 0",
            "misdelivered < 1%",
            "delivered >= 99%",
            "p95 < 1s",
            "max < 1s",
            "count < 5",
        ],
    ),
    (
        "deliveries",
        &["lost == 0", "duplicated == 0", "misdelivered == 0"],
    ),
    ("checks", &["failed == 0", "failed < 1%", "count < 5"]),
    (
        "converged",
        &[
            "diverged == 0",
            "unknown == 0",
            "diverged < 1%",
            "converged >= 99%",
            "count < 5",
        ],
    ),
    (
        "metric(x)",
        &[
            "count == 0",
            "count < 5",
            "rate < 5",
            "p95 < 5",
            "max < 5",
            "mean < 5",
        ],
    ),
    ("target", &["cpu < 80%", "memory < 1GB"]),
];

#[test]
fn no_data_never_holds_a_threshold() {
    let nothing = level(Measured::default());
    // Every figure exists, but all counts are 0: nobody listened, nothing was sent, nothing ended.
    let zeros = level(Measured {
        requests: named("x", Timings::default()),
        round_trips: named("x", Timings::default()),
        connections: named("x", Timings::default()),
        steps: named("x", Timings::default()),
        deliveries: named(
            "x",
            Deliveries {
                messages: 40,
                ..Deliveries::default()
            },
        ),
        converged: named("x", record::Convergence::default()),
        checks: named("x", record::Check::default()),
        metrics: named("x", Metric::new(MetricKind::Counter)),
        ..Measured::default()
    });
    for level in [&nothing, &zeros] {
        for (subject, conditions) in KEPT_BY_ZEROS {
            for condition in conditions {
                let found = judged(level, subject, condition);
                assert_eq!(found.held, None, "{subject}: {condition}: {found:?}");
                assert_eq!(
                    found.inconclusive,
                    Some(Inconclusive::NoData),
                    "{subject}: {condition}"
                );
            }
        }
    }
    assert_eq!(
        held(&zeros, "requests", "count >= 500"),
        Some(false),
        "nothing is too few"
    );
}

#[test]
fn what_was_seen_without_an_audience_still_breaks() {
    let mut channel = Deliveries {
        messages: 1,
        ..Deliveries::default()
    };
    channel
        .misdelivered
        .insert(MisdeliveryReason::AnotherGroup, 2);
    let level = level(Measured {
        deliveries: named("x", channel),
        ..Measured::default()
    });
    assert_eq!(held(&level, "deliveries", "misdelivered == 0"), Some(false));
    assert_eq!(why(&level, "deliveries", "lost == 0"), Inconclusive::NoData);
}

#[test]
fn what_is_in_flight_may_still_fail() {
    let mut open = timings(300, 0);
    (0..3).for_each(|_| open.left_open(Nanos::from_millis(40)));
    let level = level(Measured {
        requests: named("GET /", open),
        ..Measured::default()
    });
    let in_flight = Inconclusive::InFlight { open: 3 };
    assert_eq!(why(&level, "requests", "failed == 0"), in_flight);
    assert_eq!(why(&level, "requests", "failed < 0.5%"), in_flight);
    assert_eq!(
        held(&level, "requests", "failed < 2%"),
        Some(true),
        "3 of 303 at most"
    );
    assert_eq!(why(&level, "requests", "max < 100ms"), in_flight);
    assert_eq!(
        held(&level, "requests", "max < 30ms"),
        Some(false),
        "they are older than that"
    );
    assert_eq!(
        held(&level, "requests", "p95 < 100ms"),
        Some(true),
        "3 of 303 at most"
    );
    assert_eq!(why(&level, "requests", "count <= 301"), in_flight);
    assert_eq!(held(&level, "requests", "count >= 300"), Some(true));
}

#[test]
fn groups_that_did_not_say_what_they_hold_are_of_neither_kind() {
    let groups = record::Convergence {
        converged: 8,
        diverged: 0,
        unknown: 2,
    };
    let level = level(Measured {
        converged: named("doc", groups),
        ..Measured::default()
    });
    let unsaid = Inconclusive::GroupsUnknown { groups: 2 };
    assert_eq!(why(&level, "converged", "diverged == 0"), unsaid);
    assert_eq!(why(&level, "converged", "converged >= 90%"), unsaid);
    assert_eq!(held(&level, "converged", "converged >= 80%"), Some(true));
    assert_eq!(held(&level, "converged", "unknown == 0"), Some(false));
}

#[test]
fn what_was_cut_off_leaves_open_only_what_it_could_have_changed() {
    let of = |condition: &str, delivered: u64, lost: u64, cut_off: u64| {
        let channel = Deliveries {
            messages: 100,
            expected: delivered + lost + cut_off,
            delivered,
            lost: [(LossReason::NeverSeen, lost)].into(),
            cut_off: record::CutOff {
                iteration_failed: cut_off,
                ..record::CutOff::default()
            },
            ..Deliveries::default()
        };
        let deliveries = named("said", channel);
        let level = level(Measured {
            deliveries,
            ..Measured::default()
        });
        held(&level, "delivery(said)", condition)
    };
    assert_eq!(of("lost == 0", 100, 0, 0), Some(true));
    assert_eq!(of("lost == 0", 90, 0, 10), None);
    assert_eq!(
        of("lost == 0", 80, 10, 10),
        Some(false),
        "whatever the rest is"
    );
    assert_eq!(
        of("lost < 20%", 90, 0, 10),
        Some(true),
        "whatever the rest is"
    );
    assert_eq!(of("delivered >= 95%", 90, 0, 10), None);
    assert_eq!(of("late == 0", 90, 0, 10), None);
    assert_eq!(of("duplicated == 0", 90, 0, 10), Some(true));
}

#[test]
fn what_arrived_where_nobody_looks_is_not_held_against_the_target() {
    let mut channel = Deliveries {
        messages: 100,
        expected: 100,
        lost: [(LossReason::NeverSeen, 100)].into(),
        ..Deliveries::default()
    };
    channel.misplaced.lost = 100;
    let deliveries = named("said", channel);
    let level = level(Measured {
        deliveries,
        ..Measured::default()
    });
    let open = Inconclusive::DeliveriesOpen { deliveries: 100 };
    assert_eq!(why(&level, "delivery(said)", "lost == 0"), open);
    assert_eq!(why(&level, "delivery(said)", "delivered >= 99%"), open);
    for condition in ["duplicated == 0", "reordered == 0", "misdelivered == 0"] {
        let why = why(&level, "delivery(said)", condition);
        assert_eq!(why, Inconclusive::NoData, "{condition}");
    }
}

/// 200 latencies of 10 ms, which two clocks measured.
#[test]
fn a_threshold_that_the_error_of_clocks_could_decide_is_inconclusive() {
    let of = |clock_error_ms: Option<f64>, condition: &str| {
        let mut channel = Deliveries {
            messages: 200,
            expected: 200,
            delivered: 200,
            clock_error_ms,
            ..Deliveries::default()
        };
        for times in [&mut channel.latency, &mut channel.first, &mut channel.last] {
            (0..200).for_each(|_| times.record(Nanos::from_millis(10)));
        }
        let level = level(Measured {
            deliveries: named("said", channel),
            ..Measured::default()
        });
        judged(&level, "delivery(said)", condition)
    };
    for (condition, held) in [("p95 < 15ms", true), ("p95 < 5ms", false)] {
        assert_eq!(of(None, condition).held, Some(held));
        assert_eq!(of(Some(4.0), condition).held, Some(held));
        let undecided = of(Some(6.0), condition);
        assert_eq!(undecided.held, None);
        let error = Inconclusive::ClockError { error_ms: 6.0 };
        assert_eq!(undecided.inconclusive, Some(error));
    }
    // An error of the clocks loses nothing.
    assert_eq!(of(Some(1e6), "lost == 0").held, Some(true));
}

#[test]
fn each_result_states_what_its_threshold_limits() {
    let level = requests(100, 0);
    for (subject, condition, limits) in [
        ("requests", "p95 < 1s", Limits::Latency),
        ("requests", "mean < 1s", Limits::Latency),
        ("iterations", "min < 1s", Limits::Latency),
        ("deliveries", "max < 1s", Limits::Latency),
        ("requests", "failed == 0", Limits::Failures),
        ("deliveries", "lost == 0", Limits::Losses),
        ("deliveries", "delivered >= 99%", Limits::Losses),
        ("deliveries", "late == 0", Limits::Other),
        ("requests", "count >= 5", Limits::Other),
    ] {
        let stated = judged(&level, subject, condition).limits;
        assert_eq!(stated, Some(limits), "{subject}: {condition}");
    }
}
