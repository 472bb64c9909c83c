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
//! The largest mean puts every sample as high as these allow, the smallest as low. Both are true for every data set
//! that could have led to the published figures, so a mean outside is impossible and not merely unlikely.

use crate::{Method, Times};

/// Between which values a mean must lie, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest possible.
    pub low: f64,
    /// The largest possible; `None` where the largest sample is not published.
    pub high: Option<f64>,
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

/// What is possible for the mean of `count` samples with these times. `None` where the percentiles came from a sketch
/// and nothing else is known.
pub fn mean_bounds(count: f64, times: &Times) -> Option<Bounds> {
    if count < 1.0 {
        return None;
    }
    let listed: &[(f64, crate::Figure)] = match times.method {
        Method::Samples => &times.percentiles,
        Method::Sketch => &[],
    };
    let caps = listed
        .iter()
        .map(|(q, time)| (ranks_of(count, *q).0, time.high()));
    let floors = listed
        .iter()
        .map(|(q, time)| (ranks_of(count, *q).1, time.low()));
    Some(Bounds {
        low: lowest(count, times, floors.collect()),
        high: times
            .max
            .as_ref()
            .map(|max| highest(count, max.high(), caps.collect())),
    })
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

/// Every sample from a floor's rank on at the floor, those before the first at the minimum, one at the maximum.
fn lowest(count: f64, times: &Times, mut floors: Vec<(f64, f64)>) -> f64 {
    let start = times.min.as_ref().map_or(0.0, |min| min.low().max(0.0));
    floors.extend(times.max.as_ref().map(|max| (count, max.low())));
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
        let bounds = mean_bounds(1217.0, &times).unwrap();
        // 1,204 samples of at most 100 ms (607 of them at most 50), 13 of at most 56.026 s.
        let by_hand = (607.0 * 50.0 + 597.0 * 100.0 + 13.0 * 56_026.0) / 1217.0;
        assert!(
            (bounds.high.unwrap() - by_hand).abs() < 1.0,
            "{bounds:?} {by_hand}"
        );
        assert!(bounds.high.unwrap() < 2429.0);
    }
}
