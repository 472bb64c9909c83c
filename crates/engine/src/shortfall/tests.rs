use model::Nanos;
use record::{GeneratorUse, Iterations, Load, Phases, Timings};

use super::*;

/// A closed load of 10 users over 10 s. Each user sent `requests` requests.
fn closed(requests: u64, generator: GeneratorUse) -> Level {
    let mut timings = Timings::default();
    let time = Nanos::from_millis(1);
    (0..requests * 10).for_each(|_| timings.answered(time, time, false));
    let mut level = Level {
        load: Load {
            users: 10,
            groups: 5,
            ..Load::default()
        },
        phases: Phases {
            duration_s: 10.0,
            ..Phases::default()
        },
        generator,
        ..Level::default()
    };
    level.measured.requests.insert("GET /".to_owned(), timings);
    level.measured.iterations = Iterations {
        planned: 50,
        started: 50,
        succeeded: 50,
        ..Iterations::default()
    };
    level
}

fn delays(count: u64, delay: Nanos) -> Histogram {
    let mut delays = Histogram::default();
    delays.record_n(delay, count);
    delays
}

#[test]
fn users_are_slowed_by_late_readings_late_starts_and_the_quota() {
    let slowed = |requests, generator| slowed(&closed(requests, generator)).unwrap();
    let near =
        |found: f64, truth: f64| assert!((found - truth).abs() < 1e-6, "{found}, not {truth}");
    let read = |delay| GeneratorUse {
        read_delay: Some(delays(7, delay)),
        ..GeneratorUse::default()
    };
    // Each user's 1,000 responses were read 2 ms late, which takes 2 of 10 s.
    near(slowed(1_000, read(Nanos::from_millis(2))), 0.2);
    near(slowed(1_000, GeneratorUse::default()), 0.0);
    // 50 starts of groups of two were 40 ms late, which takes 4 of 100 user-seconds.
    let late = GeneratorUse {
        start_lag: delays(50, Nanos::from_millis(40)),
        ..GeneratorUse::default()
    };
    near(slowed(0, late), 0.04);
    let stopped = GeneratorUse {
        throttled_ms: Some(500.0),
        ..GeneratorUse::default()
    };
    near(slowed(0, stopped), 0.05);
}

#[test]
fn only_a_closed_load_is_slowed() {
    let read = GeneratorUse {
        read_delay: Some(delays(7, Nanos::from_millis(5))),
        busiest_worker_percent: Some(99.0),
        ..GeneratorUse::default()
    };
    let mut level = closed(1_000, read);
    assert_eq!(of(&level), Some(Shortfall::WorkerBusy { percent: 99.0 }));
    level.generator.busiest_worker_percent = Some(60.0);
    assert!(
        matches!(of(&level), Some(Shortfall::LoopSlowed { percent }) if (percent - 50.0).abs() < 1e-6)
    );
    level.load.rate_per_s = Some(1_000.0);
    assert_eq!(of(&level), None, "its starts wait for nobody");
}

#[test]
fn up_to_their_limits_a_busy_worker_and_a_slowed_loop_miss_nothing() {
    let read = GeneratorUse {
        read_delay: Some(delays(7, Nanos::from_millis(1))),
        busiest_worker_percent: Some(95.0),
        ..GeneratorUse::default()
    };
    // 10,000 responses were read 1 ms late, which takes 10 % of 100 user-seconds.
    assert_eq!(of(&closed(1_000, read)), None);
}

#[test]
fn a_load_that_is_made_once_is_slowed_by_its_share_of_the_iterations_themselves() {
    let late = GeneratorUse {
        start_lag: delays(50, Nanos::from_millis(40)),
        ..GeneratorUse::default()
    };
    let mut level = closed(1, late);
    level.load.once = true;
    // 50 starts of groups of two were 40 ms late. This takes 4 user-seconds of the iterations' 2 × 50 × 200 ms.
    let times = &mut level.measured.iterations.time;
    times.record_n(Nanos::from_millis(200), 50);
    let slowed = slowed(&level).unwrap();
    assert!((slowed - 0.2).abs() < 1e-6, "{slowed}");
}

#[test]
fn what_was_dropped_is_missing() {
    let mut level = closed(10, GeneratorUse::default());
    level.measured.iterations = Iterations {
        planned: 1_000,
        started: 990,
        dropped: 10,
        ..Iterations::default()
    };
    assert_eq!(of(&level), None, "one in a hundred");
    level.measured.iterations.dropped = 11;
    assert_eq!(
        of(&level),
        Some(Shortfall::StartsDropped {
            dropped: 11,
            planned: 1_000
        })
    );
    level.generator.dropped_queue = 3;
    assert_eq!(of(&level), Some(Shortfall::QueueDropped { dropped: 3 }));
}

#[test]
fn users_who_ask_nothing_of_the_target_make_all_of_their_load() {
    let slow = GeneratorUse {
        start_lag: delays(50, Nanos::from_secs(5)),
        ..GeneratorUse::default()
    };
    let mut level = closed(10, slow);
    assert!(of(&level).is_some(), "their requests came late");
    level.measured.requests.clear();
    assert_eq!(of(&level), None);
}

#[test]
fn the_load_of_a_level_that_lost_an_agent_was_not_the_planned_one() {
    let mut level = closed(10, GeneratorUse::default());
    level.issues = vec![record::LevelIssue::invalid(IssueCause::LostAgent {
        agent: "a-2".to_owned(),
        loss: record::AgentLoss::Silent,
        workers: 1,
    })];
    assert_eq!(of(&level), Some(Shortfall::AgentsLost { agents: 1 }));
}
