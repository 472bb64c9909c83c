//! A point of the live charts: one second, or several that were merged.

use record::Window;

use super::second::LiveSecond;

/// Figures of one or more seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The figures. The start is that of the first second.
    pub(super) second: LiveSecond,
    /// Number of seconds.
    pub(super) seconds: u32,
    /// The number of the change that changed the point last.
    pub(super) changed: u64,
}

impl Point {
    /// Creates the point of one second.
    pub(super) fn of(second: LiveSecond, changed: u64) -> Self {
        Self {
            second,
            seconds: 1,
            changed,
        }
    }

    /// Adds the seconds of a later point. Counts are added up. For users, percentiles and the use of CPUs, the highest
    /// value counts.
    pub(super) fn merge(&mut self, other: &Self) {
        let (mine, theirs) = (&self.second.window, &other.second.window);
        let window = Window {
            start_s: mine.start_s,
            users: mine.users.max(theirs.users),
            requests: mine.requests + theirs.requests,
            failed: mine.failed + theirs.failed,
            round_trips: mine.round_trips + theirs.round_trips,
            messages: mine.messages + theirs.messages,
            deliveries: mine.deliveries + theirs.deliveries,
            p50_ms: higher(mine.p50_ms, theirs.p50_ms),
            p95_ms: higher(mine.p95_ms, theirs.p95_ms),
            p99_ms: higher(mine.p99_ms, theirs.p99_ms),
            max_ms: longest(mine, theirs),
        };
        let highest =
            |of: fn(&LiveSecond) -> Option<f64>| higher(of(&self.second), of(&other.second));
        self.second = LiveSecond {
            window,
            busy_percent: highest(|second| second.busy_percent),
            target_cpu_percent: highest(|second| second.target_cpu_percent),
        };
        self.seconds += other.seconds;
        self.changed = self.changed.max(other.changed);
    }
}

fn higher(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

/// Returns the maximum of both. It is unknown if an operation of either timed out.
fn longest(one: &Window, other: &Window) -> Option<f64> {
    let is_unknown = |window: &Window| {
        window.max_ms.is_none() && window.requests + window.round_trips + window.deliveries > 0
    };
    if is_unknown(one) || is_unknown(other) {
        return None;
    }
    higher(one.max_ms, other.max_ms)
}
