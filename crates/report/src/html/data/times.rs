//! Percentiles, distributions and their intervals, in milliseconds.

use std::collections::BTreeMap;

use format::estimate_in_full;
use model::Nanos;
use serde::Serialize;
use stats::{Estimate, Histogram, needed_samples};

use crate::section::levels::LeadTimes;

/// Heat-map bins per decade of latency.
const BINS: f64 = 16.0;
/// Points of a distribution per decade of 1 / (1 − q).
const POINTS: i32 = 16;
/// The percentiles 50 and 95 as points of a distribution. The points per decade contain 90, 99, 99.9 …
const NAMED: [f64; 2] = [2.0, 20.0];
/// Decades of a distribution: up to the percentile 99.9999.
const DECADES: i32 = 6;

/// A percentile.
#[derive(Serialize)]
pub(super) struct Figure {
    /// The value. `None` if there are too few samples, or if it is among operations without a response.
    ms: Option<f64>,
    /// The 95 % interval.
    interval: Option<(f64, f64)>,
    /// The figure for readers: `16.2 ms (15.8–16.9)`, `> 15 s`, `n/a (120 of 1,000 samples)`.
    text: String,
}

impl Figure {
    /// Converts a percentile. `limit` is the time limit of the operations.
    pub(super) fn of(estimate: Estimate, limit: Option<Nanos>) -> Self {
        let (ms, interval) = match estimate {
            Estimate::Value { value, interval } => (Some(value), interval),
            Estimate::Beyond { .. } | Estimate::Unavailable { .. } => (None, None),
        };
        Self {
            ms: ms.map(millis),
            interval: interval.map(|(low, high)| (millis(low), millis(high))),
            text: estimate_in_full(estimate, limit),
        }
    }
}

/// A point of a distribution: 1 / (1 − q), the percentile in milliseconds, and the interval if it is known.
#[derive(Serialize)]
pub(super) struct Point(f64, f64, Option<(f64, f64)>);

/// Returns the distribution up to the last percentile with ten samples beyond it.
pub(super) fn distribution(times: &LeadTimes) -> Vec<Point> {
    let samples = times.times().count() + times.without_end();
    // From p44 on. The percentiles that the report names are points themselves, because a steep curve between two points
    // would not meet them.
    let steps = POINTS / 4..=POINTS * DECADES;
    let places = steps.map(|step| 10_f64.powf(f64::from(step) / f64::from(POINTS)));
    let mut places: Vec<f64> = places.chain(NAMED).collect();
    places.sort_by(f64::total_cmp);
    let places = places.into_iter();
    let known = places.take_while(|place| needed_samples(1.0 - 1.0 / place) <= samples);
    let point = |place: f64| match times.at(1.0 - 1.0 / place) {
        Estimate::Value { value, interval } => {
            let interval = interval.map(|(low, high)| (millis(low), millis(high)));
            Some(Point(rounded(place), millis(value), interval))
        }
        Estimate::Beyond { .. } | Estimate::Unavailable { .. } => None,
    };
    known.map_while(point).collect()
}

/// Returns the histogram in bins of equal width on a logarithmic axis: the number of the bin, and its count. Bin `k`
/// holds times from 10^(k / 16) ms on.
#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 16 bins for each of 13 decades"
)]
pub(super) fn bins(times: &Histogram) -> Vec<(i32, u64)> {
    let mut bins: BTreeMap<i32, u64> = BTreeMap::new();
    for (time, count) in times.bins() {
        let ms = time.as_millis_f64().max(1e-6);
        *bins.entry((ms.log10() * BINS).floor() as i32).or_default() += count;
    }
    bins.into_iter().collect()
}

/// Converts to milliseconds with at most four significant digits, which keeps the page small.
pub(super) fn millis(time: Nanos) -> f64 {
    rounded(time.as_millis_f64())
}

/// Rounds to four significant digits. Zero and infinity stay as they are.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a decimal exponent is small"
)]
pub(super) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    // Dividing by a power of ten is exact more often than multiplying by its inverse.
    let scale = 10_f64.powi(digits.abs());
    if digits >= 0 {
        (value * scale).round() / scale
    } else {
        (value / scale).round() * scale
    }
}
