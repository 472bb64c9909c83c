use record::{Cause, Level};

use super::levels::{SECONDS, idle, level, timings, with};
use super::{causes, only};

/// A level of `per_s` iterations, each with a login and five requests.
fn flow(per_s: f64, login_ms: f64, request_ms: f64) -> Level {
    let iterations = (per_s * SECONDS) as u64;
    let mut level = with(level(0.0, 1.0), idle());
    level.measured.iterations.started = iterations;
    let requests = &mut level.measured.requests;
    requests.insert("GET /".into(), timings(iterations * 5, request_ms));
    requests.insert("POST /login".into(), timings(iterations, login_ms));
    level
}

#[test]
fn a_login_that_slows_down_alone_is_named() {
    let finding = only(vec![flow(10.0, 20.0, 2.0), flow(48.0, 320.0, 2.1)]);
    let Cause::SlowSetup(setup) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(setup.name, "POST /login");
    assert!((96.0..98.0).contains(&setup.share_percent), "{setup:?}");
}

#[test]
fn a_login_that_stays_as_it_is_or_slows_down_with_the_rest_is_no_finding() {
    assert_eq!(
        causes(vec![flow(10.0, 200.0, 2.0), flow(48.0, 210.0, 2.1)]),
        []
    );
    assert_eq!(
        causes(vec![flow(10.0, 20.0, 2.0), flow(48.0, 320.0, 32.0)]),
        []
    );
}

#[test]
fn an_operation_that_is_done_often_is_the_flow_itself() {
    let often = |per_s: f64, ms: f64| {
        let mut level = flow(per_s, ms, 2.0);
        level.measured.iterations.started /= 3;
        level
    };
    assert_eq!(causes(vec![often(10.0, 20.0), often(48.0, 320.0)]), []);
}
