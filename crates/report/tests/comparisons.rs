//! Comparisons as their readers see them.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

use comparison::{FailIf, Margins, Request, compare};
use model::Nanos;
use record::{
    IssueCause, Level, LevelIssue, Load, Measured, Phases, Run, ThresholdResult, Timings,
};
use report::{Compared, Terminal, comparison, comparison_markdown, not_comparable};

/// A run with requests that take `time_ms`, started `minute` minutes after a fixed time.
fn run(minute: usize, time_ms: f64) -> Run {
    let mut timings = Timings::default();
    for index in 0..2_000_u32 {
        let time = Nanos::from_secs_f64(time_ms * (1.0 + f64::from(index % 100) / 100.0) / 1e3);
        timings.answered(time, time, index % 500 == 0);
    }
    let mut measured = Measured::default();
    measured.requests.insert("GET /cart".to_owned(), timings);
    Run {
        started_at: format!("2026-11-21T12:{minute:02}:00Z"),
        tool: "headcount 0.1.0".to_owned(),
        workers: 1,
        levels: vec![Level {
            load: Load {
                users: 50,
                groups: 50,
                group_size: "1".to_owned(),
                ..Load::default()
            },
            phases: Phases {
                duration_s: 10.0,
                ..Phases::default()
            },
            measured,
            ..Level::default()
        }],
        thresholds: vec![ThresholdResult {
            level: 0,
            metric: "requests".to_owned(),
            condition: "p95 < 100ms".to_owned(),
            limits: None,
            observed: None,
            held: Some(true),
            inconclusive: None,
            counted: None,
        }],
        ..Run::default()
    }
}

/// Five alternating pairs whose second side takes `effect` longer, with a fixed variation from run to run.
fn pairs(effect: f64, spread: f64) -> (Vec<Run>, Vec<Run>) {
    let (mut base, mut new) = (Vec::new(), Vec::new());
    for minute in 0..10 {
        let is_new = matches!(minute % 4, 1 | 2);
        let variation = 1.0 + spread * ((minute * 7 % 10) as f64 / 4.5 - 1.0);
        let time = 20.0 * variation * if is_new { 1.0 + effect } else { 1.0 };
        if is_new {
            new.push(run(minute, time));
        } else {
            base.push(run(minute, time));
        }
    }
    (base, new)
}

fn rendered(base: &[Run], new: &[Run], conditions: &[&str], markdown: bool) -> String {
    let conditions: Vec<FailIf> = conditions
        .iter()
        .map(|text| FailIf::parse(text).unwrap())
        .collect();
    let request = Request {
        base,
        new,
        is_history: false,
        margins: Margins::default(),
        conditions: &conditions,
        allowed: &[],
    };
    let found = compare(&request).unwrap();
    let judged: Vec<_> = conditions
        .iter()
        .map(|one| (one.clone(), one.judge(&found)))
        .collect();
    let compared = Compared {
        base: "old",
        new: "new",
        comparison: &found,
        conditions: &judged,
        all: false,
    };
    if markdown {
        comparison_markdown(compared)
    } else {
        comparison(
            compared,
            Terminal {
                width: Some(110),
                ..Terminal::default()
            },
        )
    }
}

#[test]
fn a_slower_target_is_told_first() {
    let (mut base, mut new) = pairs(0.08, 0.01);
    for (side, version) in [(&mut base, "1.4.2"), (&mut new, "1.5.0")] {
        side[0].target_version = Some(version.to_owned());
    }
    insta::assert_snapshot!(rendered(&base, &new, &["p95 +3%"], false));
}

#[test]
fn no_difference_is_told_with_its_bound() {
    let (base, new) = pairs(0.0, 0.005);
    insta::assert_snapshot!(rendered(&base, &new, &[], false));
}

#[test]
fn an_open_question_is_told_with_what_would_answer_it() {
    let (base, new) = pairs(0.02, 0.1);
    insta::assert_snapshot!(rendered(&base, &new, &["p95 +5%"], true));
}

#[test]
fn one_run_each_is_told_as_no_evidence() {
    insta::assert_snapshot!(rendered(&[run(0, 20.0)], &[run(1, 30.0)], &[], false));
}

#[test]
fn runs_that_cannot_be_compared_are_told_with_what_differs() {
    let mut other = run(1, 20.0);
    other.workers = 2;
    other.levels[0].load.users = 60;
    other.levels[0].issues = vec![LevelIssue::invalid(IssueCause::NotMeasured)];
    let obstacles = comparison::obstacles(&[&run(0, 20.0), &other]);
    let names = ["old/run.json", "new/run.json"].map(str::to_owned);
    insta::assert_snapshot!(not_comparable(&obstacles, &names));
}
