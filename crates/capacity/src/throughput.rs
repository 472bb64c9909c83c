//! The operations of a level: how many ended, and how many were in flight.

use plan::RateProfile;
use record::{Evidence, Level, Measured, Timings};

use crate::windows;

/// Share of a level's operations that an operation needs in order to stand for the whole level.
const MAIN_SHARE: f64 = 0.8;

/// Factor by which the operations in flight must exceed those of a smaller load to be clearly more.
pub(crate) const MORE_IN_FLIGHT: f64 = 1.4;

/// Throughput of a level, or of one operation in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throughput {
    /// Operations that succeeded, per second.
    pub(crate) per_s: f64,
    /// Mean service time in seconds.
    pub(crate) time_s: f64,
    /// Operations in flight on average, by Little's law.
    pub(crate) in_flight: f64,
    /// Share of operations that failed, other than by a timeout.
    pub(crate) failed: f64,
    /// Share of operations that timed out.
    pub(crate) timed_out: f64,
}

/// Returns the level's requests and round trips per second.
pub(crate) fn operations_per_s(level: &Level) -> f64 {
    let count: u64 = operations(&level.measured)
        .map(|(_, timings)| timings.count)
        .sum();
    count as f64 / seconds(level)
}

/// Returns the level's deliveries per second.
pub(crate) fn deliveries_per_s(level: &Level) -> f64 {
    let deliveries = level.measured.deliveries.values();
    let delivered: u64 = deliveries.map(|one| one.delivered).sum();
    delivered as f64 / seconds(level)
}

/// Returns the throughput of all of the level's requests and round trips together. `None` without any.
pub(crate) fn of_all_operations(level: &Level) -> Option<Throughput> {
    let mut all = Timings::default();
    for (_, timings) in operations(&level.measured) {
        all.merge(timings);
    }
    throughput(level, &all)
}

/// Returns the throughput of the operation that most of the level's operations are. `None` if there is no such
/// operation.
pub(crate) fn of_main_operation(level: &Level) -> Option<(&str, Throughput)> {
    let all: u64 = operations(&level.measured)
        .map(|(_, timings)| timings.count)
        .sum();
    let (name, main) = operations(&level.measured).max_by_key(|(_, timings)| timings.count)?;
    let is_main = main.count as f64 >= all as f64 * MAIN_SHARE;
    let throughput = throughput(level, main)?;
    is_main.then_some((name, throughput))
}

impl Throughput {
    /// Returns whether this load completes as much as `less`, up to a difference of the share `within`, with clearly more
    /// operations in flight.
    pub(crate) fn is_flat_beyond(&self, less: &Self, within: f64) -> bool {
        let ratio = less.per_s / self.per_s;
        (1.0 - within..=1.0 + within).contains(&ratio)
            && self.in_flight >= less.in_flight * MORE_IN_FLIGHT
    }

    /// Returns the evidence that this load completes no more than `less`.
    pub(crate) fn flat_beyond(&self, less: &Self) -> Evidence {
        Evidence::FlatThroughput {
            in_flight: self.in_flight,
            per_s: self.per_s,
            than_in_flight: less.in_flight,
            than_per_s: less.per_s,
        }
    }
}

fn throughput(level: &Level, timings: &Timings) -> Option<Throughput> {
    let count = timings.count.max(1) as f64;
    let time_s = timings.service.mean()?.as_secs_f64();
    let succeeded = timings.count.saturating_sub(timings.failed) as f64;
    let per_s = match ended_per_s(level) {
        Some(ended) => ended * succeeded / count,
        None => succeeded / (seconds(level) + overtime_s(level, timings)),
    };
    Some(Throughput {
        per_s,
        time_s,
        in_flight: per_s * time_s,
        failed: timings.failed.saturating_sub(timings.timed_out) as f64 / count,
        timed_out: timings.timed_out as f64 / count,
    })
}

/// Returns the requests and round trips that ended per second, in the complete seconds of the measured time. Counts of
/// the whole level include operations that ended after it, which is too many if many wait. `None` if fewer than two
/// seconds are complete.
fn ended_per_s(level: &Level) -> Option<f64> {
    const FEWEST: usize = 2;
    let complete: Vec<u64> = windows::complete(level)
        .map(|window| window.requests + window.round_trips)
        .collect();
    (complete.len() >= FEWEST).then(|| complete.iter().sum::<u64>() as f64 / complete.len() as f64)
}

/// Returns the time after the measured time in which the last operations of a short level ended, in seconds. Where more
/// arrive than end, the last ones wait longest: nearly as long as the slowest of all, without a few that are an exception.
fn overtime_s(level: &Level, timings: &Timings) -> f64 {
    const SLOW: f64 = 0.95;
    let slow = timings.service.quantile(SLOW).unwrap_or_default();
    if level.series.is_empty() {
        0.0
    } else {
        slow.as_secs_f64()
    }
}

/// Returns whether the planned load is constant over the measured time.
pub(crate) fn is_even(level: &Level) -> bool {
    let profile = level.load.rate.as_deref().map(RateProfile::parse);
    !level.load.once && !matches!(profile, Some(Ok(RateProfile::Segments(_)) | Err(_)))
}

/// Returns the length of the measured time in seconds, which is never 0.
pub(crate) fn seconds(level: &Level) -> f64 {
    level.phases.duration_s.max(1e-3)
}

/// Returns the level's requests and round trips with their names.
pub(crate) fn operations(measured: &Measured) -> impl Iterator<Item = (&str, &Timings)> {
    let all = measured.requests.iter().chain(&measured.round_trips);
    all.map(|(name, timings)| (name.as_str(), timings))
}
