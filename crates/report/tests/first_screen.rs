//! The first screen of the page names the side at fault for every kind of run, and what changed since the last run.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "first_screen/facts.rs"]
mod facts;
#[path = "first_screen/last_run.rs"]
mod last_run;
#[path = "common/parts.rs"]
mod parts;
#[path = "common/runs.rs"]
mod runs;

use facts::{fact, facts};
use model::{FaultKind, LossReason, Side, Verdict};
use parts::{editor_level, failure, frame, threshold};
use record::{DropCause, FirstFailure, Inconclusive, IssueCause, LevelIssue, Limits, Run};

fn at_fault(run: &Run) -> (String, String) {
    fact(&report::html(run), "At fault")
}

/// One level of the editor with a broken threshold.
fn broken(metric: &str, condition: &str) -> Run {
    Run {
        verdict: Verdict::Failed,
        levels: vec![editor_level(0, 50, 1.4, 0)],
        thresholds: vec![threshold(0, (metric, condition), "7", Some(false))],
        ..frame()
    }
}

fn lost(reason: LossReason) -> Run {
    let mut run = broken("delivery(code-change)", "lost == 0");
    let edits = run.levels[0].measured.deliveries.get_mut("code-change");
    let edits = edits.unwrap();
    edits.delivered -= 7;
    edits.lost = [(reason, 7)].into();
    run
}

fn failing(side: Side, kind: FaultKind) -> Run {
    let mut run = broken("requests", "failed == 0");
    run.levels[0].measured.failures = vec![failure(side, kind, "GET /rooms/:id", 7, "it said no")];
    run
}

/// More would not fit on the first screen.
const LONGEST: usize = 420;

#[test]
fn every_run_has_four_facts_that_fit() {
    let all: [fn() -> Run; 6] = [
        runs::healthy,
        runs::with_losses,
        runs::invalid,
        runs::interrupted,
        runs::requests_only,
        runs::crowded,
    ];
    for run in all.map(|run| run()) {
        let facts = facts(&report::html(&run));
        assert_eq!(facts.len(), 4);
        for [title, value, detail] in facts {
            assert!(!title.is_empty() && !value.is_empty(), "{title} {value}");
            assert!(detail.chars().count() < LONGEST, "{title}: {detail}");
        }
    }
}

#[test]
fn each_reason_of_losses_names_its_side() {
    for (reason, side, said) in [
        (
            LossReason::NeverSeen,
            "The target",
            "receivers stayed connected",
        ),
        (
            LossReason::ReceiverDisconnected,
            "The target",
            "the target closed it",
        ),
        (
            LossReason::ReceiverLeft,
            "The script",
            "The script stopped listening",
        ),
        (
            LossReason::Misplaced,
            "The target or the script",
            "not where the channel looks",
        ),
        (
            LossReason::OwnCopy,
            "The target or the script",
            "no copy to the sender",
        ),
        (LossReason::SendFailed, "The target", "refused the message"),
        (LossReason::Unknown, "Unknown", "does not name the reason"),
    ] {
        let (value, detail) = at_fault(&lost(reason));
        assert_eq!(value, side, "{detail}");
        assert!(detail.starts_with("All 7 lost deliveries: "), "{detail}");
        assert!(detail.contains(said), "{detail}");
    }
}

#[test]
fn a_network_is_possible_unless_the_target_is_on_this_machine() {
    let mut run = lost(LossReason::ReceiverDisconnected);
    run.target = "http://10.0.0.7:5000".to_owned();
    assert_eq!(at_fault(&run).0, "The target or the network");
    let closed = failure(
        Side::Target,
        FaultKind::Closed,
        "Socket.IO /",
        2,
        "1011 overloaded",
    );
    run.levels[0].measured.failures = vec![closed];
    let (value, detail) = at_fault(&run);
    assert_eq!(value, "The target", "it closed the connections itself");
    assert!(
        detail.contains("closed, Socket.IO / (2 at 50 users)"),
        "{detail}"
    );
    let mut unresolved = failing(Side::Target, FaultKind::Resolve);
    unresolved.target = "http://shop.test".to_owned();
    assert_eq!(at_fault(&unresolved).0, "The network");
}

#[test]
fn losses_beside_late_times_are_explained_too() {
    let (value, detail) = at_fault(&runs::with_losses());
    assert_eq!(value, "The target");
    assert!(
        detail.starts_with("Slow, for no cause that headcount recognises."),
        "{detail}"
    );
    assert!(
        detail.contains("All 312 lost deliveries: receiver disconnected."),
        "{detail}"
    );
}

#[test]
fn losses_of_all_messages_may_be_the_scripts_mistake() {
    let mut run = lost(LossReason::NeverSeen);
    let edits = run.levels[0].measured.deliveries.get_mut("code-change");
    let edits = edits.unwrap();
    edits.delivered = 0;
    edits.lost = [(LossReason::NeverSeen, edits.expected)].into();
    let (value, detail) = at_fault(&run);
    assert_eq!(value, "The target or the script");
    assert!(detail.contains("audience may be wrong"), "{detail}");
}

#[test]
fn each_kind_of_failure_names_its_side() {
    for (side, kind, expected) in [
        (Side::Target, FaultKind::Status, "The target"),
        (Side::Target, FaultKind::TimedOut, "The target"),
        (Side::Target, FaultKind::Check, "The target or the script"),
        (Side::Generator, FaultKind::Resources, "The generator"),
        (Side::Script, FaultKind::Thrown, "The script"),
    ] {
        let (value, detail) = at_fault(&failing(side, kind));
        assert_eq!(value, expected);
        let example = "GET /rooms/:id (7 at 50 users), such as &quot;it said no&quot;.";
        assert!(detail.contains(example), "{detail}");
    }
}

#[test]
fn errors_of_the_script_that_follow_from_the_target_are_the_targets() {
    let mut run = failing(Side::Script, FaultKind::Thrown);
    run.thresholds[0].metric = "iterations".to_owned();
    assert_eq!(at_fault(&run).0, "The script");
    let first = FirstFailure {
        step: None,
        side: Side::Target,
        kind: FaultKind::RateLimited,
        status: Some(429),
        what: "POST /trades".to_owned(),
        failed: 7,
        succeeded: 0,
        first: record::Example::default(),
    };
    run.levels[0].measured.funnel.first_failures = vec![first];
    let (value, detail) = at_fault(&run);
    assert_eq!(value, "The target");
    assert!(
        detail.contains("rate-limited, POST /trades (7 at 50 users)"),
        "{detail}"
    );
}

#[test]
fn late_times_are_the_targets_with_the_bound_of_headcounts_own_error() {
    let (value, detail) = at_fault(&broken("delivery(code-change)", "p95 < 1ms"));
    assert_eq!(value, "The target");
    for part in [
        "Slow, for no cause that headcount recognises. The target is on this machine, so no network is involved.",
        "The generator adds at most",
    ] {
        assert!(detail.contains(part), "{part}: {detail}");
    }
    let mut far = broken("requests", "p95 < 1ms");
    far.target = "https://shop.test".to_owned();
    assert_eq!(at_fault(&far).0, "The target or the network");
    let with_pauses = at_fault(&broken("iterations", "p95 < 1s"));
    assert_eq!(with_pauses.0, "The target or the script");
}

#[test]
fn thresholds_on_other_figures_name_a_side_or_say_why_not() {
    for (metric, condition, expected) in [
        ("target", "memory < 1MB", "The target"),
        ("metric(queue)", "p95 < 3", "Unknown"),
        ("checks", "failed == 0", "The target or the script"),
        ("converged", "diverged == 0", "The target or the script"),
        ("delivery(code-change)", "duplicated == 0", "The target"),
        ("requests", "rate > 9000/s", "The target or the script"),
    ] {
        let (value, detail) = at_fault(&broken(metric, condition));
        assert_eq!(value, expected, "{metric} {condition}");
        assert!(detail.ends_with('.'), "{detail}");
    }
}

#[test]
fn dropped_starts_are_due_to_what_the_users_were_doing() {
    for (cause, expected) in [
        (DropCause::UsersWaiting, "The target"),
        (DropCause::UsersBusy, "The script"),
        (DropCause::GeneratorBehind, "The generator"),
    ] {
        let mut run = broken("iterations", "dropped == 0");
        let iterations = &mut run.levels[0].measured.iterations;
        iterations.dropped = 5;
        iterations.dropped_by_cause = [(cause, 5)].into();
        assert_eq!(at_fault(&run).0, expected);
    }
}

#[test]
fn an_invalid_level_is_due_to_the_generator() {
    let mut run = runs::invalid();
    let (value, detail) = at_fault(&run);
    assert_eq!(value, "The generator");
    assert!(detail.contains("busy for 99.2 % of the time"), "{detail}");
    run.levels[1].issues = vec![LevelIssue::invalid(IssueCause::ShortMeasurement {
        measured_ms: 5.0,
        needed_ms: 50.0,
    })];
    assert_eq!(at_fault(&run).0, "The script");
}

#[test]
fn a_threshold_that_stays_open_names_the_side_that_leaves_it_open() {
    let undecided = |why| {
        let mut run = broken("requests", "p95 < 1s");
        run.verdict = Verdict::Inconclusive;
        run.thresholds[0].held = None;
        run.thresholds[0].inconclusive = Some(why);
        run.thresholds[0].limits = Some(Limits::Latency);
        at_fault(&run)
    };
    let (value, detail) = undecided(Inconclusive::TooFewSamples {
        have: 120,
        need: 200,
    });
    assert_eq!(value, "The script");
    assert!(detail.contains("needs about 80 more samples"), "{detail}");
    let own = Inconclusive::OwnFailures { operations: 3 };
    assert_eq!(undecided(own).0, "The generator");
    assert_eq!(undecided(Inconclusive::NoData).0, "Unknown");
}

#[test]
fn nobody_is_at_fault_if_nothing_failed() {
    let (value, detail) = at_fault(&runs::healthy());
    assert_eq!(value, "Nobody");
    assert!(
        detail.starts_with("Every threshold held. At 1,000 users: target CPU"),
        "{detail}"
    );
    let (value, detail) = at_fault(&runs::requests_only());
    assert_eq!(value, "Nobody");
    assert!(detail.starts_with("Nothing failed."), "{detail}");
    let (value, _) = at_fault(&runs::interrupted());
    assert_eq!(value, "Unknown");
}

#[test]
fn losses_without_a_threshold_have_a_side_too() {
    let mut run = runs::with_losses();
    run.thresholds.clear();
    run.verdict = Verdict::Passed;
    assert_eq!(
        at_fault(&run).0,
        "The script",
        "a line of the script throws"
    );
    run.levels[1].measured.failures.clear();
    let (value, detail) = at_fault(&run);
    assert_eq!(value, "The target");
    assert!(
        detail.contains("312 lost deliveries: receiver disconnected"),
        "{detail}"
    );
}
