use model::Nanos;

use crate::Histogram;
use crate::quantile::{interval_ranks, needed_samples, rank_of};

/// A percentile as far as the samples carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The value and the interval that holds the true one with 95 % confidence.
    Value {
        /// The percentile of the samples.
        value: Nanos,
        /// The ends of the interval; `None` when there are too few independent samples for one.
        interval: Option<(Nanos, Nanos)>,
    },
    /// It lies among the samples that never ended in time: larger than any time that was measured.
    Beyond,
    /// Too few samples to state it.
    Unavailable {
        /// How many samples there are.
        have: u64,
        /// How many there must be.
        need: u64,
    },
}

impl Estimate {
    /// The value, when there is one.
    pub fn value(self) -> Option<Nanos> {
        match self {
            Self::Value { value, .. } => Some(value),
            Self::Beyond | Self::Unavailable { .. } => None,
        }
    }
}

/// Quantile `q` of independent samples, of which `endless` more timed out: they count as larger than all others,
/// so that a percentile is never that of the survivors.
pub fn estimate(times: &Histogram, endless: u64, q: f64) -> Estimate {
    estimate_clustered(times, endless, times.count() + endless, q)
}

/// Quantile `q` of samples that come in clusters, such as the deliveries of one message: only `clusters` of them
/// count as independent, which makes the interval as wide as if the members of a cluster were all alike.
pub fn estimate_clustered(times: &Histogram, endless: u64, clusters: u64, q: f64) -> Estimate {
    let have = times.count() + endless;
    let need = needed_samples(q);
    if have < need {
        return Estimate::Unavailable { have, need };
    }
    let Some(value) = times.at_rank(rank_of(have, q)) else {
        return Estimate::Beyond;
    };
    let interval = interval_ranks(clusters.min(have), q).and_then(|(low, high)| {
        let scaled = |rank| scale(rank, clusters.min(have), have);
        Some((times.at_rank(scaled(low))?, times.at_rank(scaled(high))?))
    });
    Estimate::Value { value, interval }
}

/// The rank among `have` samples that stands where `rank` stands among `clusters`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rank <= clusters, so the result is at most have"
)]
fn scale(rank: u64, clusters: u64, have: u64) -> u64 {
    (u128::from(rank) * u128::from(have)).div_ceil(u128::from(clusters)) as u64
}
