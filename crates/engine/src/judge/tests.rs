use plan::Subject;
use record::{
    Counted, CountedKind, Deliveries, Iterations, Little, Load, Measured, Metric, MetricKind,
    Phases, Shortfall, Timings,
};

use super::*;

fn threshold(subject: &str, condition: &str) -> Threshold {
    Threshold::parse(&Subject::parse(subject).unwrap(), condition).unwrap()
}

fn judged(level: &Level, subject: &str, condition: &str) -> ThresholdResult {
    result(&threshold(subject, condition), level)
}

fn why(level: &Level, subject: &str, condition: &str) -> Undecided {
    let result = judged(level, subject, condition);
    result
        .undecided
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
            hold_s: 10.0,
            ..Phases::default()
        },
        sound: true,
        measured,
        ..Level::default()
    }
}

fn named<T>(name: &str, one: T) -> std::collections::BTreeMap<String, T> {
    [(name.to_owned(), one)].into()
}

/// So many of 5 ms, and so many of 500 ms.
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

/// Every condition that zeros would keep.
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
        "exchange(x)",
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
            "strayed == 0",
            "strayed < 1%",
            "delivered >= 99%",
            "p95 < 1s",
            "max < 1s",
            "count < 5",
        ],
    ),
    (
        "deliveries",
        &["lost == 0", "duplicated == 0", "strayed == 0"],
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
    // Everything was named, and nothing ever happened: nobody listened, nothing was sent, nothing ended.
    let zeros = level(Measured {
        requests: named("x", Timings::default()),
        exchanges: named("x", Timings::default()),
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
                    found.undecided,
                    Some(Undecided::NoData),
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
    channel.strayed.insert("another group".to_owned(), 2);
    let level = level(Measured {
        deliveries: named("x", channel),
        ..Measured::default()
    });
    assert_eq!(held(&level, "deliveries", "strayed == 0"), Some(false));
    assert_eq!(why(&level, "deliveries", "lost == 0"), Undecided::NoData);
}

#[test]
fn what_is_in_flight_may_still_fail() {
    let mut open = timings(300, 0);
    (0..3).for_each(|_| open.left_open(Nanos::from_millis(40)));
    let level = level(Measured {
        requests: named("GET /", open),
        ..Measured::default()
    });
    let in_flight = Undecided::InFlight { open: 3 };
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
    let unsaid = Undecided::GroupsUnknown { groups: 2 };
    assert_eq!(why(&level, "converged", "diverged == 0"), unsaid);
    assert_eq!(why(&level, "converged", "converged >= 90%"), unsaid);
    assert_eq!(held(&level, "converged", "converged >= 80%"), Some(true));
    assert_eq!(held(&level, "converged", "unknown == 0"), Some(false));
}

#[test]
fn fifty_nine_values_within_the_limit_show_a_p95() {
    let fast = |count| judged(&requests(count, 0), "requests", "p95 < 100ms");
    let shown = fast(59);
    assert_eq!(
        (shown.held, shown.observed),
        (Some(true), None),
        "the percentile itself has too few"
    );
    let counted = Counted {
        beyond: 0,
        of: 59,
        what: CountedKind::Values,
    };
    assert_eq!(shown.counted, Some(counted));
    assert_eq!(
        fast(58).undecided,
        Some(Undecided::TooFewSamples { have: 58, need: 59 })
    );
    assert_eq!(
        fast(12).undecided,
        Some(Undecided::TooFewSamples { have: 12, need: 59 })
    );
    let one_slow = judged(&requests(58, 1), "requests", "p95 < 100ms");
    let Some(Undecided::TooFewSamples { have: 59, need }) = one_slow.undecided else {
        panic!("{one_slow:?}")
    };
    assert!((93..=200).contains(&need), "{need}");
    assert_eq!(
        held(&requests(2, 3), "requests", "p95 < 100ms"),
        Some(false),
        "3 of 5 is no chance"
    );
    assert_eq!(
        held(&requests(0, 5), "requests", "p50 > 100ms"),
        Some(true),
        "lower limits alike"
    );
    assert_eq!(
        held(&requests(5, 0), "requests", "p50 > 100ms"),
        Some(false)
    );
}

#[test]
fn with_samples_enough_the_percentile_itself_decides() {
    let p95 = |slow| judged(&requests(1_000 - slow, slow), "requests", "p95 < 100ms");
    let (within, beyond) = (p95(50), p95(51));
    assert_eq!((within.held, beyond.held), (Some(true), Some(false)));
    assert!(within.observed < Some(5.1e6), "{within:?}");
    assert!(beyond.observed > Some(499e6), "{beyond:?}");
    assert_eq!(within.counted, None);
}

/// The figure that is shown and what is said of it, for every number of slow ones.
#[test]
fn verdict_and_percentile_never_disagree() {
    for all in [20_u64, 59, 100, 199, 200, 201, 400] {
        for slow in 0..=all {
            let level = requests(all - slow, slow);
            for condition in ["p95 < 100ms", "p95 > 100ms", "p50 <= 100ms", "p50 >= 100ms"] {
                let result = judged(&level, "requests", condition);
                if let Some(observed) = result.observed {
                    let holds = threshold("requests", condition).holds(observed);
                    assert_eq!(result.held, Some(holds), "{slow} of {all}: {condition}");
                }
            }
        }
    }
}

/// Messages to 50 receivers each; of `slow` of them every delivery takes 500 ms, of `mixed` only the last.
fn fan_out(messages: u64, slow: u64, mixed: u64) -> Level {
    let (fast_ms, slow_ms) = (Nanos::from_millis(5), Nanos::from_millis(500));
    let mut all = Deliveries {
        messages,
        expected: messages * 3,
        delivered: messages * 3,
        ..Deliveries::default()
    };
    for message in 0..messages {
        let first = if message < slow { slow_ms } else { fast_ms };
        let last = if message < slow + mixed {
            slow_ms
        } else {
            fast_ms
        };
        all.first.record(first);
        all.median.record(first);
        all.last.record(last);
        all.latency.record_n(first, 2);
        all.latency.record(last);
    }
    level(Measured {
        deliveries: named("said", all),
        ..Measured::default()
    })
}

#[test]
fn deliveries_of_one_message_count_once() {
    let judge = |level: &Level| judged(level, "delivery(said)", "p95 < 100ms");
    // 3 × 40 deliveries would be enough, 40 messages are not.
    assert_eq!(
        judge(&fan_out(40, 0, 0)).undecided,
        Some(Undecided::TooFewSamples { have: 40, need: 59 })
    );
    let shown = judge(&fan_out(59, 0, 0));
    assert_eq!(shown.held, Some(true));
    let counted = Counted {
        beyond: 0,
        of: 59,
        what: CountedKind::Messages,
    };
    assert_eq!(shown.counted, Some(counted));
    assert_eq!(
        judge(&fan_out(5, 4, 0)).held,
        Some(false),
        "four messages that reached nobody in time"
    );
    // Late for the last receiver only: that alone breaks nothing, and shows nothing.
    assert_eq!(judge(&fan_out(59, 0, 20)).held, None);
}

#[test]
fn a_message_that_not_all_received_has_no_last_receiver_in_time() {
    let mut level = fan_out(59, 0, 0);
    let channel = level.measured.deliveries.get_mut("said").unwrap();
    channel.last = stats::Histogram::default();
    channel.last.record_n(Nanos::from_millis(5), 58);
    assert_eq!(held(&level, "delivery(said)", "p95 < 100ms"), None);
}

/// A closed load of 2,000 users with think time, as one of the reports had it.
fn lagging(lag_ms: u64, response_ms: u64) -> Level {
    let mut level = requests(0, 0);
    let time = Nanos::from_millis(response_ms);
    let mut timings = Timings::default();
    (0..20_000).for_each(|_| timings.answered(time, time, false));
    level.measured.requests = named("GET /", timings);
    level.measured.iterations = Iterations {
        planned: 20_000,
        started: 20_000,
        succeeded: 20_000,
        ..Iterations::default()
    };
    (level.load.users, level.load.groups) = (2_000, 2_000);
    level
        .generator
        .start_lag
        .record_n(Nanos::from_millis(lag_ms), 20_000);
    let doubts = crate::soundness::doubts(&level);
    level.sound = doubts.not_sound.is_empty();
    level
}

#[test]
fn a_late_start_cannot_make_an_upper_limit_hold() {
    let level = lagging(3, 2);
    assert!(!level.sound, "3 ms of lag beside responses of 2 ms");
    assert_eq!(
        held(&level, "requests", "p95 < 50ms"),
        Some(true),
        "the limit held all the same"
    );
    assert_eq!(held(&level, "requests", "failed == 0"), Some(true));
    assert_eq!(held(&level, "requests", "rate >= 2000/s"), Some(true));
    assert_eq!(
        why(&level, "requests", "p95 < 1ms"),
        Undecided::InvalidLevel,
        "what broke may be the lag"
    );
    assert_eq!(
        why(&level, "requests", "p50 > 1ms"),
        Undecided::InvalidLevel,
        "lag keeps a lower limit"
    );
    assert_eq!(
        why(&level, "requests", "rate > 3000/s"),
        Undecided::InvalidLevel
    );
}

#[test]
fn a_limit_holds_only_for_the_load_that_was_planned() {
    let mut open = requests(1_000, 0);
    open.load.rate_per_s = Some(100.0);
    open.measured.iterations = Iterations {
        planned: 1_000,
        started: 1_000,
        succeeded: 1_000,
        ..Iterations::default()
    };
    assert_eq!(held(&open, "requests", "p95 < 50ms"), Some(true));
    open.measured.iterations.dropped = 200;
    open.measured.iterations.started = 800;
    let shortfall = Shortfall::StartsDropped {
        dropped: 200,
        planned: 1_000,
    };
    for condition in ["p95 < 50ms", "failed == 0", "rate <= 200/s"] {
        assert_eq!(
            why(&open, "requests", condition),
            Undecided::LessLoad { shortfall },
            "{condition}"
        );
    }
    assert_eq!(
        held(&open, "requests", "rate >= 50/s"),
        Some(true),
        "less load keeps no lower limit"
    );
    assert_eq!(
        held(&open, "requests", "p95 < 1ms"),
        Some(false),
        "what breaks with less load breaks"
    );
    assert_eq!(held(&open, "iterations", "dropped < 50%"), Some(true));
}

#[test]
fn a_few_dropped_starts_count_as_beyond_the_limit() {
    let mut open = requests(960, 40);
    open.load.rate_per_s = Some(100.0);
    open.measured.iterations = Iterations {
        planned: 1_005,
        started: 1_000,
        dropped: 5,
        ..Iterations::default()
    };
    assert_eq!(
        held(&open, "requests", "p95 < 50ms"),
        Some(true),
        "45 of 1,005 at most"
    );
    open.measured.requests = named("GET /", timings(951, 49));
    assert!(
        matches!(
            why(&open, "requests", "p95 < 50ms"),
            Undecided::LessLoad { .. }
        ),
        "54 of 1,005 at most"
    );
}

#[test]
fn a_level_whose_figures_contradict_each_other_shows_nothing() {
    let mut level = requests(1_000, 0);
    level.sound = false;
    level.little = Some(Little {
        at_work: 10.0,
        per_s: 100.0,
        time_s: 0.05,
        holds: false,
    });
    assert_eq!(
        why(&level, "requests", "p95 < 50ms"),
        Undecided::InvalidLevel
    );
    assert_eq!(
        why(&level, "requests", "count >= 5"),
        Undecided::InvalidLevel
    );
}

fn run_of(level: Level, thresholds: &[Threshold]) -> Run {
    let levels = vec![level];
    Run {
        thresholds: super::thresholds(thresholds, &levels),
        levels,
        ..Run::default()
    }
}

#[test]
fn a_valid_pass_stands_on_an_invalid_level() {
    let weak = || Level {
        sound: false,
        ..requests(1_000, 0)
    };
    let of = |condition: &str| verdict(&run_of(weak(), &[threshold("requests", condition)]));
    assert_eq!(of("p95 < 50ms"), Verdict::Passed);
    assert_eq!(of("p95 < 1ms"), Verdict::Inconclusive);
    assert_eq!(
        verdict(&run_of(weak(), &[])),
        Verdict::Inconclusive,
        "nobody said what the figures are for"
    );
}

#[test]
fn a_promise_that_no_level_is_within_reach_of_is_not_kept() {
    let run = run_of(
        requests(1_000, 0),
        &[threshold("requests", "p95 < 50ms up to 10 users")],
    );
    assert_eq!(run.thresholds[0].undecided, Some(Undecided::OutOfReach));
    assert_eq!(verdict(&run), Verdict::Inconclusive);
}

#[test]
fn a_run_in_which_no_iteration_succeeded_never_passes() {
    let of = |succeeded, failed, unfinished| {
        let mut level = requests(60, 0);
        level.measured.iterations = Iterations {
            planned: 60,
            started: 60,
            succeeded,
            failed,
            unfinished,
            ..Iterations::default()
        };
        verdict(&run_of(level, &[]))
    };
    assert_eq!(of(0, 57, 3), Verdict::Inconclusive);
    assert_eq!(of(0, 0, 60), Verdict::Inconclusive);
    assert_eq!(of(1, 0, 59), Verdict::Passed);
    assert_eq!(of(0, 60, 0), Verdict::Failed);
}
