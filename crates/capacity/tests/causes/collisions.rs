use model::{FaultKind, Side};
use record::{Cause, Example, FirstFailure, Level};

use super::levels::{SECONDS, idle, level, with};
use super::{causes, only};

/// A level of `per_s` creations, of which this share failed with this status.
fn creating(per_s: f64, share: f64, status: u16) -> Level {
    let mut level = with(level(per_s, 5.0), idle());
    level.measured.funnel.first_failures = vec![FirstFailure {
        step: None,
        side: Side::Target,
        kind: FaultKind::Status,
        status: Some(status),
        what: "GET /".into(),
        failed: (per_s * SECONDS * share) as u64,
        succeeded: 0,
        first: Example::default(),
    }];
    level
}

#[test]
fn conflicts_that_grow_with_the_load_are_named() {
    let finding = only(vec![creating(10.0, 0.05, 409), creating(100.0, 0.4, 409)]);
    let Cause::UniquenessCollisions(collisions) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(collisions.name, "GET /");
    assert!((collisions.share_percent - 40.0).abs() < 1e-9);
}

#[test]
fn conflicts_at_every_load_at_one_load_or_other_failures_are_no_finding() {
    assert_eq!(
        causes(vec![creating(10.0, 0.4, 409), creating(100.0, 0.4, 409)]),
        []
    );
    assert_eq!(causes(vec![creating(100.0, 0.4, 409)]), []);
    assert_eq!(
        causes(vec![creating(10.0, 0.05, 500), creating(100.0, 0.4, 500)]),
        []
    );
}
