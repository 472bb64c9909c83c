use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::clock::Nanos;

/// Statistics of durations: count, exact sum, exact maximum, and distribution to three significant digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    histogram: Option<Histogram<u64>>,
    sum: u128,
    max: Nanos,
}

impl Times {
    pub(crate) fn add(&mut self, span: Nanos) {
        if self.histogram.is_none() {
            self.histogram = Histogram::new(3).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            // The histogram grows as needed, so three digits of any u64 fit.
            let _ = histogram.record(span);
        }
        self.sum += u128::from(span);
        self.max = self.max.max(span);
    }

    /// The statistics as JSON. `null` without samples.
    pub(crate) fn to_json(&self) -> Value {
        let Some(histogram) = self.histogram.as_ref().filter(|all| !all.is_empty()) else {
            return Value::Null;
        };
        let at = |quantile| histogram.value_at_quantile(quantile).min(self.max);
        let mean = self.sum / u128::from(histogram.len());
        json!({
            "count": histogram.len(),
            "mean_ns": u64::try_from(mean).unwrap_or(u64::MAX),
            "p50_ns": at(0.5), "p75_ns": at(0.75), "p90_ns": at(0.9), "p95_ns": at(0.95),
            "p99_ns": at(0.99), "p999_ns": at(0.999), "max_ns": self.max,
        })
    }
}
