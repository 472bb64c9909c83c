//! Tests the observed value and its text, for each aggregate of each subject.

use super::*;

fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// The observed figure of every condition, with the unit of its limit.
fn assert_texts(level: &Level, subject: &str, texts: &[(&str, &str)]) {
    for (condition, text) in texts {
        let found = judged(level, subject, condition);
        assert_eq!(text_of(&found), *text, "{subject}: {condition}");
    }
}

fn text_of(found: &ThresholdResult) -> String {
    use record::Observed as Seen;
    match found.observed.clone().expect("a figure") {
        Seen::Exactly { value, unit } => figure(unit, value),
        Seen::Between { low, high, unit } => {
            format!("{} to {}", figure(unit, low), figure(unit, high))
        }
        Seen::MoreThan { value, unit } => format!("more than {}", figure(unit, value)),
        Seen::TimedOut => "timed out".to_owned(),
        Seen::Text { text, .. } => text,
    }
}

fn figure(unit: model::Unit, value: f64) -> String {
    match unit {
        model::Unit::Nanos => Nanos::from_secs_f64(value / 1e9).to_string(),
        model::Unit::Bytes => format!("{:.1} MB", value / 1e6),
        model::Unit::Ratio => format!("{:.3} %", value * 100.0),
        model::Unit::PerSecond => format!("{value:.1}/s"),
        model::Unit::Count | model::Unit::Plain => format!("{value}"),
    }
}

/// 97 requests ended after 5 ms, one of them with a failure. Three were in flight for 40 ms.
fn three_in_flight() -> Level {
    let mut open = timings(96, 0);
    open.answered(ms(5), ms(5), true);
    (0..3).for_each(|_| open.left_open(ms(40)));
    level(Measured {
        requests: named("GET /", open),
        ..Measured::default()
    })
}

#[test]
fn of_requests_those_in_flight_are_part_of_every_figure() {
    let level = three_in_flight();
    let texts = [
        ("failed < 2%", "1.000 % to 4.000 %"),
        ("failed == 0", "1 to 4"),
        ("count >= 5", "97 to 100"),
        ("rate >= 5/s", "9.7/s to 10.0/s"),
        ("min < 1s", "5 ms"),
        // (97 × 5 + 3 × 40) / 100
        ("mean < 1s", "more than 6.05 ms"),
        ("max < 1s", "more than 40 ms"),
        ("p50 < 1s", "5 ms"),
    ];
    assert_texts(&level, "requests", &texts);
}

#[test]
fn a_number_that_is_not_known_yet_neither_equals_its_limit_nor_differs() {
    let level = three_in_flight();
    let in_flight = Inconclusive::InFlight { open: 3 };
    for condition in ["count == 97", "count == 98", "count != 98", "count != 100"] {
        assert_eq!(why(&level, "requests", condition), in_flight, "{condition}");
    }
    assert_eq!(held(&level, "requests", "count == 96"), Some(false));
    assert_eq!(held(&level, "requests", "count != 101"), Some(true));
    let known = requests(98, 0);
    assert_eq!(held(&known, "requests", "count == 98"), Some(true));
    assert_eq!(held(&known, "requests", "count != 98"), Some(false));
}

#[test]
fn where_nothing_has_ended_the_ages_of_what_is_in_flight_are_known() {
    let mut open = Timings::default();
    (0..3).for_each(|_| open.left_open(ms(40)));
    let level = level(Measured {
        requests: named("GET /", open),
        ..Measured::default()
    });
    for condition in ["min < 1s", "mean < 1s", "max < 1s"] {
        let found = judged(&level, "requests", condition);
        assert_eq!(text_of(&found), "more than 40 ms", "{condition}");
        assert_eq!(found.inconclusive, Some(Inconclusive::InFlight { open: 3 }));
    }
    assert_eq!(held(&level, "requests", "count <= 5"), Some(true));
}

#[test]
fn what_timed_out_is_slower_than_everything() {
    let of = |fast, timed_out| {
        let mut timings = timings(fast, 0);
        (0..timed_out).for_each(|_| timings.ran_out(ms(3_000)));
        level(Measured {
            requests: named("GET /", timings),
            ..Measured::default()
        })
    };
    for (fast, condition) in [(0, "max < 10s"), (100, "mean < 10s"), (185, "p95 < 10s")] {
        let found = judged(&of(fast, 15), "requests", condition);
        assert_eq!(found.held, Some(false));
        assert_eq!(text_of(&found), "timed out", "{condition}");
    }
    assert_eq!(held(&of(190, 10), "requests", "p95 < 10s"), Some(true));
    assert_eq!(held(&of(0, 5), "requests", "p50 > 10s"), Some(true));
}

#[test]
fn of_iterations() {
    let mut iterations = Iterations {
        planned: 120,
        started: 100,
        dropped: 20,
        succeeded: 80,
        failed: 10,
        unfinished: 10,
        ..Iterations::default()
    };
    iterations.time.record_n(ms(5), 80);
    iterations.open.record_n(ms(40), 10);
    let mut level = level(Measured::default());
    level.measured.iterations = iterations;
    let texts = [
        ("failed < 50%", "10.000 % to 20.000 %"),
        ("count >= 5", "90 to 100"),
        ("rate >= 5/s", "9.0/s to 10.0/s"),
        ("dropped < 50%", "16.667 %"),
        ("p50 < 1s", "5 ms"),
        ("max < 1s", "more than 40 ms"),
    ];
    assert_texts(&level, "iterations", &texts);
}

#[test]
fn of_deliveries() {
    let mut channel = Deliveries {
        messages: 100,
        expected: 100,
        delivered: 80,
        late: 10,
        lost: [(LossReason::NeverSeen, 4)].into(),
        cut_off: record::CutOff {
            iteration_ended: 6,
            ..record::CutOff::default()
        },
        duplicated: 2,
        reordered: 3,
        misdelivered: [(MisdeliveryReason::Garbled, 5)].into(),
        ..Deliveries::default()
    };
    channel.latency.record_n(ms(5), 90);
    let of = |channel: &Deliveries| {
        level(Measured {
            deliveries: named("said", channel.clone()),
            ..Measured::default()
        })
    };
    let texts = [
        ("delivered >= 50%", "80.000 % to 86.000 %"),
        ("late < 50%", "10.000 % to 16.000 %"),
        ("lost < 50%", "4.000 % to 10.000 %"),
        ("count >= 5", "90 to 96"),
        ("rate >= 5/s", "9.0/s to 9.6/s"),
        ("duplicated < 5", "2"),
        ("reordered < 5", "3"),
        ("misdelivered < 50", "5"),
        ("p50 < 1s", "5 ms"),
        ("mean < 1s", "5 ms"),
    ];
    assert_texts(&of(&channel), "deliveries", &texts);
    // Duplicates and deliveries out of order are observed even if nothing else arrived.
    (channel.delivered, channel.late) = (0, 0);
    for (duplicated, reordered) in [(1, 0), (0, 1), (1, 1)] {
        (channel.duplicated, channel.reordered) = (duplicated, reordered);
        let level = of(&channel);
        let broken = |count: u64| Some(count == 0);
        let held = |condition| held(&level, "deliveries", condition);
        assert_eq!(held("duplicated == 0"), broken(duplicated));
        assert_eq!(held("reordered == 0"), broken(reordered));
    }
}

#[test]
fn of_groups_and_checks() {
    let level = level(Measured {
        converged: named(
            "doc",
            record::Convergence {
                converged: 8,
                diverged: 3,
                unknown: 2,
            },
        ),
        checks: named(
            "is JSON",
            record::Check {
                passed: 30,
                failed: 10,
            },
        ),
        ..Measured::default()
    });
    let texts = [
        ("count >= 5", "13"),
        ("converged >= 5", "8 to 10"),
        ("diverged < 5", "3 to 5"),
        ("unknown < 5", "2"),
    ];
    assert_texts(&level, "converged", &texts);
    let texts = [
        ("failed < 50%", "25.000 %"),
        ("count >= 5", "40"),
        ("rate >= 1/s", "4.0/s"),
    ];
    assert_texts(&level, "checks", &texts);
}

#[test]
fn of_own_metrics() {
    let mut bought = Metric::new(MetricKind::Counter);
    (0..10).for_each(|_| bought.record(2.5, 1.0));
    let mut score = Metric::new(MetricKind::Trend);
    for value in [2.0, 3.0, 10.0] {
        score.record(value, 1.0);
    }
    let metrics = [("bought".to_owned(), bought), ("score".to_owned(), score)];
    let level = level(Measured {
        metrics: metrics.into(),
        ..Measured::default()
    });
    let texts = [("count >= 5", "25"), ("rate >= 1", "2.5/s")];
    assert_texts(&level, "metric(bought)", &texts);
    let texts = [
        ("count >= 1", "3"),
        ("rate >= 0.1", "0.3/s"),
        ("mean < 50", "5"),
        ("min < 50", "2"),
        ("max < 50", "10"),
    ];
    assert_texts(&level, "metric(score)", &texts);
}

#[test]
fn of_the_target() {
    let mut level = level(Measured::default());
    level.target = Some(record::TargetUse {
        cpu_percent: Some(75.0),
        memory_mb_max: Some(1.5),
        ..record::TargetUse::default()
    });
    let texts = [("cpu < 80%", "75.000 %"), ("memory < 1GB", "1.5 MB")];
    assert_texts(&level, "target", &texts);
}
