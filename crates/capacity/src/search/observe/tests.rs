use record::{LateAt, Lateness, LevelIssue};

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
