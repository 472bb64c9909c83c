//! The metrics of a running test, the same for every monitoring system.

use engine::Second;
use record::Window;

/// A metric. Its name is complete except for the prefix `headcount` and the unit.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) value: Value,
}

/// What a metric shows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// A total since the start of the run.
    Total(fn(&Window) -> u64),
    /// A number of the latest second.
    Number(fn(&Second) -> u64),
    /// A time of the latest second, in milliseconds. `None` if it is unknown.
    Time(fn(&Window) -> Option<f64>),
    /// A percentage of the latest second. `None` if it is unknown.
    Percent(fn(&Second) -> Option<f64>),
}

impl Metric {
    const fn new(name: &'static str, help: &'static str, value: Value) -> Self {
        Self { name, help, value }
    }
}

impl Value {
    /// The value of the latest second in base units. An unknown time is NaN, so that nobody takes an older one for it.
    /// `None` if the earlier value still applies, and for totals.
    pub(super) fn latest(self, second: &Second) -> Option<f64> {
        match self {
            Self::Total(_) => None,
            Self::Number(of) => Some(of(second) as f64),
            Self::Time(of) => Some(of(&second.window).map_or(f64::NAN, |ms| ms / 1e3)),
            Self::Percent(of) => of(second).map(|percent| percent / 100.0),
        }
    }
}

/// The totals of all metrics so far.
#[derive(Debug, Default)]
pub(super) struct Totals([u64; METRICS.len()]);

/// The value of a metric at the end of a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Figure {
    Total(u64),
    /// NaN if there is no value for this second.
    Latest(f64),
}

impl Totals {
    /// The value of a metric (its place in [`METRICS`]) after another second. `None` if it did not change.
    pub(super) fn after(&mut self, index: usize, second: &Second) -> Option<Figure> {
        if let Value::Total(of) = METRICS[index].value {
            self.0[index] += of(&second.window);
            return Some(Figure::Total(self.0[index]));
        }
        METRICS[index].value.latest(second).map(Figure::Latest)
    }
}

/// All metrics.
pub(super) const METRICS: [Metric; 12] = [
    Metric::new(
        "level",
        "Number of the level, from 1",
        Value::Number(|second| second.level.into()),
    ),
    Metric::new(
        "users",
        "Planned number of users of the level",
        Value::Number(|second| second.window.users),
    ),
    Metric::new(
        "requests",
        "Requests that ended",
        Value::Total(|window| window.requests),
    ),
    Metric::new(
        "failed",
        "Requests and round trips that failed",
        Value::Total(|window| window.failed),
    ),
    Metric::new(
        "round_trips",
        "Round trips that ended",
        Value::Total(|window| window.round_trips),
    ),
    Metric::new(
        "messages",
        "Messages sent",
        Value::Total(|window| window.messages),
    ),
    Metric::new(
        "deliveries",
        "Deliveries received",
        Value::Total(|window| window.deliveries),
    ),
    Metric::new(
        "latency_median",
        "Median of the latest second: of deliveries, else of responses; NaN without enough samples",
        Value::Time(|window| window.p50_ms),
    ),
    Metric::new(
        "latency_p95",
        "95th percentile of the latest second",
        Value::Time(|window| window.p95_ms),
    ),
    Metric::new(
        "latency_p99",
        "99th percentile of the latest second",
        Value::Time(|window| window.p99_ms),
    ),
    Metric::new(
        "latency_max",
        "Maximum of the latest second",
        Value::Time(|window| window.max_ms),
    ),
    Metric::new(
        "busiest_worker",
        "Share of the latest second in which the busiest worker was busy",
        Value::Percent(|second| second.busiest_worker_percent),
    ),
];
