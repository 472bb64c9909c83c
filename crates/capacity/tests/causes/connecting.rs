use record::{Cause, Level};

use super::levels::{SECONDS, idle, level, timings, with};
use super::{causes, only};

/// A level of `per_s` iterations, each with `connections` and three requests.
fn opening(per_s: f64, connections: f64, connection_ms: f64, request_ms: f64) -> Level {
    let iterations = per_s * SECONDS;
    let mut level = with(level(0.0, 1.0), idle());
    level.measured.iterations.started = iterations as u64;
    let opened = timings((iterations * connections) as u64, connection_ms);
    level.measured.connections.insert("room".into(), opened);
    let requests = timings(iterations as u64 * 3, request_ms);
    level.measured.requests.insert("GET /".into(), requests);
    level
}

#[test]
fn connections_that_become_slow_to_open_are_named() {
    let finding = only(vec![
        opening(10.0, 1.0, 8.0, 3.0),
        opening(60.0, 1.0, 90.0, 4.0),
    ]);
    let Cause::ConnectionCost(cost) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(cost.ms, 90.0);
    assert!((88.0..89.0).contains(&cost.share_percent), "{cost:?}");
}

#[test]
fn connections_as_slow_at_every_load_or_slow_like_the_rest_are_no_finding() {
    let far = vec![
        opening(10.0, 1.0, 90.0, 30.0),
        opening(60.0, 1.0, 91.0, 30.0),
    ];
    assert_eq!(causes(far), []);
    let busy = vec![opening(10.0, 1.0, 8.0, 3.0), opening(60.0, 1.0, 90.0, 34.0)];
    assert_eq!(causes(busy), []);
}

#[test]
fn connections_that_are_opened_once_and_kept_are_no_finding() {
    let kept = vec![opening(40.0, 0.1, 8.0, 3.0), opening(90.0, 0.1, 90.0, 4.0)];
    assert_eq!(causes(kept), []);
}

/// A Redis server that is busy with slow commands accepts connections late, although accepting costs it nothing.
#[test]
fn cheap_connections_that_wait_for_slow_operations_are_no_finding() {
    let waiting = vec![opening(10.0, 1.0, 0.3, 4.0), opening(60.0, 1.0, 75.0, 19.0)];
    assert_eq!(causes(waiting), []);
}
