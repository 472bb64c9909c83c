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
    Latest(f64),
    /// There is no value for this second.
    Unknown,
}

impl Totals {
    /// The value of a metric (its place in [`METRICS`]) after another second. `None` if it did not change.
    pub(super) fn after(&mut self, index: usize, second: &Second) -> Option<Figure> {
        if let Value::Total(of) = METRICS[index].value {
            self.0[index] += of(&second.window);
            return Some(Figure::Total(self.0[index]));
        }
        let latest = METRICS[index].value.latest(second)?;
        Some(if latest.is_nan() {
            Figure::Unknown
        } else {
            Figure::Latest(latest)
        })
    }
}

/// All metrics.
pub(super) const METRICS: [Metric; 12] = [
    Metric {
        name: "level",
        help: "Number of the level, from 1",
        value: Value::Number(|second| second.level.into()),
    },
    Metric {
        name: "users",
        help: "Planned number of users of the level",
        value: Value::Number(|second| second.window.users),
    },
    Metric {
        name: "requests",
        help: "Requests that ended",
        value: Value::Total(|window| window.requests),
    },
    Metric {
        name: "failed",
        help: "Requests and round trips that failed",
        value: Value::Total(|window| window.failed),
    },
    Metric {
        name: "round_trips",
        help: "Round trips that ended",
        value: Value::Total(|window| window.round_trips),
    },
    Metric {
        name: "messages",
        help: "Messages sent",
        value: Value::Total(|window| window.messages),
    },
    Metric {
        name: "deliveries",
        help: "Deliveries received",
        value: Value::Total(|window| window.deliveries),
    },
    Metric {
        name: "latency_median",
        help: "Median of the latest second: of deliveries, else of responses; NaN without enough samples",
        value: Value::Time(|window| window.p50_ms),
    },
    Metric {
        name: "latency_p95",
        help: "95th percentile of the latest second",
        value: Value::Time(|window| window.p95_ms),
    },
    Metric {
        name: "latency_p99",
        help: "99th percentile of the latest second",
        value: Value::Time(|window| window.p99_ms),
    },
    Metric {
        name: "latency_max",
        help: "Maximum of the latest second",
        value: Value::Time(|window| window.max_ms),
    },
    Metric {
        name: "busiest_worker",
        help: "Share of the latest second in which the busiest worker was busy",
        value: Value::Percent(|second| second.busiest_worker_percent),
    },
];
