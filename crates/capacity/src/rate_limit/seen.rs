//! What a level shows about a limiter.

use model::Nanos;
use record::{Level, Limited, Run, StatedLimit};
use stats::Histogram;

use super::shape::{Shape, shape_of};

/// Observations from one level.
#[derive(Clone)]
pub(super) struct Seen<'a> {
    pub(super) level: &'a Level,
    pub(super) limited: &'a Limited,
    /// Whether every key began with its full budget. True if neither an earlier level nor `setup` sent requests.
    pub(super) fresh: bool,
    pub(super) shape: Option<Shape>,
    /// Number of users with refused requests, or of all users if refusals were not counted per user.
    pub(super) users: u64,
    /// Number of source addresses with refused requests, or of all addresses if refusals were not counted per address.
    pub(super) addresses: u64,
    /// Number of requests that passed per window, if known.
    pub(super) per_window: Option<f64>,
    /// Number of requests that passed per second while others were refused.
    pub(super) flow: Option<f64>,
    /// The response times of passed requests. Empty if they are unknown.
    pub(super) passed_times: Histogram,
    /// The quickest passed request before the measured time, of the names that the limiter refused.
    pub(super) quickest_before: Option<Nanos>,
    /// The smallest median time of the same requests in a level in which none was refused, in seconds.
    pub(super) unhurried_s: Option<f64>,
}

/// Returns the observations from a level. `None` if nothing was refused there.
pub(super) fn look<'a>(run: &Run, level: &'a Level) -> Option<Seen<'a>> {
    let limited = level.limited.as_ref()?;
    let fresh = level.index == 0 && run.setup.is_none();
    let shape = shape_of(limited, level.load.users, fresh);
    let users = match limited.users.count {
        0 => level.load.users,
        refused => refused,
    };
    let sources = run.sources.as_ref().map_or(1, |sources| sources.addresses);
    let refused = limited
        .addresses
        .iter()
        .filter(|one| one.limited > 0)
        .count() as u64;
    let addresses = if refused > 0 {
        refused
    } else {
        sources.min(users)
    };
    let (per_window, flow) = match shape {
        Some(Shape::Periodic {
            passed, window_s, ..
        }) => (Some(passed), Some(passed / window_s)),
        Some(Shape::Stop { passed }) if fresh => (Some(passed), None),
        Some(Shape::Steady { per_s, .. }) => (None, Some(per_s)),
        Some(Shape::Stop { .. }) => (None, None),
        None => (None, Some(limited.passed as f64 / limited.end_s)),
    };
    let free = run.levels.iter().filter(|level| level.limited.is_none());
    let medians = free.filter_map(|free| passed_times(free, limited).quantile(0.5));
    Some(Seen {
        passed_times: passed_times(level, limited),
        quickest_before: level.measured.before.quickest,
        unhurried_s: medians.min().map(Nanos::as_secs_f64),
        level,
        limited,
        fresh,
        shape,
        users,
        addresses,
        per_window,
        flow,
    })
}

/// The response times of requests that passed, of the names that the limiter refused. Empty if the record does not
/// distinguish the times of failures.
fn passed_times(level: &Level, limited: &Limited) -> Histogram {
    let mut passed = Histogram::default();
    for (name, timings) in &level.measured.requests {
        let is_known = timings.failed == 0 || !timings.failed_response.is_empty();
        if is_known && limited.names.contains_key(name) {
            passed.merge(&timings.response.without(&timings.failed_response));
        }
    }
    passed
}

/// Computes a missing number of requests per window from the flow, if the window is stated.
pub(super) fn with_window<'a>(seen: &Seen<'a>, stated: Option<&StatedLimit>) -> Seen<'a> {
    let of_flow = seen.flow.zip(stated.and_then(|stated| stated.window_s));
    Seen {
        per_window: seen
            .per_window
            .or(of_flow.map(|(flow, window)| flow * window)),
        ..seen.clone()
    }
}
