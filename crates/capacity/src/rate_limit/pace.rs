//! Distinguishes an even flow that a limiter causes from one that the target's workers cause.

use model::Nanos;

use super::seen::Seen;
use super::shape::{Shape, is_even};

/// Whether fewer than 0.5 passed requests were in progress on average (Little's law). A server that refuses requests
/// because all its slots are taken has one request in progress per slot. The quantile is an upper bound of the passed
/// requests' median time, because the histogram also contains refused requests.
pub(super) fn is_quick(seen: &Seen<'_>, per_s: f64) -> bool {
    const IN_WORK: f64 = 0.5;
    let mut times = stats::Histogram::default();
    for timings in seen.level.measured.requests.values() {
        times.merge(&timings.service);
    }
    let limited = seen.limited;
    let share = limited.passed as f64 / (limited.passed + limited.count) as f64;
    let time = times.quantile(1.0 - share / 2.0);
    time.is_some_and(|time| per_s * time.as_secs_f64() < IN_WORK)
}

/// Requests that took much less time than passes between two responses of the flow. Times are in seconds.
#[derive(Clone, Copy)]
pub(super) enum Outpaced {
    /// Most requests of a level in which none was refused.
    Always { took_s: f64, apart_s: f64 },
    /// Only one or two requests.
    Once { took_s: f64, apart_s: f64 },
}

/// Distinguishes a limiter that queues requests from workers that do. Both let requests pass one by one at even
/// intervals, and refuse what exceeds their queue. Workers take at least such an interval for each request, even if no
/// other waits. With a limiter, a request that does not wait is quick.
pub(super) fn outpaced(seen: &Seen<'_>) -> Option<Outpaced> {
    const MOST: f64 = 0.5;
    let Some(Shape::Steady {
        per_s,
        burst: 0.0,
        reopened_s: None,
        ..
    }) = seen.shape
    else {
        return None;
    };
    if is_quick(seen, per_s) || !is_even(seen.limited) {
        return None;
    }
    let apart_s = 1.0 / per_s;
    let most = seen.unhurried_s.filter(|took_s| per_s * took_s < MOST);
    most.map(|took_s| Outpaced::Always { took_s, apart_s })
        .or_else(|| quickest(seen, per_s).map(|took_s| Outpaced::Once { took_s, apart_s }))
}

/// The quickest passed request in seconds, if few were as quick. If many were, they may be the ones that a cache
/// answers.
fn quickest(seen: &Seen<'_>, per_s: f64) -> Option<f64> {
    const QUICK: f64 = 0.2;
    const FEW: u64 = 2;
    let times = &seen.passed_times;
    let limit = Nanos::from_secs_f64(QUICK / per_s);
    let quick = times.count() - times.count_above(limit);
    let all = [times.min(), seen.quickest_before];
    let took = all.into_iter().flatten().min();
    let took = took.filter(|took| *took <= limit && quick <= FEW && times.count() > 0);
    took.map(Nanos::as_secs_f64)
}
