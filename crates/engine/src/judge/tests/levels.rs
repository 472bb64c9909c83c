//! Tests which results count in a level whose generator was weak, and the verdict of the run.

use super::*;

/// A closed load of 2,000 users with think time, as in one of the published reports.
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
    level.issues = crate::validity::issues(&level, &[]);
    level
}

#[test]
fn a_late_start_cannot_make_an_upper_limit_hold() {
    let level = lagging(3, 2);
    assert!(level.is_invalid(), "3 ms of lag beside responses of 2 ms");
    assert_eq!(
        held(&level, "requests", "p95 < 50ms"),
        Some(true),
        "the limit held all the same"
    );
    assert_eq!(held(&level, "requests", "failed == 0"), Some(true));
    assert_eq!(held(&level, "requests", "rate >= 2000/s"), Some(true));
    assert_eq!(
        why(&level, "requests", "p95 < 1ms"),
        Inconclusive::InvalidLevel,
        "what broke may be the lag"
    );
    assert_eq!(
        why(&level, "requests", "p50 > 1ms"),
        Inconclusive::InvalidLevel,
        "lag keeps a lower limit"
    );
    assert_eq!(
        why(&level, "requests", "rate > 3000/s"),
        Inconclusive::InvalidLevel
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
            Inconclusive::LessLoad { shortfall },
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
    open.measured.requests = named("GET /", timings(955, 45));
    assert_eq!(
        held(&open, "requests", "p95 < 50ms"),
        Some(true),
        "50 of 1,005 at most"
    );
    open.measured.requests = named("GET /", timings(951, 49));
    assert!(
        matches!(
            why(&open, "requests", "p95 < 50ms"),
            Inconclusive::LessLoad { .. }
        ),
        "54 of 1,005 at most"
    );
}

#[test]
fn a_level_whose_figures_contradict_each_other_shows_nothing() {
    let mut level = invalid(requests(1_000, 0));
    level.little = Some(Little {
        at_work: 10.0,
        per_s: 100.0,
        time_s: 0.05,
        holds: false,
    });
    assert_eq!(
        why(&level, "requests", "p95 < 50ms"),
        Inconclusive::InvalidLevel
    );
    assert_eq!(
        why(&level, "requests", "count >= 5"),
        Inconclusive::InvalidLevel
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
    let weak = || invalid(requests(1_000, 0));
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
fn a_threshold_whose_scope_includes_no_level_is_not_held() {
    let first = Level {
        index: 3,
        ..requests(1_000, 0)
    };
    let run = run_of(first, &[threshold("requests", "p95 < 50ms up to 10 users")]);
    let unmet = &run.thresholds[0];
    assert_eq!(unmet.inconclusive, Some(Inconclusive::OutOfReach));
    assert_eq!((unmet.level, unmet.metric.as_str()), (3, "requests"));
    assert_eq!(unmet.condition, "p95 < 50ms up to 10 users");
    assert_eq!(unmet.limits, Some(Limits::Latency));
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

#[test]
fn a_held_threshold_about_something_else_passes_no_run_in_which_nothing_succeeded() {
    let of = |succeeded, condition: &str, subject| {
        let mut level = requests(6_000, 0);
        level.measured.iterations = Iterations {
            planned: 60,
            started: 60,
            succeeded,
            failed: 60 - succeeded,
            ..Iterations::default()
        };
        run_of(level, &[threshold(subject, condition)])
    };
    assert_eq!(
        verdict(&of(0, "p95 < 1m", "requests")),
        Verdict::Failed,
        "every iteration failed"
    );
    assert_eq!(verdict(&of(1, "p95 < 1m", "requests")), Verdict::Passed);
    let tolerated = of(0, "failed <= 100%", "iterations");
    assert_eq!(verdict(&tolerated), Verdict::Passed, "it was asked for");
    // All requests get a quick response, with an error.
    let mut failing = of(60, "p95 < 1m", "requests");
    for timings in failing.levels[0].measured.requests.values_mut() {
        timings.failed = timings.count;
    }
    assert_eq!(verdict(&failing), Verdict::Failed);
    failing.levels[0] = invalid(failing.levels[0].clone());
    assert_eq!(
        verdict(&failing),
        Verdict::Inconclusive,
        "whose fault is not known"
    );
}

#[test]
fn no_threshold_passes_a_run_whose_iterations_failed_or_did_not_end() {
    let of = |succeeded, failed, unfinished| {
        let mut level = requests(6_000, 0);
        level.measured.iterations = Iterations {
            planned: 30,
            started: 30,
            succeeded,
            failed,
            unfinished,
            ..Iterations::default()
        };
        level
    };
    let asked = [threshold("requests", "failed == 0")];
    let judged = |level| verdict(&run_of(level, &asked));
    assert_eq!(judged(of(0, 19, 11)), Verdict::Inconclusive);
    assert_eq!(judged(of(0, 30, 0)), Verdict::Failed);
    assert_eq!(judged(invalid(of(0, 30, 0))), Verdict::Inconclusive);
    assert_eq!(judged(of(1, 18, 11)), Verdict::Passed);
    let endless = judged(of(0, 0, 30));
    assert_eq!(endless, Verdict::Passed, "users who loop until the end");
}

#[test]
fn a_bench_that_measured_nothing_does_not_pass_though_every_user_came_to_an_end() {
    let mut level = requests(60, 0);
    level.measured.requests.clear();
    level.measured.iterations.succeeded = 6;
    let mut run = run_of(level, &[]);
    assert_eq!(verdict(&run), Verdict::Passed, "a scenario may only think");
    run.script.path = "GET /".to_owned();
    assert_eq!(verdict(&run), Verdict::Inconclusive);
    let opened = requests(6, 0).measured.requests;
    run.levels[0].measured.connections = opened.clone();
    assert_eq!(verdict(&run), Verdict::Inconclusive, "they only connected");
    run.levels[0].measured.requests = named("GET /", Timings::default());
    assert_eq!(verdict(&run), Verdict::Inconclusive, "none has ended");
    run.levels[0].measured.round_trips = opened;
    assert_eq!(verdict(&run), Verdict::Passed, "something was answered");
    run.levels[0].measured.round_trips.clear();
    run.script.sha256 = "5e88".to_owned();
    assert_eq!(verdict(&run), Verdict::Passed);
}

#[test]
fn without_thresholds_a_run_passes_only_if_every_level_shows_something() {
    let of = |level: &Level| verdict(&run_of(level.clone(), &[]));
    assert_eq!(verdict(&Run::default()), Verdict::Inconclusive, "no level");
    let mut level = requests(60, 0);
    level.measured.iterations.succeeded = 60;
    assert_eq!(of(&level), Verdict::Passed);
    assert_eq!(of(&invalid(level.clone())), Verdict::Inconclusive);
    // Every request failed at a limit of headcount, and every iteration went on.
    if let Some(requests) = level.measured.requests.get_mut("GET /") {
        requests.failed = 60;
    }
    level.measured.failures = vec![record::Failure {
        side: model::Side::Generator,
        kind: model::FaultKind::TooLarge,
        what: "GET /".to_owned(),
        count: 60,
        first: record::Example::default(),
    }];
    assert_eq!(of(&level), Verdict::Inconclusive);
}
