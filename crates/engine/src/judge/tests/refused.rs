//! Tests which refusals count although the generator was late.

use model::{FaultKind, Side};
use record::{DelayStatistic, Example, Failure, LateAt, Lateness, Run};

use super::*;

fn late_by(late: Nanos) -> LevelIssue {
    LevelIssue::invalid(IssueCause::Late(Lateness {
        what: LateAt::Start,
        late,
        statistic: DelayStatistic::P99,
        share_percent: Some(50.0),
        limit: Nanos::from_millis(2),
        limit_percent: Some(25.0),
        cpu_wait_percent: None,
    }))
}

fn failure(what: &str, kind: FaultKind, count: u64) -> Failure {
    Failure {
        side: Side::Target,
        kind,
        what: what.to_owned(),
        count,
        first: Example::default(),
    }
}

/// 20 logins, of which `failed` failed in this way, and 1,000 other requests without a failure. The generator was late
/// by 4.65 ms.
fn logins(failed: u64, kind: FaultKind) -> Level {
    let mut level = requests(1_000, 0);
    let mut logins = timings(20, 0);
    logins.failed = failed;
    level
        .measured
        .requests
        .insert("POST /login".to_owned(), logins);
    level.measured.failures = vec![failure("POST /login", kind, failed)];
    level.issues = vec![late_by(Nanos::from_micros(4_650))];
    level
}

#[test]
fn a_target_that_refuses_every_request_of_a_name_does_so_however_late_the_generator_is() {
    let level = logins(20, FaultKind::Status);
    for (subject, condition) in [
        ("requests", "failed == 0"),
        ("requests", "failed < 1%"),
        ("requests", "failed <= 19"),
        ("request(POST /login)", "failed < 50%"),
    ] {
        assert_eq!(
            held(&level, subject, condition),
            Some(false),
            "{subject} {condition}"
        );
    }
    assert_eq!(
        held(&level, "requests", "failed < 5%"),
        Some(true),
        "20 of 1,020"
    );
    let grpc = logins(20, FaultKind::Grpc);
    assert_eq!(held(&grpc, "requests", "failed == 0"), Some(false));
}

#[test]
fn what_a_late_generator_may_have_caused_decides_nothing() {
    let unclear = |level: &Level, subject: &str, condition: &str| {
        assert_eq!(
            why(level, subject, condition),
            Inconclusive::InvalidLevel,
            "{subject} {condition}"
        );
    };
    let failed = ("requests", "failed == 0");
    // The target served one of them.
    unclear(&logins(19, FaultKind::Status), failed.0, failed.1);
    for kind in [
        FaultKind::RateLimited,
        FaultKind::Content,
        FaultKind::TimedOut,
        FaultKind::Refused,
        FaultKind::Denied,
    ] {
        unclear(&logins(20, kind), failed.0, failed.1);
    }
    let refused = || logins(20, FaultKind::Status);
    for (subject, condition) in [
        ("requests", "p95 < 1ms"),
        ("requests", "failed > 30"),
        ("requests", "failed == 7"),
        ("request(GET /)", "count > 5000"),
    ] {
        unclear(&refused(), subject, condition);
    }
    // Refusals of headcount itself.
    let mut own = refused();
    own.measured.failures[0].side = Side::Generator;
    assert_eq!(held(&own, failed.0, failed.1), None);
    // Failures of another name that headcount caused take none of the refusals away.
    let mut both = refused();
    if let Some(other) = both.measured.requests.get_mut("GET /") {
        other.failed = 25;
    }
    let mut ours = failure("GET /", FaultKind::Resources, 25);
    ours.side = Side::Generator;
    both.measured.failures.push(ours);
    assert_eq!(held(&both, failed.0, failed.1), Some(false));
    // Failures of another name do not count, and only they break this limit.
    let mut others = refused();
    if let Some(other) = others.measured.requests.get_mut("GET /") {
        other.failed = 5;
    }
    others
        .measured
        .failures
        .push(failure("GET /", FaultKind::Status, 5));
    unclear(&others, "request(GET /)", "failed == 0");
    unclear(&others, "requests", "failed <= 20");
    assert_eq!(held(&others, "requests", "failed <= 19"), Some(false));
}

#[test]
fn refusals_count_only_beside_small_delays_and_if_there_are_many() {
    let with = |issues: Vec<LevelIssue>| {
        let level = Level {
            issues,
            ..logins(20, FaultKind::Status)
        };
        held(&level, "requests", "failed == 0")
    };
    assert_eq!(with(vec![late_by(Nanos::from_millis(100))]), Some(false));
    assert_eq!(with(vec![late_by(Nanos::from_millis(101))]), None);
    let busy = IssueCause::WorkerBusy {
        busy_percent: 99.0,
        cpu_wait_percent: None,
        limit_percent: 95.0,
    };
    let both = |busy| vec![late_by(Nanos::from_millis(5)), busy];
    assert_eq!(with(both(LevelIssue::invalid(busy.clone()))), None);
    assert_eq!(with(both(LevelIssue::questionable(busy))), Some(false));
    let few = |number: u64| {
        let mut level = logins(number, FaultKind::Status);
        let mut few = timings(number, 0);
        few.failed = number;
        level
            .measured
            .requests
            .insert("POST /login".to_owned(), few);
        held(&level, "requests", "failed == 0")
    };
    assert_eq!((few(9), few(10)), (None, Some(false)));
}

#[test]
fn a_run_fails_if_the_target_refuses_everything_however_late_the_generator_is() {
    let verdict_of = |level: &Level| {
        verdict(&Run {
            levels: vec![level.clone()],
            ..Run::default()
        })
    };
    let refused = |late, requests: &[(&str, u64)]| {
        let mut level = level(Measured::default());
        for (name, failed) in requests {
            let mut refused = timings(20, 0);
            refused.failed = *failed;
            level.measured.requests.insert((*name).to_owned(), refused);
            level
                .measured
                .failures
                .push(failure(name, FaultKind::Status, *failed));
        }
        level.measured.iterations = Iterations {
            started: 20,
            failed: 20,
            ..Iterations::default()
        };
        level.issues = vec![late_by(late)];
        level
    };
    let slightly = Nanos::from_millis(5);
    let all = [("GET /", 20), ("POST /login", 20)];
    assert_eq!(verdict_of(&refused(slightly, &all)), Verdict::Failed);
    let some = [("GET /", 20), ("POST /login", 19)];
    assert_eq!(verdict_of(&refused(slightly, &some)), Verdict::Inconclusive);
    let very = Nanos::from_secs(1);
    assert_eq!(verdict_of(&refused(very, &all)), Verdict::Inconclusive);
    assert_eq!(verdict_of(&refused(slightly, &[])), Verdict::Inconclusive);
}
