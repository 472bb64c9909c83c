//! Finds a generator whose machine has no local ports left for connections to the target.
//!
//! A closed connection keeps its port for a minute. So connections that were opened recently count, too.

use model::{FaultKind, Side};
use record::{Advice, Cause, Confidence, Evidence, Finding, Level, Run};

use crate::throughput::seconds;

/// Share of the ports in use from which no port is free for a new connection.
const USED_UP: f64 = 0.9;
/// Time in seconds for which the kernel keeps the port of a closed connection.
const KEPT_S: f64 = 60.0;

/// Finds exhausted local ports.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let addresses = run.sources.as_ref().map_or(1, |sources| sources.addresses);
    let ports = u64::from(run.machine.local_ports?) * addresses.max(1);
    let exhausted: Vec<(usize, f64, u64)> = run
        .levels
        .iter()
        .filter_map(|level| {
            let failed = failed(level);
            let used = used(level);
            let is_exhausted = failed > 0 && used >= ports as f64 * USED_UP;
            is_exhausted.then_some((level.index, used, failed))
        })
        .collect();
    let &(_, connections, failed) = exhausted
        .iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let levels: Vec<usize> = exhausted.iter().map(|(level, ..)| *level).collect();
    Some(Finding {
        cause: Cause::PortsExhausted { ports },
        confidence: Confidence::High,
        limits: levels.clone(),
        levels,
        evidence: vec![Evidence::PortsUsed {
            connections,
            ports,
            failed,
        }],
        unknown: Vec::new(),
        advice: vec![
            Advice::MoreAddresses {
                loopback: run.levels.iter().any(|level| level.target.is_some()),
                needed: None,
            },
            Advice::ReuseConnections,
        ],
    })
}

/// Operations that failed because the generator lacked something.
fn failed(level: &Level) -> u64 {
    let failures = level.measured.failures.iter();
    failures
        .filter(|failure| failure.side == Side::Generator && failure.kind == FaultKind::Resources)
        .map(|failure| failure.count)
        .sum()
}

/// Ports in use: connections that were open at once, and those that were closed less than a minute ago.
fn used(level: &Level) -> f64 {
    let open = level.target.as_ref().and_then(|target| target.connections);
    let opened: u64 = level
        .measured
        .connections
        .values()
        .map(|timings| timings.count - timings.failed)
        .sum();
    let recent = opened as f64 * (KEPT_S / seconds(level)).min(1.0);
    recent.max(open.unwrap_or(0) as f64)
}
