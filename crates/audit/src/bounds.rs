//! Bounds for the mean of `n` samples, computed from their percentiles, minimum and maximum.
//!
//! A published percentile follows one of many definitions: one of the nine of Hyndman and Fan ("Sample Quantiles in
//! Statistical Packages", 1996), the nearest rank, or the plain index into a sorted list. Each definition takes a value
//! between two neighbours in the ascending samples `x[1]…x[n]`. The ranks of both lie between `floor(n·q − 1/2)` and
//! `floor(n·q) + 2`. Under every definition, a published `v` therefore means:
//!
//!  - at least `floor(n·q − 1/2)` samples are at most `v`,
//!  - the sample of rank `floor(n·q) + 2` and all above it are at least `v`.
//!
//! If a histogram has few buckets, a percentile may be an edge of a bucket, or an interpolated value between two edges.
//! If the edges are stated, "at most `v`" becomes "at most the next edge above `v`", and "at least `v`" becomes "at
//! least the next edge below `v`". A stated last edge is used as it is.
//!
//! For the largest mean, every sample is as high as these limits allow; for the smallest mean, as low. Both bounds hold
//! for every data set that could have produced the published figures. A mean outside the bounds is therefore
//! impossible, not merely unlikely.

use crate::figure::Figure;
use crate::results::{Method, Row, Times};

/// The range in which a mean must lie, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest possible mean.
    pub low: f64,
    /// The largest possible mean. `None` if the largest sample is not published.
    pub high: Option<f64>,
}

impl Bounds {
    /// Returns the range that covers all given ranges. `None` for an empty list.
    pub(crate) fn loosest(all: &[Self]) -> Option<Self> {
        let join = |one: Self, other: Self| Self {
            low: one.low.min(other.low),
            high: one.high.zip(other.high).map(|(one, other)| one.max(other)),
        };
        all.iter().copied().reduce(join)
    }
}

/// Returns two ranks for quantile `q` of `count` samples. Samples up to the first rank are certainly at most the
/// quantile. Samples from the second rank on are certainly at least the quantile; if there are none, the rank exceeds
/// `count`.
pub fn ranks_of(count: f64, q: f64) -> (f64, f64) {
    let position = count * q;
    // The product may be whole in theory, but slightly off in binary floating point.
    let below = (position - 0.5 - 1e-6).floor().clamp(0.0, count);
    let above = (position + 1e-6).floor() + 2.0;
    (below, above)
}

/// Returns bounds for the mean of `count` samples with the times of `row`. Percentiles from a sketch are ignored.
/// `None` if there are no samples.
pub fn mean_bounds(count: f64, row: &Row) -> Option<Bounds> {
    let max = row.times.max.as_ref();
    bounds(count, row, ranks_of, max.map(|max| (count, max.low())))
}

/// Returns bounds that hold for any number of samples from `least` on. The ranks are not rounded, so the bounds are
/// widest at `least`. The maximum does not count as a sample, because its weight among many samples is negligible.
pub(crate) fn mean_bounds_from(least: f64, row: &Row) -> Option<Bounds> {
    let ranks = |count: f64, q: f64| {
        let below = (count * q - 1.5 - 1e-6).clamp(0.0, count);
        (below, count * q + 2.0 + 1e-6)
    };
    bounds(least, row, ranks, None)
}

fn bounds(
    count: f64,
    row: &Row,
    ranks: impl Fn(f64, f64) -> (f64, f64),
    longest: Option<(f64, f64)>,
) -> Option<Bounds> {
    if count < 1.0 {
        return None;
    }
    let times = &row.times;
    let listed: &[(f64, Figure)] = match times.method {
        Method::Samples => &times.percentiles,
        Method::Sketch => &[],
    };
    let caps = listed
        .iter()
        .map(|(q, time)| (ranks(count, *q).0, cap(row, time)));
    let floors = listed
        .iter()
        .map(|(q, time)| (ranks(count, *q).1, floor(row, time)));
    Some(Bounds {
        low: lowest(count, times, floors.chain(longest).collect()),
        high: times
            .max
            .as_ref()
            .map(|max| highest(count, max.high(), caps.collect())),
    })
}

/// Returns the upper limit of all samples up to the percentile `time`.
pub(crate) fn cap(row: &Row, time: &Figure) -> f64 {
    let edges = || row.edges_ms.iter().map(|edge| edge.value);
    let next = edges().filter(|edge| *edge > time.value).reduce(f64::min);
    // The edge of a bucket is exact, no matter how many digits were printed.
    let high = if edges().any(|edge| (edge - time.value).abs() <= 1e-9 * edge) {
        time.value
    } else {
        time.high() * (1.0 + row.times.resolution)
    };
    next.map_or(high, |edge| high.max(edge))
}

/// Returns the lower limit of all samples above the percentile `time`.
pub(crate) fn floor(row: &Row, time: &Figure) -> f64 {
    let low = time.low() * (1.0 - row.times.resolution);
    if row.edges_ms.is_empty() {
        return low;
    }
    let edges = row.edges_ms.iter().map(|edge| edge.value);
    let below = edges.filter(|edge| *edge < time.value).fold(0.0, f64::max);
    low.min(below)
}

/// Returns the largest mean. All samples up to a cap's rank are at the cap, and all beyond the last cap are at the
/// maximum.
fn highest(count: f64, max: f64, mut caps: Vec<(f64, f64)>) -> f64 {
    caps.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (mut sum, mut upto, mut cap) = (0.0, count, max);
    for (rank, value) in caps {
        sum += (upto - rank) * cap;
        upto = rank;
        cap = cap.min(value);
    }
    (sum + upto * cap) / count
}

/// Returns the smallest mean. All samples from a floor's rank on are at the floor, and all before the first floor are
/// at the minimum.
fn lowest(count: f64, times: &Times, mut floors: Vec<(f64, f64)>) -> f64 {
    let start = times.min.as_ref().map_or(0.0, |min| min.low().max(0.0));
    floors.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut sum, mut from, mut floor) = (0.0, 1.0, start);
    for (rank, value) in floors {
        if rank > count {
            break;
        }
        sum += (rank - from).max(0.0) * floor;
        from = rank.max(from);
        floor = floor.max(value);
    }
    (sum + (count - from + 1.0) * floor) / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;

    #[test]
    fn the_registry_s_mean_of_2_4_s_is_out_of_reach_of_its_percentiles() {
        let ms = |value| Figure::exact(value, "");
        let times = Times {
            min: Some(ms(1.473)),
            max: Some(ms(56_026.0)),
            percentiles: vec![(0.5, ms(50.0)), (0.95, ms(100.0)), (0.99, ms(100.0))],
            ..Times::default()
        };
        let mut row = Row {
            times,
            ..Row::default()
        };
        let bounds = mean_bounds(1217.0, &row).unwrap();
        // 1,204 samples of at most 100 ms (607 of them at most 50 ms), 13 of at most 56.026 s.
        let by_hand = (607.0 * 50.0 + 597.0 * 100.0 + 13.0 * 56_026.0) / 1217.0;
        assert!(
            (bounds.high.unwrap() - by_hand).abs() < 1.0,
            "{bounds:?} {by_hand}"
        );
        assert!(bounds.high.unwrap() < 2429.0);
        // With the tool's edges, a p50 of 50 ms may be anything up to 100 ms.
        row.edges_ms = [10.0, 50.0, 100.0].map(ms).to_vec();
        let bounds = mean_bounds(1217.0, &row).unwrap();
        let by_hand = (1204.0 * 100.0 + 13.0 * 56_026.0) / 1217.0;
        assert!((bounds.high.unwrap() - by_hand).abs() < 1.0, "{bounds:?}");
    }

    #[test]
    fn the_upper_edge_of_a_bucket_says_nothing_of_how_small_a_sample_is() {
        let ms = |value| Figure::exact(value, "");
        let mut row = Row {
            times: Times {
                percentiles: vec![(0.1, ms(100.0))],
                ..Times::default()
            },
            edges_ms: [10.0, 100.0].map(ms).to_vec(),
            ..Row::default()
        };
        // All 1,000 samples are 11 ms, in the bucket with the upper edge of 100 ms.
        assert!(mean_bounds(1000.0, &row).unwrap().low <= 11.0);
        row.edges_ms.clear();
        assert!(mean_bounds(1000.0, &row).unwrap().low > 80.0);
    }
}
