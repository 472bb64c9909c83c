//! A point of the live charts: one second, or several that were merged.

use record::Window;

/// Figures of one or more seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The figures. The start is that of the first second.
    pub(super) window: Window,
    /// Number of seconds.
    pub(super) seconds: u32,
    /// How busy the busiest worker of the generator was, in percent.
    pub(super) busy_percent: Option<f64>,
    /// The number of the change that changed the point last.
    pub(super) changed: u64,
}

impl Point {
    /// Creates the point of one second.
    pub(super) fn of(window: &Window, busy_percent: Option<f64>, changed: u64) -> Self {
        Self {
            window: *window,
            seconds: 1,
            busy_percent,
            changed,
        }
    }

    /// Adds the seconds of a later point. Counts are added up. For users, percentiles and the use of the generator, the
    /// highest value counts.
    pub(super) fn merge(&mut self, other: &Self) {
        let (mine, theirs) = (&self.window, &other.window);
        self.window = Window {
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
        self.seconds += other.seconds;
        self.busy_percent = higher(self.busy_percent, other.busy_percent);
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
