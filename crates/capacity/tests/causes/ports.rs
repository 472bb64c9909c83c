use model::{FaultKind, Side};
use record::{Cause, Example, Failure, Finding, Level, Machine, Run};

use super::levels::{idle, level, target, timings, with};

/// A run whose generator has 1,000 ports, with this number of connections opened, and failures of this kind.
fn findings(connections: u64, kind: FaultKind) -> Vec<Finding> {
    capacity::findings(&run(exhausted(connections, kind)))
}

fn exhausted(connections: u64, kind: FaultKind) -> Level {
    let mut level = with(level(100.0, 1.0), idle());
    let opened = timings(connections, 0.2);
    level.measured.connections.insert("http".into(), opened);
    level.measured.failures = vec![Failure {
        side: Side::Generator,
        kind,
        what: "http".into(),
        count: 7,
        first: Example::default(),
    }];
    level
}

fn run(level: Level) -> Run {
    Run {
        machine: Machine {
            local_ports: Some(1000),
            ..Machine::default()
        },
        levels: vec![level],
        ..Run::default()
    }
}

#[test]
fn failures_once_all_ports_are_in_use_are_named() {
    let found = findings(960, FaultKind::Resources);
    let [finding] = &found[..] else {
        panic!("{found:#?}")
    };
    assert_eq!(finding.cause, Cause::PortsExhausted { ports: 1000 });
}

#[test]
fn failures_with_ports_left_or_of_another_kind_are_no_finding() {
    assert_eq!(findings(800, FaultKind::Resources), []);
    assert_eq!(findings(960, FaultKind::Refused), []);
}

#[test]
fn a_limit_of_the_target_comes_before_the_ports_of_the_generator() {
    let busy = target(2, &[("main", 99.0, 0.5)]);
    let level = with(exhausted(960, FaultKind::Resources), busy);
    let found = capacity::findings(&run(level));
    let ids: Vec<&str> = found.iter().map(|finding| finding.cause.id()).collect();
    assert_eq!(ids, ["saturated_thread", "ports_exhausted"]);
}
