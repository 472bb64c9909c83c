mod one_by_one;

use record::{GeneratorUse, Iterations, Phases};

use super::*;

fn level(generator: GeneratorUse) -> Level {
    Level {
        phases: Phases {
            duration_s: 10.0,
            ..Phases::default()
        },
        generator,
        ..Level::default()
    }
}

fn times(count: u64, time: Nanos) -> Histogram {
    let mut times = Histogram::default();
    (0..count).for_each(|_| times.record(time));
    times
}

fn verdict(level: &Level) -> &'static str {
    let level = Level {
        issues: issues(level),
        ..level.clone()
    };
    level.validity().as_str()
}

/// The only cause of this severity.
fn only(severity: Severity, level: &Level) -> IssueCause {
    let mut all = issues(level).into_iter();
    let found = all.find(|issue| issue.severity == severity);
    found.expect("an issue").cause
}

fn late(cause: &IssueCause) -> Lateness {
    match cause {
        IssueCause::Late(lateness) => *lateness,
        other => panic!("{other:?}"),
    }
}

/// The issues of a level without a fleet.
fn issues(level: &Level) -> Vec<LevelIssue> {
    super::issues(level, &[])
}

#[test]
fn a_busy_worker_is_suspect_and_a_full_one_not_sound() {
    let busy = |busy| {
        verdict(&level(GeneratorUse {
            busiest_worker_percent: Some(busy),
            ..GeneratorUse::default()
        }))
    };
    assert_eq!(busy(60.0), "valid");
    assert_eq!(busy(80.0), "valid");
    assert_eq!(busy(85.0), "questionable");
    assert_eq!(busy(95.0), "questionable");
    assert_eq!(busy(96.0), "invalid");
}

#[test]
fn a_late_start_names_the_limit_that_it_broke() {
    let limits = |lag: Nanos, response: Nanos| {
        let mut level = level(GeneratorUse {
            start_lag: times(1000, lag),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        (0..1000).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        let first = late(&issues(&level)[0].cause);
        (first.limit, first.limit_percent)
    };
    let ms = Nanos::from_millis;
    assert_eq!(limits(ms(12), ms(5000)), (ms(10), None));
    assert_eq!(limits(ms(4), ms(6)), (ms(2), Some(25.0)));
    let doubtful = limits(ms(2), ms(10));
    assert_eq!(doubtful, (Nanos::from_micros(500), Some(5.0)));
}

#[test]
fn waiting_for_a_cpu_counts_by_what_it_does() {
    let waits = |percent, starved, lag| {
        let mut level = level(GeneratorUse {
            cpu_wait_percent: Some(percent),
            starved_percent: Some(starved),
            start_lag: times(1000, lag),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        let response = Nanos::from_millis(8);
        (0..1000).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        level
    };
    let (short, long) = (Nanos::from_micros(100), Nanos::from_millis(4));
    assert_eq!(
        verdict(&waits(1.5, 53.0, short)),
        "valid",
        "more than it worked, which is next to nothing"
    );
    assert_eq!(
        verdict(&waits(12.0, 15.0, short)),
        "valid",
        "and nothing came late for it"
    );
    let delayed = waits(12.0, 15.0, long);
    assert_eq!(verdict(&delayed), "invalid");
    let cause = only(Severity::Invalid, &delayed);
    assert_eq!(late(&cause).cpu_wait_percent, Some(12.0));
}

#[test]
fn a_slowed_closed_load_is_doubtful() {
    let slowed = |read_ms| {
        let mut level = level(GeneratorUse {
            read_delay: Some(times(50, Nanos::from_millis(read_ms))),
            ..GeneratorUse::default()
        });
        level.load = record::Load {
            users: 1,
            groups: 1,
            ..record::Load::default()
        };
        let mut timings = Timings::default();
        let response = Nanos::from_millis(50);
        (0..100).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    assert_eq!(slowed(1), "valid", "1 % of 10 s");
    assert_eq!(
        slowed(30),
        "invalid",
        "30 ms of at most 50 and 30 % of the time"
    );
}

#[test]
fn delays_too_short_to_spoil_a_time_are_doubtful_where_they_slow_the_users_down() {
    let slowed = |requests| {
        let mut level = level(GeneratorUse {
            read_delay: Some(times(50, Nanos::from_micros(400))),
            ..GeneratorUse::default()
        });
        (level.load.users, level.load.groups) = (1, 1);
        let mut timings = Timings::default();
        let response = Nanos::from_millis(1);
        (0..requests).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    assert_eq!(slowed(6_000), "valid", "2.4 s of 10 s");
    assert_eq!(slowed(7_000), "questionable", "2.8 s");
    assert_eq!(slowed(13_000), "invalid", "5.2 s");
}

#[test]
fn a_script_that_cannot_keep_up_is_suspect() {
    let collecting = |pause| GeneratorUse {
        gc_pause_ms_max: Some(pause),
        ..GeneratorUse::default()
    };
    assert_eq!(verdict(&level(collecting(20.0))), "valid");
    assert_eq!(verdict(&level(collecting(21.0))), "questionable");
    let overrun = |dropped_queue| GeneratorUse {
        dropped_queue,
        ..GeneratorUse::default()
    };
    assert_eq!(verdict(&level(overrun(0))), "valid");
    assert_eq!(verdict(&level(overrun(1))), "questionable");
}

#[test]
fn shares_of_a_hold_that_is_too_short_judge_nothing_and_it_says_so() {
    let held = |duration_s| {
        let mut level = level(GeneratorUse {
            busiest_worker_percent: Some(100.0),
            cpu_wait_percent: Some(40.0),
            starved_percent: Some(60.0),
            ..GeneratorUse::default()
        });
        level.phases.duration_s = duration_s;
        issues(&level)
    };
    let short = IssueCause::ShortMeasurement {
        measured_ms: 0.4,
        needed_ms: 100.0,
    };
    assert_eq!(held(0.000_4), [LevelIssue::questionable(short)]);
    let judged = held(0.1);
    let invalid = judged
        .iter()
        .filter(|issue| issue.severity == Severity::Invalid);
    assert_eq!(invalid.count(), 1, "as ever from there on");
}

#[test]
fn a_quota_that_stopped_the_generator_is_noticed() {
    let stopped = |ms| {
        verdict(&level(GeneratorUse {
            throttled_ms: Some(ms),
            ..GeneratorUse::default()
        }))
    };
    assert_eq!(stopped(0.0), "valid");
    assert_eq!(stopped(50.0), "questionable", "half a per cent");
    assert_eq!(stopped(150.0), "invalid");
}

#[test]
fn time_that_the_host_took_is_noticed() {
    let stolen = |percent| {
        verdict(&level(GeneratorUse {
            stolen_percent: Some(percent),
            ..GeneratorUse::default()
        }))
    };
    assert_eq!(stolen(1.9), "valid");
    assert_eq!(stolen(2.1), "questionable");
    // Whether the generator was too late shows in its delays.
    assert_eq!(stolen(60.0), "questionable");
}

#[test]
fn delays_are_judged_by_what_they_spoil() {
    let late = |count, lag: Nanos, response: Nanos| {
        let mut level = level(GeneratorUse {
            start_lag: times(count, lag),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        (0..count).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    let ms = Nanos::from_millis;
    assert_eq!(
        late(1000, ms(12), ms(5000)),
        "invalid",
        "whatever is measured"
    );
    assert_eq!(
        late(1000, ms(10), ms(5000)),
        "valid",
        "only what is more than 10 ms"
    );
    assert_eq!(
        late(1000, ms(4), ms(6)),
        "invalid",
        "most of the time is ours"
    );
    assert_eq!(
        late(1000, ms(4), ms(16)),
        "questionable",
        "no more than 25 %"
    );
    assert_eq!(
        late(1000, ms(2), ms(4)),
        "questionable",
        "no more than 2 ms"
    );
    assert_eq!(
        late(1000, ms(4), Nanos::ZERO),
        "valid",
        "nothing that it could be a share of"
    );
    assert_eq!(late(1000, ms(4), ms(500)), "valid", "small beside it");
    assert_eq!(late(1000, ms(2), ms(10)), "questionable");
    assert_eq!(
        late(150, ms(12), ms(5000)),
        "invalid",
        "p90 where there is no p99"
    );
    assert_eq!(late(20, ms(12), ms(5000)), "valid", "too few to tell");
    assert_eq!(
        late(20, ms(12), ms(30)),
        "invalid",
        "the longest where there is no p90"
    );
}

#[test]
fn late_readings_are_judged_like_late_starts() {
    let late = level(GeneratorUse {
        read_delay: Some(times(2000, Nanos::from_millis(15))),
        ..GeneratorUse::default()
    });
    assert_eq!(verdict(&late), "invalid");
    let IssueCause::Late(cause) = only(Severity::Invalid, &late) else {
        panic!("{late:?}");
    };
    assert_eq!(cause.what, LateAt::Read);
}

#[test]
fn inexact_receipts_are_judged_like_late_starts() {
    let error = |error| {
        let mut level = level(GeneratorUse {
            receive_error: Some(times(2000, error)),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        let response = Nanos::from_millis(20);
        (0..2000).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    assert_eq!(error(Nanos::from_micros(900)), "valid");
    assert_eq!(error(Nanos::from_millis(3)), "questionable");
    assert_eq!(error(Nanos::from_millis(15)), "invalid");
}

#[test]
fn starts_that_the_generator_missed_are_not_those_that_found_nobody() {
    let dropped = |cause: DropCause, count: u64| {
        let mut level = level(GeneratorUse::default());
        level.measured.iterations = Iterations {
            planned: 1000,
            started: 1000 - count,
            succeeded: 1000 - count,
            dropped: count,
            dropped_by_cause: [(cause, count)].into(),
            ..Iterations::default()
        };
        verdict(&level)
    };
    assert_eq!(dropped(DropCause::GeneratorBehind, 10), "invalid");
    assert_eq!(dropped(DropCause::GeneratorBehind, 1), "questionable");
    assert_eq!(
        dropped(DropCause::UsersWaiting, 500),
        "questionable",
        "that is the target's doing, or the plan's"
    );
}

#[test]
fn a_broken_law_is_a_fault_of_the_measurement() {
    let mut broken = level(GeneratorUse::default());
    broken.little = Some(record::Little {
        at_work: 10.0,
        per_s: 100.0,
        time_s: 0.05,
        holds: false,
    });
    let cause = IssueCause::LittlesLaw {
        at_work: 10.0,
        per_s: 100.0,
        time_s: 0.05,
    };
    assert_eq!(issues(&broken), [LevelIssue::invalid(cause)]);
}

#[test]
fn a_dropped_start_tells_its_main_cause() {
    let mut level = level(GeneratorUse::default());
    level.measured.iterations = Iterations {
        planned: 100,
        dropped: 30,
        dropped_by_cause: [
            (DropCause::UsersWaiting, 20),
            (DropCause::UsersBusy, 7),
            (DropCause::GeneratorBehind, 3),
        ]
        .into(),
        ..Iterations::default()
    };
    let cause = IssueCause::StartsDropped {
        dropped: 27,
        planned: 100,
        users: Some(DropCause::UsersWaiting),
    };
    assert_eq!(only(Severity::Questionable, &level), cause);
}
