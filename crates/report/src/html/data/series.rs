//! The time series of a level in columns, which are smaller than a list of objects.

use record::{Level, TargetSample, Window};
use serde::Serialize;
use stats::HeatMap;

use super::times::rounded;

/// Windows of one second. Each column has one value for each window.
#[derive(Serialize)]
pub(super) struct Series {
    /// Start in seconds since the start of the level.
    start_s: Vec<f64>,
    users: Vec<u64>,
    /// Requests and round trips that ended.
    operations: Vec<u64>,
    failed: Vec<u64>,
    messages: Vec<u64>,
    deliveries: Vec<u64>,
    p50_ms: Vec<Option<f64>>,
    p95_ms: Vec<Option<f64>>,
    p99_ms: Vec<Option<f64>>,
    max_ms: Vec<Option<f64>>,
}

impl Series {
    pub(super) fn of(level: &Level) -> Self {
        let windows = &level.series;
        let counts = |of: fn(&Window) -> u64| windows.iter().map(of).collect();
        let times = |of: fn(&Window) -> Option<f64>| {
            windows
                .iter()
                .map(|window| of(window).map(rounded))
                .collect()
        };
        Self {
            start_s: windows.iter().map(|window| window.start_s).collect(),
            users: counts(|window| window.users),
            operations: counts(|window| window.requests + window.round_trips),
            failed: counts(|window| window.failed),
            messages: counts(|window| window.messages),
            deliveries: counts(|window| window.deliveries),
            p50_ms: times(|window| window.p50_ms),
            p95_ms: times(|window| window.p95_ms),
            p99_ms: times(|window| window.p99_ms),
            max_ms: times(|window| window.max_ms),
        }
    }
}

/// The times of a level over time.
#[derive(Serialize)]
pub(super) struct Heat {
    /// Width of a column in seconds.
    width_s: u32,
    /// For each column, the number of operations without a known time, and the non-empty rows with their counts.
    columns: Vec<(u64, Vec<(u16, u64)>)>,
}

impl Heat {
    pub(super) fn of(map: &HeatMap) -> Self {
        let columns = map.columns();
        let columns = columns.map(|column| (column.endless(), column.rows().to_vec()));
        Self {
            width_s: map.width_s(),
            columns: columns.collect(),
        }
    }
}

/// Samples of the target's process, in columns.
#[derive(Serialize)]
pub(super) struct Samples {
    /// Time in seconds since the start of the level.
    at_s: Vec<f64>,
    cpu_percent: Vec<Option<f64>>,
    thread_percent: Vec<Option<f64>>,
    memory_mb: Vec<Option<f64>>,
    connections: Vec<Option<f64>>,
    listen_queue: Vec<Option<f64>>,
    /// Times at which the process was found to have ended.
    ends_s: Vec<f64>,
}

impl Samples {
    pub(super) fn of(level: &Level) -> Self {
        let target = level.target.as_ref();
        let samples = target.map_or(&[][..], |target| &target.samples);
        let column = |of: fn(&TargetSample) -> Option<f64>| {
            samples
                .iter()
                .map(|sample| of(sample).map(rounded))
                .collect()
        };
        let ends = target.into_iter().flat_map(|target| &target.ends);
        Self {
            at_s: samples.iter().map(|sample| rounded(sample.at_s)).collect(),
            cpu_percent: column(|sample| sample.cpu_percent),
            thread_percent: column(|sample| sample.busiest_thread_percent),
            memory_mb: column(|sample| sample.memory_mb),
            connections: column(|sample| sample.connections.map(|number| number as f64)),
            listen_queue: column(|sample| sample.listen_queue.map(|number| number as f64)),
            ends_s: ends.map(|end| rounded(end.at_s)).collect(),
        }
    }
}
