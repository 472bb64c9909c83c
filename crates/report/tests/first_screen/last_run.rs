//! What changed since the last run, on the first screen of the page.

use model::Verdict;
use record::Run;

use crate::facts::fact;
use crate::parts::{frame, level, named, requests};
use crate::runs;

/// One level of 50 users with p95 from about 1.45 times the typical time.
fn timed(typical_ms: f64, at: &str) -> Run {
    let mut level = level(0, 50);
    level.measured.requests = named("GET /", requests(2_000, typical_ms));
    Run {
        started_at: at.to_owned(),
        levels: vec![level],
        ..frame()
    }
}

const TODAY: &str = "2026-03-01T10:00:00Z";
const BEFORE: &str = "2026-02-28T09:30:12.5Z";

fn since(run: &Run, last: Option<&Run>) -> (String, String) {
    fact(&report::html_after(run, last), "Since the last run")
}

#[test]
fn times_are_compared_with_the_last_run_without_a_claim() {
    let (value, detail) = since(&timed(11.0, TODAY), Some(&timed(10.0, BEFORE)));
    assert!(
        value.starts_with("p95 ") && value.contains(", before "),
        "{value}"
    );
    assert!(
        detail.starts_with("+10 % at 50 users, compared with the run of 2026-02-28 09:30 UTC."),
        "{detail}"
    );
    assert!(
        detail.contains("One run each proves no difference"),
        "{detail}"
    );
    let (_, faster) = since(&timed(9.0, TODAY), Some(&timed(10.0, BEFORE)));
    assert!(faster.starts_with("−10 %"), "{faster}");
}

#[test]
fn the_highest_load_that_held_is_compared_first() {
    let mut worse = runs::healthy();
    worse.verdict = Verdict::Failed;
    for result in worse
        .thresholds
        .iter_mut()
        .filter(|result| result.level == 2)
    {
        result.held = Some(false);
    }
    let (value, _) = since(&worse, Some(&runs::healthy()));
    assert_eq!(value, "Worse: 200 users held, before 1,000 users");
    let (value, _) = since(&runs::healthy(), Some(&worse));
    assert_eq!(value, "Better: 1,000 users held, before 200 users");
    let (value, _) = since(&runs::healthy(), Some(&runs::healthy()));
    assert!(value.starts_with("p95 "), "{value}");
}

#[test]
fn a_last_run_that_differs_is_not_compared_but_named() {
    let mut other = timed(10.0, BEFORE);
    other.machine.cores = Some(64);
    other.workers = 8;
    let (value, detail) = since(&timed(10.0, TODAY), Some(&other));
    assert_eq!(value, "Not comparable");
    assert_eq!(
        detail,
        "The run of 2026-02-28 09:30 UTC differs in: workers, machine."
    );
    let mut other = timed(10.0, BEFORE);
    other.levels[0].load.users = 60;
    assert_eq!(since(&timed(10.0, TODAY), Some(&other)).0, "Not comparable");
    assert_eq!(since(&timed(10.0, TODAY), None).0, "No earlier run");
}
