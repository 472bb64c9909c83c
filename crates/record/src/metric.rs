use serde::{Deserialize, Serialize};
use stats::Values;

/// Kind of a metric defined by the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// A sum that only grows.
    Counter,
    /// A value that replaces the previous one.
    Gauge,
    /// Values whose distribution is recorded.
    Trend,
}

/// A metric defined by the script. Its kind determines which fields are meaningful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Kind of the metric.
    pub kind: MetricKind,
    /// Number of values.
    pub count: u64,
    /// Sum of the values.
    pub sum: f64,
    /// The latest value.
    pub last: Option<f64>,
    /// Time of the latest value, in seconds since the start of the run.
    pub last_at_s: f64,
    /// The smallest value.
    pub min: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
    /// Distribution of the values. Only for a trend.
    pub values: Option<Values>,
}

impl Metric {
    /// Creates a metric without values.
    pub fn new(kind: MetricKind) -> Self {
        Self {
            kind,
            count: 0,
            sum: 0.0,
            last: None,
            last_at_s: 0.0,
            min: None,
            max: None,
            values: (kind == MetricKind::Trend).then(Values::default),
        }
    }

    /// Records a value at `at_s` seconds after the start of the run. Values that are not finite are ignored, but a
    /// trend counts them.
    pub fn record(&mut self, value: f64, at_s: f64) {
        if let Some(values) = &mut self.values {
            values.record(value);
        }
        if value.is_finite() {
            self.join(1, value, Some(value), at_s, Some(value), Some(value));
        }
    }

    /// Adds the values of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.join(
            other.count,
            other.sum,
            other.last,
            other.last_at_s,
            other.min,
            other.max,
        );
        match (&mut self.values, &other.values) {
            (Some(ours), Some(theirs)) => ours.merge(theirs),
            (None, Some(theirs)) => self.values = Some(theirs.clone()),
            (_, None) => {}
        }
    }

    fn join(
        &mut self,
        count: u64,
        sum: f64,
        last: Option<f64>,
        last_at_s: f64,
        min: Option<f64>,
        max: Option<f64>,
    ) {
        self.count += count;
        self.sum = (self.sum + sum).clamp(f64::MIN, f64::MAX);
        if last.is_some() && (self.last.is_none() || last_at_s >= self.last_at_s) {
            self.last = last;
            self.last_at_s = last_at_s;
        }
        self.min = [self.min, min].into_iter().flatten().reduce(f64::min);
        self.max = [self.max, max].into_iter().flatten().reduce(f64::max);
    }
}
