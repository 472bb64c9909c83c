//! Finds connections that are slow to open: their time grows with the load, and that of the operations on them does not.

use std::collections::BTreeMap;

use model::Nanos;
use record::{
    Advice, Cause, Confidence, ConnectionCost, Evidence, Finding, Level, Run, Timings, Unknown,
};

use crate::extremes::extremes;
use crate::throughput::operations;

/// Fewest connections in each of the two levels.
const FEWEST: u64 = 10;
/// Connections per iteration, below which connections are opened once and kept.
const EACH_ITERATION: f64 = 0.5;
/// Shortest mean time in milliseconds that is a cost.
const SHORTEST_MS: f64 = 5.0;
/// Growth of the time from the smaller load to the larger.
const GROWTH: f64 = 2.0;
/// Share of the time that is spent on opening connections.
const LARGEST_PART: f64 = 0.5;
/// The same at the smaller load. Below it, connections are cheap, and wait for something else: for the one thread that is
/// busy with the operations, for example.
const PART_UNLOADED: f64 = 0.25;

/// Counts and mean times of a level.
struct Costs {
    connections: u64,
    connection_ms: f64,
    operations: u64,
    operation_ms: f64,
}

impl Costs {
    /// The share of the time that is spent on opening connections.
    fn share_of_connections(&self) -> f64 {
        let connecting = self.connections as f64 * self.connection_ms;
        let working = self.operations as f64 * self.operation_ms;
        connecting / (connecting + working).max(f64::MIN_POSITIVE)
    }
}

/// Finds connections whose opening limits the target.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let extremes = extremes(run)?;
    let (few, many) = (costs(extremes.least)?, costs(extremes.most)?);
    let iterations = extremes.most.measured.iterations.started;
    let share = many.share_of_connections();
    let growth = many.connection_ms / few.connection_ms;
    let other_growth = many.operation_ms / few.operation_ms;
    let is_cause = few.connections.min(many.connections) >= FEWEST
        && many.connections as f64 >= iterations as f64 * EACH_ITERATION
        && many.connection_ms >= SHORTEST_MS
        && growth >= GROWTH.max(GROWTH * other_growth)
        && share >= LARGEST_PART
        && few.share_of_connections() >= PART_UNLOADED;
    is_cause.then(|| Finding {
        cause: Cause::ConnectionCost(ConnectionCost {
            ms: many.connection_ms,
            share_percent: share * 100.0,
        }),
        confidence: Confidence::High,
        levels: vec![extremes.most.index],
        limits: Vec::new(),
        evidence: vec![
            Evidence::SlowerAt {
                name: None,
                ms: many.connection_ms,
                than_ms: few.connection_ms,
            },
            Evidence::OthersAt {
                ms: many.operation_ms,
                than_ms: few.operation_ms,
            },
            Evidence::DoneOften {
                count: many.connections,
                others: many.operations,
                iterations,
            },
        ],
        unknown: vec![Unknown::PartOfTheTest],
        advice: vec![Advice::ReuseConnections],
    })
}

fn costs(level: &Level) -> Option<Costs> {
    let all = |of: &mut dyn Iterator<Item = &Timings>| {
        let mut sum = Timings::default();
        of.for_each(|timings| sum.merge(timings));
        sum
    };
    let connections: &BTreeMap<String, Timings> = &level.measured.connections;
    let connections = all(&mut connections.values());
    let operations = all(&mut operations(&level.measured).map(|(_, timings)| timings));
    let mean = |timings: &Timings| timings.service.mean().map(Nanos::as_millis_f64);
    Some(Costs {
        connections: connections.count - connections.failed,
        connection_ms: mean(&connections)?,
        operations: operations.count,
        operation_ms: mean(&operations)?,
    })
}
