//! Had the target as much to do as was planned? With less, what is measured looks better than it is.

use record::{Level, Measured, Shortfall};
use stats::Histogram;

/// Starts that may be dropped, as a share of those planned.
const DROPPED_MOST: f64 = 0.01;
/// A worker of a closed load that was busy for more than this held its users up by an unknown time.
const BUSY_MOST: f64 = 95.0;
/// The share of their time for which users of a closed load may have waited for the generator.
const SLOWED_LIMIT: f64 = 0.1;
/// Upper limits on times allow for more, as far as they hold with that much to spare.
pub(crate) const SLOWED_MOST: f64 = 0.5;
/// Below this share nothing is allowed for.
pub(crate) const SLOWED_NOISE: f64 = 0.01;

/// What was missing of the planned load; `None` where it was made in full.
pub(crate) fn of(level: &Level) -> Option<Shortfall> {
    let generator = &level.generator;
    let iterations = &level.measured.iterations;
    let (dropped, planned) = (iterations.dropped, iterations.planned);
    if generator.dropped_queue > 0 {
        let dropped = generator.dropped_queue;
        return Some(Shortfall::QueueDropped { dropped });
    }
    if dropped as f64 > planned as f64 * DROPPED_MOST {
        return Some(Shortfall::StartsDropped { dropped, planned });
    }
    let slowed = slowed(level)?;
    let busy = generator.busiest_worker_percent.unwrap_or(0.0);
    if busy > BUSY_MOST && !level.load.once {
        return Some(Shortfall::WorkerBusy { percent: busy });
    }
    (slowed > SLOWED_LIMIT).then_some(Shortfall::LoopSlowed {
        percent: slowed * 100.0,
    })
}

/// The share of their time for which the users of a closed load waited for the generator: for the start of an iteration,
/// for the reading of a response, and while the CPU quota stopped it. `None` of an open load, whose starts wait for nobody.
pub(crate) fn slowed(level: &Level) -> Option<f64> {
    let load = &level.load;
    if load.rate_per_s.is_some() {
        return None;
    }
    if !asks_the_target(&level.measured) {
        return Some(0.0);
    }
    let iterations = &level.measured.iterations;
    let per_group = load.users as f64 / load.groups.max(1) as f64;
    let time_s = if load.once {
        iterations.time.sum().as_secs_f64() * per_group
    } else {
        load.users as f64 * level.phases.duration_s
    };
    if time_s <= 0.0 {
        return Some(0.0);
    }
    let mean = |times: &Histogram| times.mean().map_or(0.0, model::Nanos::as_secs_f64);
    let generator = &level.generator;
    let read = generator.read_delay.as_ref().map_or(0.0, mean);
    let measured = &level.measured;
    let awaited = measured
        .requests
        .values()
        .chain(measured.round_trips.values());
    let awaited: u64 = awaited.map(|one| one.count).sum();
    let starts_s = iterations.started as f64 * per_group * mean(&generator.start_lag);
    let stopped_s = generator.throttled_ms.unwrap_or(0.0) / 1e3 * load.users as f64;
    Some((starts_s + awaited as f64 * read + stopped_s) / time_s)
}

/// Whether anything went to the target. Without it there is no load that could be less than planned.
fn asks_the_target(measured: &Measured) -> bool {
    let timed = [
        &measured.connections,
        &measured.requests,
        &measured.round_trips,
    ];
    timed.iter().any(|named| !named.is_empty()) || !measured.deliveries.is_empty()
}

#[cfg(test)]
mod tests;
