//! Tests which conditions a level supports if its load was less than planned or its generator was weak.

use super::*;

/// A level whose figures meet every condition below.
fn measured_well() -> Level {
    let mut level = requests(1_000, 0);
    let measured = &mut level.measured;
    let few_failed = Timings {
        failed: 3,
        ..measured.requests["GET /"].clone()
    };
    measured.round_trips = named("ask", few_failed);
    measured.iterations = Iterations {
        planned: 1_000,
        started: 1_000,
        succeeded: 1_000,
        ..Iterations::default()
    };
    measured.deliveries = named(
        "said",
        Deliveries {
            messages: 100,
            expected: 100,
            delivered: 100,
            ..Deliveries::default()
        },
    );
    measured.converged = named(
        "doc",
        record::Convergence {
            converged: 10,
            ..record::Convergence::default()
        },
    );
    level.target = Some(record::TargetUse {
        cpu_percent: Some(50.0),
        memory_mb_max: Some(10.0),
        ..record::TargetUse::default()
    });
    level
}

/// Conditions that would also hold with more load.
const WHATEVER_THE_LOAD: [(&str, &str); 4] = [
    ("requests", "count >= 5"),
    ("requests", "rate > 5/s"),
    ("iterations", "dropped < 50%"),
    ("iterations", "dropped != 7"),
];

/// Conditions that would also hold with a perfect generator, if the target had the same load.
const WITH_THE_PLANNED_LOAD: [(&str, &str); 11] = [
    ("requests", "p95 < 50ms"),
    ("requests", "mean < 50ms"),
    ("requests", "failed == 0"),
    ("requests", "failed < 1%"),
    ("requests", "count <= 5000"),
    ("requests", "count == 1000"),
    ("deliveries", "delivered >= 99%"),
    ("converged", "converged == 10"),
    ("deliveries", "lost == 0"),
    ("target", "cpu < 80%"),
    ("target", "memory < 1GB"),
];

/// Conditions that may hold only because the generator was weak.
const ON_A_VALID_LEVEL: [(&str, &str); 9] = [
    ("requests", "p50 > 1ms"),
    ("requests", "failed != 7"),
    ("roundTrips", "failed == 3"),
    ("roundTrips", "failed > 0"),
    ("requests", "count != 5"),
    ("deliveries", "delivered <= 100"),
    ("deliveries", "lost != 5"),
    ("target", "cpu > 10%"),
    ("target", "memory > 1MB"),
];

fn assert_each(level: &Level, conditions: &[(&str, &str)], inconclusive: Option<Inconclusive>) {
    for (subject, condition) in conditions {
        let found = judged(level, subject, condition);
        assert_eq!(found.inconclusive, inconclusive, "{subject}: {condition}");
        let held = inconclusive.is_none().then_some(true);
        assert_eq!(found.held, held, "{subject}: {condition}");
    }
}

#[test]
fn what_holds_on_an_invalid_level_is_what_its_generator_made_harder() {
    let level = invalid(measured_well());
    assert_each(&level, &WHATEVER_THE_LOAD, None);
    assert_each(&level, &WITH_THE_PLANNED_LOAD, None);
    let inconclusive = Inconclusive::InvalidLevel;
    assert_each(&level, &ON_A_VALID_LEVEL, Some(inconclusive));
}

#[test]
fn what_holds_with_less_load_is_what_more_would_not_break() {
    let mut level = measured_well();
    level.generator.dropped_queue = 3;
    assert_each(&level, &WHATEVER_THE_LOAD, None);
    let shortfall = Shortfall::QueueDropped { dropped: 3 };
    let less = Inconclusive::LessLoad { shortfall };
    assert_each(&level, &WITH_THE_PLANNED_LOAD, Some(less));
    assert_each(&level, &ON_A_VALID_LEVEL, None);
}

/// 1,000 responses of 5 ms to 20 users in 10 s, so that each millisecond of delay takes 0.5 % of the users' time.
fn read_late(delay: Nanos) -> Level {
    let mut level = requests(1_000, 0);
    let mut delays = stats::Histogram::default();
    delays.record_n(delay, 1_000);
    level.generator.read_delay = Some(delays);
    level
}

#[test]
fn a_limit_on_times_holds_with_as_much_to_spare_as_the_generator_slowed_its_users_down() {
    let (ms, us) = (Nanos::from_millis, Nanos::from_micros);
    let slowed = |percent| {
        let shortfall = Shortfall::LoopSlowed { percent };
        Some(Inconclusive::LessLoad { shortfall })
    };
    for (delay, condition, inconclusive) in [
        // Users waited for 20 % of their time, so 5 ms must be less than 80 % of the limit.
        (ms(40), "p95 < 7ms", None),
        (ms(40), "p95 < 6ms", slowed(20.0)),
        (ms(40), "mean < 6ms", slowed(20.0)),
        // Shares of 1 % or more count.
        (ms(10), "p95 < 5.2ms", slowed(5.0)),
        (ms(10), "p95 < 5.4ms", None),
        (ms(2), "p95 < 5.01ms", slowed(1.0)),
        (us(1_900), "p95 < 5.01ms", None),
        // At most half of the users' time is accepted.
        (ms(100), "p95 < 1s", None),
        (ms(120), "p95 < 1s", slowed(60.0)),
    ] {
        let found = judged(&read_late(delay), "requests", condition);
        assert_eq!(found.inconclusive, inconclusive, "{delay}: {condition}");
        let held = inconclusive.is_none().then_some(true);
        assert_eq!(found.held, held, "{delay}: {condition}");
    }
}

#[test]
fn a_limit_on_times_that_a_busy_worker_may_have_kept_is_inconclusive() {
    let mut level = requests(1_000, 0);
    level.generator.busiest_worker_percent = Some(99.0);
    let shortfall = Shortfall::WorkerBusy { percent: 99.0 };
    let less = Inconclusive::LessLoad { shortfall };
    assert_eq!(why(&level, "requests", "p95 < 50ms"), less);
}
