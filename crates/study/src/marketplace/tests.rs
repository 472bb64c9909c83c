//! Reports of small, handmade records.

use std::collections::BTreeMap;

use model::{FaultKind, Nanos, Side};
use record::{
    Cause, Confidence, Example, Failure, Finding, FirstFailure, IssueCause, Iterations, Level,
    LevelIssue, Load, Measured, Metric, MetricKind, Phases, RateLimiter, Run, Setup, TargetUse,
    ThresholdResult, Timings,
};
use stats::Histogram;

use super::figures::{at_once, p95, share};
use super::hashing::Hashing;
use super::{Parts, TEMPLATES, page};
use crate::templates::{check, part};

mod complete;
mod timeout;

/// Returns timings of `count` responses, each after `ms`.
fn answered(count: u64, ms: u64) -> Timings {
    let mut times = Histogram::default();
    times.record_n(Nanos::from_millis(ms), count);
    Timings {
        count,
        response: times.clone(),
        service: times,
        ..Timings::default()
    }
}

/// Returns a level in which all concurrent trades completed in `took_s`, and each login took `login_ms`.
fn level(trades: u64, took_s: f64, login_ms: u64) -> Level {
    let requests = [
        ("users.admin.create", answered(4 * trades, login_ms)),
        ("auth.login", answered(4 * trades, login_ms)),
        ("marketplace.offers.create", answered(3 * trades, 5)),
        ("notifications.list", answered(5 * trades, 5)),
    ];
    let steps = [("offers.create", answered(trades, 5))];
    let named = |(name, timings): (&str, Timings)| (name.to_owned(), timings);
    Level {
        load: Load {
            groups: trades,
            users: 4 * trades,
            once: true,
            ..Load::default()
        },
        phases: Phases {
            duration_s: took_s,
            ..Phases::default()
        },
        target: Some(TargetUse {
            cpu_percent: Some(97.0),
            cores: Some(vec![0]),
            ..TargetUse::default()
        }),
        measured: Measured {
            iterations: Iterations {
                planned: trades,
                started: trades,
                succeeded: trades,
                ..Iterations::default()
            },
            requests: requests.map(named).into(),
            steps: steps.map(named).into(),
            ..Measured::default()
        },
        ..Level::default()
    }
}

/// A run whose hash costs `cost_ms`.
fn run(cost_ms: u64, levels: Vec<Level>) -> Run {
    let alone = ("auth.login alone".to_owned(), answered(8, cost_ms));
    Run {
        setup: Some(Setup {
            requests: BTreeMap::from([alone]),
            ..Setup::default()
        }),
        levels,
        ..Run::default()
    }
}

/// A level of an open load with `dropped` arrivals.
fn arriving(rate: f64, dropped: u64, ms: u64) -> Level {
    let mut level = level(50, 5.0, 1);
    level.load.rate_per_s = Some(rate);
    level.load.once = false;
    let measured = &mut level.measured;
    measured.iterations.planned += dropped;
    measured.iterations.dropped = dropped;
    measured.requests = [("notifications.list".to_owned(), answered(500, ms))].into();
    level
}

/// Returns the page as Markdown and as shown on the terminal.
fn pages(parts: &Parts<'_>) -> (String, String) {
    check(TEMPLATES, &page::figures(parts))
}

fn rendered(name: &str, parts: &Parts<'_>) -> String {
    part(TEMPLATES, name, &page::figures(parts))
}

/// Renders the arrival rates, and their conversion to people.
fn rates(run: &Run) -> (String, String) {
    let parts = Parts {
        rate: Some(run),
        ..Parts::default()
    };
    (rendered("rate.md", &parts), rendered("people.md", &parts))
}

#[test]
fn nothing_measured_makes_no_figure_of_ours_and_still_says_what_is_wrong() {
    let parts = Parts::default();
    let (text, terminal) = pages(&parts);
    assert!(text.contains("not measured"), "{text}");
    assert!(text.ends_with("Nothing was measured.\n"), "{text}");
    for number in 1..=15 {
        assert!(text.contains(&format!("\n### M-X{number} ")), "{number}");
        assert!(terminal.contains(&format!("\n  M-X{number} ")), "{number}");
    }
    assert!(terminal.contains("The ledger was not checked."));
}

#[test]
fn a_share_of_few_says_how_little_it_shows() {
    assert_eq!(share((16, 16)), "16 of 16 (≥ 79.4 %)");
    assert_eq!(share((15, 16)), "15 of 16 (69.8–99.8 %)");
    assert_eq!(share((0, 16)), "0 of 16 (≤ 20.6 %)");
    assert_eq!(share((0, 0)), "none was started");
}

#[test]
fn a_p95_of_few_is_a_bound_or_nothing_and_a_timed_out_one_is_never_a_time() {
    assert_eq!(p95(&answered(200, 5)), "5.0 ms");
    assert_eq!(p95(&answered(59, 5)), "≤ 5.0 ms");
    assert_eq!(p95(&answered(58, 5)), "n/a");
    let mut cut = answered(170, 5);
    (0..30).for_each(|_| cut.ran_out(Nanos::from_secs(15)));
    assert_eq!(p95(&cut), "timed out");
    let mut cut = answered(60, 5);
    cut.ran_out(Nanos::from_secs(15));
    assert_eq!(p95(&cut), "n/a");
}

#[test]
fn repetitions_of_a_level_are_one_and_other_levels_are_not_mixed_in() {
    let run = run(
        25,
        vec![level(32, 6.0, 900), level(32, 8.0, 900), level(64, 9.0, 1)],
    );
    let one = at_once(Some(&run), 32).unwrap();
    assert_eq!((one.passed(), one.runs), ((64, 64), 2));
    assert!((one.took_s - 7.0).abs() < 1e-9);
    assert_eq!(one.hashed(&["auth.login"]).count, 256);
    assert_eq!(one.others().count, 64 * 8);
    assert!(at_once(Some(&run), 16).is_none());
}

#[test]
fn the_limit_of_passwords_is_cores_by_cost() {
    let run = run(250, vec![level(32, 64.0, 30_000)]);
    let hashing = Hashing::of(Some(&run)).unwrap();
    assert!((hashing.limit_per_s() - 4.0).abs() < 0.01);
    assert!((hashing.least_s(32) - 64.0).abs() < 0.2);
    let parts = Parts {
        report: Some(&run),
        ..Parts::default()
    };
    let (text, _) = pages(&parts);
    let expected = "The physical limit of passwords here: 1 core ÷ 250";
    assert!(text.contains(expected), "{text}");
    let at = at_once(Some(&run), 32).unwrap();
    assert!((at.hashes_per_s() - 4.0).abs() < 1e-9);
}

fn verdict(four: &Run, sixteen: &Run) -> String {
    let parts = Parts {
        threads4: Some(four),
        threads16: Some(sixteen),
        ..Parts::default()
    };
    rendered("fix.md", &parts)
}

#[test]
fn two_single_runs_are_never_called_different() {
    let four = run(250, vec![level(32, 64.0, 30_000)]);
    for sixteen in [
        run(250, vec![level(32, 64.0, 30_000)]),
        run(250, vec![level(32, 16.0, 7_000)]),
    ] {
        let said = verdict(&four, &sixteen);
        assert!(said.contains("32 of 32 against 32 of 32"), "{said}");
        assert!(said.contains("cannot tell, one run each"), "{said}");
        assert!(
            !said.contains("hash more") && !said.contains("a difference"),
            "{said}"
        );
    }
    let twice = run(250, vec![level(32, 64.0, 30_000), level(32, 64.0, 30_000)]);
    let said = verdict(&twice, &twice);
    assert!(said.contains("cannot tell, 2 runs each"), "{said}");
}

#[test]
fn the_rate_at_which_it_stops_is_named_with_what_broke_and_what_was_full() {
    let ladder = run(
        1,
        vec![
            arriving(10.0, 0, 5),
            arriving(20.0, 0, 5),
            arriving(40.0, 7, 80),
        ],
    );
    let (said, people) = rates(&ladder);
    let expected = "20 trades/s met the thresholds; 40 trades/s did not: 7 of 57 trades dropped because all users were busy, p95 80.";
    assert!(said.starts_with(expected), "{said}");
    assert!(said.ends_with("its cores are full."), "{said}");
    // 500 requests in 5 s, 5 ms each: 100 × 15.005 and 100 × 30.005
    assert!(
        people.contains("= 1,50") && people.contains("3,00"),
        "{people}"
    );
}

#[test]
fn a_level_that_is_not_sound_is_no_ceiling_that_was_kept() {
    let mut unsound = arriving(10.0, 0, 5);
    unsound.issues = vec![LevelIssue::invalid(IssueCause::NotMeasured)];
    let ladder = run(1, vec![unsound]);
    let (said, people) = rates(&ladder);
    assert!(said.contains("not measured validly"), "{said}");
    assert_eq!(people, "In people: not measured.");
}

#[test]
fn the_lost_notification_is_named_or_its_absence_is_shouted() {
    let mut lost = level(4, 3.0, 20);
    lost.measured.iterations.succeeded = 0;
    lost.measured.iterations.failed = 4;
    let silent = run(25, vec![lost.clone()]);
    let found = |run: &Run| {
        let parts = Parts {
            lost: Some(run),
            ..Parts::default()
        };
        rendered("lost.md", &parts)
    };
    assert!(found(&silent).contains("NOT FOUND"));
    lost.measured.funnel.first_failures.push(FirstFailure {
        step: Some(vec!["offer-accepted seen".to_owned()]),
        side: Side::Target,
        kind: FaultKind::Eventually,
        status: None,
        what: String::new(),
        failed: 3,
        succeeded: 0,
        first: Example {
            detail: "not true within 2s".to_owned(),
            ..Example::default()
        },
    });
    let said = found(&run(25, vec![lost]));
    assert!(said.contains("4 of 4 trades fail"), "{said}");
    assert!(
        said.contains("in 3 of them the step `offer-accepted seen`, \"not true within 2s\""),
        "{said}"
    );
}

#[test]
fn the_rate_limit_is_told_with_what_was_found_out_about_it_or_that_nothing_was() {
    let mut limited = level(4, 3.0, 20);
    limited.measured.failures.push(Failure {
        side: Side::Target,
        kind: FaultKind::RateLimited,
        what: "auth.login".to_owned(),
        count: 12,
        first: Example::default(),
    });
    let mut run = run(25, vec![level(2, 3.0, 20), limited]);
    let said = |run: &Run| {
        let parts = Parts {
            limiter: Some(run),
            ..Parts::default()
        };
        rendered("limiter.md", &parts)
    };
    let unknown = said(&run);
    assert!(
        unknown.contains("12 responses with status 429, the first at 4 trades at once"),
        "{unknown}"
    );
    assert!(unknown.ends_with("ITS LIMIT WAS NOT FOUND."), "{unknown}");
    run.findings.push(Finding {
        cause: Cause::RateLimiter(RateLimiter {
            limit: Some(100.0),
            limit_stated: true,
            window_s: Some(900.0),
            window_stated: true,
            ..RateLimiter::default()
        }),
        confidence: Confidence::Certain,
        levels: vec![1],
        limits: vec![1],
        evidence: Vec::new(),
        unknown: Vec::new(),
        advice: Vec::new(),
    });
    let known = said(&run);
    assert!(
        known.ends_with("100 requests in 15 min (confidence: certain)."),
        "{known}"
    );
}

#[test]
fn a_ledger_that_does_not_add_up_is_in_the_first_lines() {
    let looked = |held, sum: f64| {
        let mut level = Level::default();
        let mut gauge = Metric::new(MetricKind::Gauge);
        gauge.record(sum, 1.0);
        let name = "sum of all accounts".to_owned();
        level.measured.metrics.insert(name, gauge);
        Run {
            levels: vec![level],
            thresholds: vec![ThresholdResult {
                held: Some(held),
                ..ThresholdResult::default()
            }],
            ..Run::default()
        }
    };
    let (good, bad) = (looked(true, 0.0), looked(false, -4_000.0));
    let with = |ledgers| {
        let parts = Parts {
            ledgers,
            ..Parts::default()
        };
        (rendered("headline.md", &parts), pages(&parts).0)
    };
    let (headline, _) = with(vec![("report", &good)]);
    assert!(
        headline.contains("added up after each of 1 parts"),
        "{headline}"
    );
    let (headline, page) = with(vec![("report", &good), ("rate", &bad)]);
    assert!(
        headline.contains("DID NOT ADD UP after: rate."),
        "{headline}"
    );
    assert!(page.contains("| rate | not known |"), "{page}");
    assert!(page.contains("| −4,000 |"), "{page}");
}

#[test]
fn a_queue_that_is_full_is_told_with_when_to_come_back() {
    let mut level = level(64, 3.0, 20);
    for (name, values) in [
        ("refused after, ms", vec![2.0, 9.0]),
        ("come back after, s", vec![3.0, 3.0]),
        ("let in after, ms", vec![2500.0]),
    ] {
        let mut metric = Metric::new(MetricKind::Trend);
        for value in values {
            metric.record(value, 1.0);
        }
        level.measured.metrics.insert(name.to_owned(), metric);
    }
    let full = run(250, vec![level]);
    let parts = Parts {
        full: Some(&full),
        ..Parts::default()
    };
    let said = rendered("full.md", &parts);
    let expected = "1 let in, 2 answered 503 with `Retry-After: 3`, the last of them after 9 ms";
    assert!(said.contains(expected), "{said}");
}
