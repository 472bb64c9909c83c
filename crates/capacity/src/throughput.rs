//! The operations of a level: how many ended, and how many were in flight.

use plan::RateProfile;
use record::{Evidence, Level, Measured, Timings};
use stats::Histogram;

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
    count(level) / seconds(level)
}

/// Returns the level's deliveries per second.
pub(crate) fn deliveries_per_s(level: &Level) -> f64 {
    let deliveries = level.measured.deliveries.values();
    let delivered: u64 = deliveries.map(|one| one.delivered).sum();
    delivered as f64 / seconds(level)
}

/// Returns the operations and deliveries that succeeded per second, as they ended. `None` without any.
pub(crate) fn succeeded_per_s(level: &Level) -> Option<f64> {
    let channels = level.measured.deliveries.values();
    let deliveries: f64 = channels
        .map(|one| one.received() as f64 / ending_s(level, &one.latency))
        .sum();
    let operations = of_all_operations(level).map_or(0.0, |all| all.per_s);
    Some(operations + deliveries).filter(|sum| *sum > 0.0)
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
    let (name, main) = operations(&level.measured).max_by_key(|(_, timings)| timings.count)?;
    let is_main = main.count as f64 >= count(level) * MAIN_SHARE;
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
    let of = timings.count.max(1) as f64;
    let time_s = timings.service.mean()?.as_secs_f64();
    let succeeded = timings.count.saturating_sub(timings.failed) as f64;
    let ended = ended_per_s(level).unwrap_or_default() * succeeded / count(level).max(1.0);
    // Each is too low at times: the complete seconds if operations take longer than the warm-up, and the estimate if their
    // times vary without growing.
    let per_s = ended.max(succeeded / ending_s(level, &timings.response));
    Some(Throughput {
        per_s,
        time_s,
        in_flight: per_s * time_s,
        failed: timings.failed.saturating_sub(timings.timed_out) as f64 / of,
        timed_out: timings.timed_out as f64 / of,
    })
}

/// Returns the requests and round trips that ended per second, in the complete seconds of the measured time. Counts of
/// the whole level include operations that ended after it, which is too many if many wait. `None` if no second is
/// complete.
fn ended_per_s(level: &Level) -> Option<f64> {
    let complete: Vec<u64> = windows::complete(level)
        .map(|window| window.requests + window.round_trips)
        .collect();
    let seconds = complete.len() as f64;
    (!complete.is_empty()).then(|| complete.iter().sum::<u64>() as f64 / seconds)
}

/// Estimates the time in which the operations of the measured time ended, in seconds. Where more arrive than end, times
/// grow evenly, and the last operation ends later than the measured time by as much as its time exceeds that of the first.
fn ending_s(level: &Level, times: &Histogram) -> f64 {
    // Few operations are an exception, so the ends of the range follow from what lies between these quantiles.
    const LOW: f64 = 0.05;
    const HIGH: f64 = 0.95;
    let at = |q| times.quantile(q).unwrap_or_default().as_secs_f64();
    seconds(level) + (at(HIGH) - at(LOW)) / (HIGH - LOW)
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

/// The number of the level's requests and round trips.
fn count(level: &Level) -> f64 {
    let each = operations(&level.measured).map(|(_, timings)| timings.count);
    each.sum::<u64>() as f64
}

/// Returns the level's requests and round trips with their names.
pub(crate) fn operations(measured: &Measured) -> impl Iterator<Item = (&str, &Timings)> {
    let all = measured.requests.iter().chain(&measured.round_trips);
    all.map(|(name, timings)| (name.as_str(), timings))
}
