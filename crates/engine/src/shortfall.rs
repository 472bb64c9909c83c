//! Checks whether the target had the planned load. With less load, the measurements look better than they should.

use record::{IssueCause, Level, Measured, Shortfall};
use stats::Histogram;

/// Accepted share of planned starts that were dropped.
const DROPPED_MOST: f64 = 0.01;
/// A worker that is busy for more than this percentage delays the users of a closed load by an unknown time.
const BUSY_MOST: f64 = 95.0;
/// Users of a closed load may wait for the generator for at most this share of their time.
const SLOWED_LIMIT: f64 = 0.1;
/// Like `SLOWED_LIMIT`, but for upper limits on times, if the limits hold with the corresponding margin.
pub(crate) const SLOWED_MOST: f64 = 0.5;
/// Shares below this are ignored.
pub(crate) const SLOWED_NOISE: f64 = 0.01;

/// The missing part of the planned load; `None` if all of it was generated.
pub(crate) fn of(level: &Level) -> Option<Shortfall> {
    let generator = &level.generator;
    let iterations = &level.measured.iterations;
    let (dropped, planned) = (iterations.dropped, iterations.planned);
    let agents = lost_agents(level);
    if agents > 0 {
        return Some(Shortfall::AgentsLost { agents });
    }
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

/// The number of agents that were lost in the level, from when on their users were missing.
fn lost_agents(level: &Level) -> u64 {
    let causes = level.issues.iter().map(|issue| &issue.cause);
    causes
        .filter(|cause| matches!(cause, IssueCause::LostAgent { .. }))
        .count() as u64
}

/// The share of time for which users of a closed load waited for the generator. Users wait for the start of an
/// iteration, for the read of a response, and while a CPU quota stops the generator. `None` for an open load, whose
/// starts do not depend on users.
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

/// Whether anything was sent to the target. Otherwise no part of a load can be missing.
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
