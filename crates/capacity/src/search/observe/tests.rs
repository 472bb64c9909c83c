use model::{FaultKind, Side};
use record::{
    DelayStatistic, DropCause, Failure, IssueCause, LateAt, Lateness, LevelIssue, Shortfall,
    Timings,
};

use super::*;

fn late(statistic: DelayStatistic) -> Run {
    let cause = IssueCause::Late(Lateness {
        what: LateAt::Read,
        late: Nanos::from_millis(4),
        statistic,
        share_percent: Some(134.0),
        limit: Nanos::from_millis(2),
        limit_percent: Some(25.0),
        cpu_wait_percent: None,
    });
    let level = Level {
        issues: vec![LevelIssue::invalid(cause)],
        ..Level::default()
    };
    Run {
        levels: vec![level],
        ..Run::default()
    }
}

#[test]
fn one_late_read_among_few_does_not_make_the_generator_the_limit() {
    let of = |statistic| outcome(&late(statistic), &[], 1.0).unwrap();
    assert!(of(DelayStatistic::Max).is_valid());
    assert!(!of(DelayStatistic::P90).is_valid());
    assert!(!of(DelayStatistic::P99).is_valid());
}

#[test]
fn a_failure_proves_nothing_if_the_host_took_the_cpu() {
    let of = |stolen_percent, millis| {
        let cause = IssueCause::StolenTime {
            stolen_percent,
            limit_percent: 2.0,
        };
        let mut level = Level {
            issues: vec![LevelIssue::questionable(cause)],
            ..Level::default()
        };
        let mut timings = Timings::default();
        for _ in 0..100 {
            let time = Nanos::from_millis(millis);
            timings.answered(time, time, false);
        }
        level.measured.requests.insert("GET /".to_owned(), timings);
        let threshold = Threshold::parse(&plan::Subject::parse("requests").unwrap(), "p90 < 50ms");
        let threshold = threshold.unwrap();
        let run = Run {
            thresholds: vec![ThresholdResult {
                metric: threshold.subject.to_string(),
                condition: threshold.source.clone(),
                ..ThresholdResult::default()
            }],
            levels: vec![level],
            ..Run::default()
        };
        outcome(&run, &[threshold], 1.0).unwrap()
    };
    assert!(!of(30.0, 60).is_valid(), "it may have failed for that");
    assert!(of(5.0, 60).is_valid() && of(5.0, 60).failed());
    assert!(
        of(30.0, 10).is_valid() && of(30.0, 10).held(),
        "in spite of it"
    );
}

#[test]
fn a_run_without_a_level_has_no_outcome() {
    assert_eq!(outcome(&Run::default(), &[], 1.0), None);
}

#[test]
fn values_beyond_a_limit_are_counted_with_those_of_dropped_starts() {
    let subject = plan::Subject::parse("requests").unwrap();
    let threshold = Threshold::parse(&subject, "p90 < 50ms").unwrap();
    let mut timings = Timings::default();
    for millis in [10, 20, 30, 60] {
        let time = Nanos::from_millis(millis);
        timings.answered(time, time, false);
    }
    let mut level = Level::default();
    level.measured.requests.insert("GET /".to_owned(), timings);
    level.measured.iterations.started = 4;
    level.measured.iterations.planned = 6;
    level.measured.iterations.dropped = 2;
    let counts = counts(&threshold, &level).unwrap();
    assert!((counts.beyond - 3.0).abs() < 1e-9, "{counts:?}");
    assert!((counts.of - 6.0).abs() < 1e-9, "{counts:?}");
    assert!((counts.allowed - 0.1).abs() < 1e-9, "{counts:?}");
}

/// A level of 100 arrivals a second, each with one request, of which `per_s` end in each whole second.
fn open_level(warmup_s: f64, duration_s: f64, per_s: u64) -> Level {
    let mut level = Level::default();
    level.load.rate_per_s = Some(100.0);
    level.phases.warmup_s = warmup_s;
    level.phases.duration_s = duration_s;
    level.measured.iterations.started = 100;
    let timings = Timings {
        count: 100,
        ..Timings::default()
    };
    level.measured.requests.insert("GET /".to_owned(), timings);
    let whole = (warmup_s + duration_s).floor();
    let starts = (0_u32..).map(f64::from).take_while(|start| *start < whole);
    level.series = starts
        .map(|start_s| record::Window {
            start_s,
            requests: per_s,
            ..record::Window::default()
        })
        .collect();
    level
}

#[test]
fn a_target_that_keeps_up_does_not_fall_behind_whatever_fractions_of_seconds_a_trial_has() {
    for (warmup_s, duration_s) in [(0.5, 2.25), (0.5, 4.5), (0.5, 6.75), (1.0, 7.3), (0.0, 1.1)] {
        let completed = |per_s| completed(&open_level(warmup_s, duration_s, per_s));
        assert_eq!(completed(100), None, "{warmup_s} s and {duration_s} s");
    }
    let behind = completed(&open_level(0.5, 6.75, 50)).unwrap();
    assert!((behind - 50.0).abs() < 1e-9, "{behind}");
}

#[test]
fn only_random_arrivals_differ_from_the_rate_that_was_asked_for() {
    let mut level = open_level(1.0, 5.0, 100);
    level.measured.iterations.planned = 480;
    level.load.arrivals = Some("poisson".to_owned());
    assert_eq!(arrived(&level), Some(96.0));
    // In a trial of seconds, whole numbers of even arrivals differ from the rate by more than the load does.
    level.load.arrivals = Some("even".to_owned());
    assert_eq!(arrived(&level), None);
    level.load.arrivals = None;
    assert_eq!(arrived(&level), None, "a closed load");
}

#[test]
fn throughput_counts_operations_and_deliveries_before_iterations() {
    let mut level = Level::default();
    level.phases.duration_s = 10.0;
    level.measured.iterations.succeeded = 40;
    let of = |level: &Level| {
        let run = Run {
            levels: vec![level.clone()],
            ..Run::default()
        };
        outcome(&run, &[], 1.0).unwrap().throughput_per_s
    };
    assert_eq!(of(&level), Some(4.0));
    let mut timings = Timings::default();
    let time = Nanos::from_millis(1);
    (0..120).for_each(|request| timings.answered(time, time, request < 20));
    level.measured.requests.insert("GET /".to_owned(), timings);
    assert_eq!(of(&level), Some(10.0));
}

#[test]
fn throughput_counts_operations_at_the_rate_at_which_they_end() {
    // 400 arrivals/s for 1.5 s, of which a target completes 100/s: the last response arrives after 6 s.
    let mut timings = Timings::default();
    for arrival in 0..600_u64 {
        let time = Nanos::from_micros(arrival * 7_500);
        timings.answered(time, time, false);
    }
    let mut level = Level::default();
    level.phases.duration_s = 1.5;
    level.measured.requests.insert("GET /".to_owned(), timings);
    let per_s = throughput(&level).unwrap();
    assert!((per_s - 100.0).abs() < 1.0, "{per_s}");
    // Long-polling requests of 5 s end only after the complete seconds, but at the rate at which they began.
    let mut timings = Timings::default();
    let time = Nanos::from_secs(5);
    (0..60).for_each(|_| timings.answered(time, time, false));
    level.phases.duration_s = 3.0;
    level.measured.requests.insert("GET /".to_owned(), timings);
    level.series = (0..3)
        .map(|second| record::Window {
            start_s: f64::from(second),
            ..record::Window::default()
        })
        .collect();
    let per_s = throughput(&level).unwrap();
    assert!((per_s - 20.0).abs() < 0.2, "{per_s}");
}

#[test]
fn work_that_ends_after_the_load_has_not_succeeded_in_time() {
    const SECONDS: u32 = 6;
    let queue = |per_s: u32| {
        let mut timings = Timings::default();
        for arrival in 0..per_s * SECONDS {
            let wait_s = f64::from(arrival) * (0.01 - 1.0 / f64::from(per_s)).max(0.0);
            let time = Nanos::from_secs_f64(wait_s + 0.01);
            timings.answered(time, time, false);
        }
        let mut level = Level::default();
        level.load.rate_per_s = Some(f64::from(per_s));
        level.phases.duration_s = f64::from(SECONDS);
        level.measured.requests.insert("GET /".to_owned(), timings);
        level
    };
    // One server of 10 ms completes 100 of 160 arrivals a second, and all of 95.
    let share = succeeded(&queue(160)).unwrap();
    assert!((share - 100.0 / 160.0).abs() < 0.02, "{share}");
    assert_eq!(succeeded(&queue(95)), Some(1.0));
    let mut closed = queue(160);
    closed.load.rate_per_s = None;
    assert_eq!(succeeded(&closed), Some(1.0));
}

/// A level of 1,000 requests with this issue and these failures.
fn level_with(issue: Option<IssueCause>, failures: Vec<Failure>) -> Level {
    let mut level = Level {
        issues: issue.into_iter().map(LevelIssue::questionable).collect(),
        ..Level::default()
    };
    let mut timings = Timings::default();
    for _ in 0..1000 {
        timings.answered(Nanos::from_millis(1), Nanos::from_millis(1), false);
    }
    level.measured.requests.insert("GET /".to_owned(), timings);
    level.measured.failures = failures;
    level
}

fn of_level(level: Level, results: Vec<ThresholdResult>) -> Outcome {
    let run = Run {
        thresholds: results,
        levels: vec![level],
        ..Run::default()
    };
    outcome(&run, &[], 1.0).unwrap()
}

#[test]
fn operations_that_fail_because_of_own_limits_say_nothing_about_the_target() {
    let failures = |side, count| {
        vec![Failure {
            side,
            kind: FaultKind::Resources,
            what: "GET /".to_owned(),
            count,
            first: record::Example::default(),
        }]
    };
    let of = |side, count| of_level(level_with(None, failures(side, count)), Vec::new());
    let own = IssueCause::OwnFailures {
        failed: 50,
        operations: 1000,
    };
    assert_eq!(of(Side::Generator, 50).generator, [own]);
    assert!(of(Side::Generator, 1).is_valid(), "one of a thousand");
    assert!(of(Side::Target, 50).is_valid());
}

#[test]
fn a_rate_that_the_number_of_users_limits_says_nothing_about_the_target() {
    let of = |dropped, users| {
        let cause = IssueCause::StartsDropped {
            dropped,
            planned: 1000,
            users: Some(users),
        };
        of_level(level_with(Some(cause), Vec::new()), Vec::new())
    };
    assert!(!of(200, DropCause::UsersBusy).is_valid());
    assert!(of(5, DropCause::UsersBusy).is_valid(), "a few");
    let waiting = of(200, DropCause::UsersWaiting);
    assert!(waiting.is_valid(), "they waited for the target");
}

#[test]
fn a_threshold_that_held_under_less_load_than_planned_proves_nothing() {
    let of = |cause: Option<IssueCause>, inconclusive| {
        let result = ThresholdResult {
            inconclusive,
            ..ThresholdResult::default()
        };
        of_level(level_with(cause, Vec::new()), vec![result])
    };
    let slowed = |percent| IssueCause::UsersSlowed {
        slowed_percent: percent,
        limit_percent: if percent > 25.0 { 25.0 } else { 10.0 },
        cpu_wait_percent: None,
    };
    let less = |percent| {
        let shortfall = Shortfall::LoopSlowed { percent };
        Some(Inconclusive::LessLoad { shortfall })
    };
    let issue = of(Some(slowed(30.0)), less(30.0));
    assert_eq!(issue.generator, [slowed(30.0)]);
    let without_issue = of(None, less(15.0));
    assert_eq!(without_issue.generator, [slowed(15.0)]);
    assert!(of(None, less(3.0)).is_valid(), "hardly slowed");
    let wide = of(Some(slowed(30.0)), None);
    assert!(wide.is_valid(), "it held by a wide margin");
    let dropped = Shortfall::QueueDropped { dropped: 4 };
    let dropped = Some(Inconclusive::LessLoad { shortfall: dropped });
    let events = IssueCause::EventsDropped { dropped: 4 };
    assert!(!of(Some(events), dropped).is_valid());
}
