//! Tests that failures which headcount's own limits caused break nothing.

use plan::SubjectKind;

use super::*;

fn own(what: &str, count: u64) -> record::Failure {
    record::Failure {
        side: model::Side::Generator,
        kind: model::FaultKind::TooLarge,
        what: what.to_owned(),
        count,
        first: record::Example::default(),
    }
}

fn failing(failed: u64) -> Timings {
    Timings {
        failed,
        ..timings(20, 0)
    }
}

#[test]
fn failures_that_our_own_limits_caused_break_nothing() {
    let mut measured = Measured {
        requests: named("GET /big", timings(90, 0)),
        ..Measured::default()
    };
    let failed = |level: &mut Level, failed| {
        let all = level.measured.requests.get_mut("GET /big");
        all.unwrap().failed = failed;
    };
    measured.failures.push(own("GET /big", 45));
    let mut level = level(measured);
    failed(&mut level, 45);
    let own = Inconclusive::OwnFailures { operations: 45 };
    for subject in ["requests", "request(GET /big)"] {
        assert_eq!(why(&level, subject, "failed < 1%"), own);
        assert_eq!(held(&level, subject, "failed <= 50%"), Some(true));
    }
    failed(&mut level, 46);
    assert_eq!(held(&level, "requests", "failed == 0"), Some(false));
    failed(&mut level, 90);
    level.measured.failures[0].count = 90;
    let run = Run {
        levels: vec![level],
        ..Run::default()
    };
    assert_eq!(verdict(&run), Verdict::Inconclusive, "none succeeded");
}

#[test]
fn own_failures_and_operations_in_flight_are_both_unknown() {
    let mut requests = failing(4);
    (0..3).for_each(|_| requests.left_open(Nanos::from_millis(40)));
    let level = level(Measured {
        requests: named("GET /", requests),
        failures: vec![own("GET /", 4)],
        ..Measured::default()
    });
    let unknown = Inconclusive::OwnFailures { operations: 7 };
    assert_eq!(why(&level, "requests", "failed < 7"), unknown);
    assert_eq!(held(&level, "requests", "failed <= 7"), Some(true));
}

/// Whether the threshold holds that none of these operations failed. Four of each of two kinds failed, those of the first
/// at a limit of headcount.
fn none_failed(subject: &str, [ours, theirs]: [&str; 2]) -> Option<bool> {
    let both = || [ours, theirs].map(|name| (name.to_owned(), failing(4)));
    let mut measured = Measured {
        failures: vec![own(ours, 4)],
        ..Measured::default()
    };
    match Subject::parse(subject).unwrap().kind {
        SubjectKind::Request => measured.requests = both().into(),
        SubjectKind::RoundTrip => measured.round_trips = both().into(),
        _ => measured.connections = both().into(),
    }
    held(&level(measured), subject, "failed == 0")
}

#[test]
fn own_failures_belong_to_the_operations_that_their_name_selects() {
    for (subject, names, held) in [
        ("request(GET /)", ["GET /", "GET /x"], None),
        ("request(GET /)", ["GET /{to=eu}", "GET /x"], None),
        ("request({to=eu})", ["GET /{to=eu}", "GET /{to=us}"], None),
        (
            "request({to=us})",
            ["GET /{to=eu}", "GET /{to=us}"],
            Some(false),
        ),
        ("request(GET /x)", ["GET /", "GET /x"], Some(false)),
        ("roundTrip(ask)", ["ask", "tell"], None),
        ("roundTrip(tell)", ["ask", "tell"], Some(false)),
        ("roundTrip(tell)", ["tell{to=eu}", "tell"], Some(false)),
        ("connection(/a)", ["/a", "/b"], None),
        ("connection(/b)", ["/a", "/b"], Some(false)),
    ] {
        assert_eq!(none_failed(subject, names), held, "{subject}: {names:?}");
    }
}
