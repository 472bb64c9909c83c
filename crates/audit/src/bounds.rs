//! What percentiles, the smallest and the largest of `n` samples leave possible for their mean.
//!
//! Whoever published a percentile chose one of many definitions. All nine of Hyndman and Fan ("Sample Quantiles in
//! Statistical Packages", 1996), the nearest rank and the plain index of a sorted list take a value between two
//! neighbours among the ascending samples `x[1]…x[n]`, whose ranks lie between `floor(n·q − 1/2)` and
//! `floor(n·q) + 2`. So a published `v` says, whichever it was:
//!
//!  - at least `floor(n·q − 1/2)` samples are at most `v`,
//!  - the sample of rank `floor(n·q) + 2` and all above it are at least `v`.
//!
//! A percentile that was read off a histogram with few buckets may be an edge of the bucket that holds it, or anything
//! between both edges (interpolated). Where the edges are told, "at most `v`" is "at most the next edge above `v`", and
//! "at least `v`" is "at least the next one below". What is called the last edge is taken as it is told.
//!
//! The largest mean puts every sample as high as these allow, the smallest as low. Both are true for every data set
//! that could have led to the published figures, so a mean outside is impossible and not merely unlikely.

use crate::{Figure, Method, Row, Times};

/// Between which values a mean must lie, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest possible.
    pub low: f64,
    /// The largest possible; `None` where the largest sample is not published.
    pub high: Option<f64>,
}

impl Bounds {
    /// What any of them allows; `None` without any.
    pub(crate) fn loosest(all: &[Self]) -> Option<Self> {
        let join = |one: Self, other: Self| Self {
            low: one.low.min(other.low),
            high: one.high.zip(other.high).map(|(one, other)| one.max(other)),
        };
        all.iter().copied().reduce(join)
    }
}

/// How many samples are surely at most quantile `q` of `count`, and the rank from which on all are surely at least
/// that (beyond `count` when none is).
pub fn ranks_of(count: f64, q: f64) -> (f64, f64) {
    let position = count * q;
    // A product that should be whole may miss it by a binary fraction.
    let below = (position - 0.5 - 1e-6).floor().clamp(0.0, count);
    let above = (position + 1e-6).floor() + 2.0;
    (below, above)
}

/// What is possible for the mean of `count` samples with the times of `row`; its percentiles say nothing where they came
/// from a sketch. `None` without samples.
pub fn mean_bounds(count: f64, row: &Row) -> Option<Bounds> {
    let max = row.times.max.as_ref();
    bounds(count, row, ranks_of, max.map(|max| (count, max.low())))
}

/// The same of any number of samples from `least` on: ranks that are not cut off to whole ones leave the more room the
/// fewer there are, and one sample at the maximum is nothing among many.
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

/// What the samples below a percentile are at most.
pub(crate) fn cap(row: &Row, time: &Figure) -> f64 {
    let edges = || row.edges_ms.iter().map(|edge| edge.value);
    let next = edges().filter(|edge| *edge > time.value).reduce(f64::min);
    // An edge is what it is, however many digits it is printed with.
    let high = if edges().any(|edge| (edge - time.value).abs() <= 1e-9 * edge) {
        time.value
    } else {
        time.high() * (1.0 + row.times.resolution)
    };
    next.map_or(high, |edge| high.max(edge))
}

/// What the samples above a percentile are at least.
pub(crate) fn floor(row: &Row, time: &Figure) -> f64 {
    let low = time.low() * (1.0 - row.times.resolution);
    if row.edges_ms.is_empty() {
        return low;
    }
    let edges = row.edges_ms.iter().map(|edge| edge.value);
    let below = edges.filter(|edge| *edge < time.value).fold(0.0, f64::max);
    low.min(below)
}

/// Every sample up to a cap's rank at the cap, those beyond the last at the maximum.
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

/// Every sample from a floor's rank on at the floor, those before the first at the minimum.
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
    use crate::Figure;

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
        // 1,204 samples of at most 100 ms (607 of them at most 50), 13 of at most 56.026 s.
        let by_hand = (607.0 * 50.0 + 597.0 * 100.0 + 13.0 * 56_026.0) / 1217.0;
        assert!(
            (bounds.high.unwrap() - by_hand).abs() < 1.0,
            "{bounds:?} {by_hand}"
        );
        assert!(bounds.high.unwrap() < 2429.0);
        // With the tool's edges a p50 of 50 ms may be anything up to 100.
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
        // All of 1,000 at 11 ms: each is in the bucket whose upper edge is 100.
        assert!(mean_bounds(1000.0, &row).unwrap().low <= 11.0);
        row.edges_ms.clear();
        assert!(mean_bounds(1000.0, &row).unwrap().low > 80.0);
    }
}
