//! The number of independent samples that the correlated samples of one run are worth.

use model::Nanos;

use crate::blocks::Blocks;
use crate::counts::{Counts, bin_of};
use crate::long_run::{FREQUENCIES, SumVariance, variance_of_sum};
use crate::quantile::{SAMPLES_BEYOND, interval_ranks};

/// Minimum effective number of blocks (see [`alike_blocks`]). Fewer blocks do not show well enough how blocks differ.
const ENOUGH: f64 = 8.0;
/// The shares of the samples at which the blocks are compared.
const SHARES: [f64; 7] = [0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999];

impl Blocks {
    /// The design effect: the number of samples that are worth one independent sample in a 95 % interval. `None` if the
    /// measured time was too short, or if most of it had too few samples.
    ///
    /// For each of several limits, the share of samples beyond the limit varies from block to block. The variance of
    /// the total, including correlation across blocks, is divided by the variance of independent samples. The result is
    /// the largest ratio, and at least 1. It allows for the uncertainty of a variance estimated from few blocks.
    ///
    /// The term comes from survey statistics (Kish, Survey Sampling, 1965).
    pub fn design_effect(&self) -> Option<f64> {
        self.worst_at(&self.shares())
    }

    /// Like [`Blocks::design_effect`], but also considers how the share beyond `limit` varies.
    pub fn design_effect_at(&self, limit: Nanos) -> Option<f64> {
        let mut bins = self.shares();
        let bin = bin_of(limit);
        bins.extend([bin.saturating_sub(1), bin]);
        self.worst_at(&bins)
    }

    /// The design effect of the share beyond `limit`, without the allowances of [`Blocks::design_effect`]: it is neither
    /// the largest of several ratios nor an upper bound. A single run may therefore show far too little. The mean of
    /// several runs is right, so this is for comparisons of sets of runs. `None` as for `design_effect`, or if there are
    /// too few samples within or beyond the limit.
    pub fn likely_design_effect_at(&self, limit: Nanos) -> Option<f64> {
        let (blocks, totals) = self.alike()?;
        let bin = bin_of(limit);
        let bins = [bin.saturating_sub(1), bin];
        let effects = bins
            .iter()
            .filter_map(|&bin| effect_at(blocks, &totals, bin));
        let effects: Vec<f64> = effects.map(|effect| effect.likely).collect();
        let number = effects.len() as f64;
        (number > 0.0).then(|| effects.iter().sum::<f64>() / number)
    }

    /// The number of independent samples that all samples are worth, for a binomial bound on the share beyond `limit`.
    /// The bound uses this number as its trials and keeps the share. The result is at most the number of samples.
    pub fn independent_at(&self, limit: Nanos) -> Option<u64> {
        Some(worth(self.count(), self.design_effect_at(limit)?))
    }

    /// The ranks, counted from 1, of the two samples among `count` between which the true quantile `q` lies with 95 %
    /// confidence. The ranks of [`interval_ranks`] for the number of independent samples are scaled to `count`. `None`
    /// without a design effect, or with too few independent samples for one of the ends.
    pub fn interval_ranks(&self, count: u64, q: f64) -> Option<(u64, u64)> {
        let independent = worth(count, self.design_effect()?);
        let (low, high) = interval_ranks(independent, q)?;
        let scaled = |rank| scale(rank, independent, count);
        Some((scaled(low), scaled(high)))
    }

    /// For each of [`SHARES`], the bins whose upper ends are nearest below and above it.
    fn shares(&self) -> Vec<u16> {
        let all = self.sum();
        let count = all.total() as f64;
        let mut bins = Vec::new();
        for share in SHARES {
            let mut below = 0;
            let mut before = None;
            for &(bin, more) in &all.bins {
                below = more.saturating_add(below);
                if below as f64 >= share * count {
                    bins.extend(before);
                    bins.push(bin);
                    break;
                }
                before = Some(bin);
            }
        }
        bins
    }

    fn sum(&self) -> Counts {
        let mut all = Counts::default();
        self.blocks.iter().for_each(|block| all.add(block));
        all
    }

    fn worst_at(&self, bins: &[u16]) -> Option<f64> {
        let mut bins = bins.to_vec();
        bins.sort_unstable();
        bins.dedup();
        let (blocks, totals) = self.alike()?;
        let effects = bins
            .iter()
            .filter_map(|&bin| effect_at(blocks, &totals, bin));
        let effects = effects.map(|effect| effect.upper);
        // If all samples are alike, their correlation cannot be estimated. Each block then counts as one sample.
        let unknown = self.count() as f64 / alike_blocks(&totals);
        Some(effects.reduce(f64::max).unwrap_or(unknown).max(1.0))
    }

    /// The blocks from the first sample on, and their numbers of samples. Blocks before the first sample are ignored: no
    /// operation could have ended there. `None` if the blocks are too few, or too unequal.
    fn alike(&self) -> Option<(&[Counts], Vec<u64>)> {
        let begun = self.blocks.iter().position(|block| block.total() > 0)?;
        let blocks = &self.blocks[begun..];
        let totals: Vec<u64> = blocks.iter().map(Counts::total).collect();
        let is_enough = alike_blocks(&totals) >= ENOUGH && totals.len() >= 2 * FREQUENCIES;
        is_enough.then_some((blocks, totals))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the count"
)]
fn worth(count: u64, effect: f64) -> u64 {
    (count as f64 / effect) as u64
}

/// Scales a rank among `independent` samples to the corresponding rank among `count` samples.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rank <= independent, so the result is at most count"
)]
fn scale(rank: u64, independent: u64, count: u64) -> u64 {
    (u128::from(rank) * u128::from(count)).div_ceil(u128::from(independent)) as u64
}

/// The effective number of blocks (Kish): this many blocks of equal size would have a sum that varies as much.
fn alike_blocks(totals: &[u64]) -> f64 {
    let sum: f64 = totals.iter().map(|&total| total as f64).sum();
    let squares: f64 = totals.iter().map(|&total| (total as f64).powi(2)).sum();
    sum * sum / squares
}

fn sum_of(counts: &[u64]) -> u64 {
    counts.iter().copied().fold(0, u64::saturating_add)
}

/// The design effect of the share up to the end of `bin`. `None` if there are too few samples within or beyond that
/// end.
fn effect_at(blocks: &[Counts], totals: &[u64], bin: u16) -> Option<SumVariance> {
    let within: Vec<u64> = blocks.iter().map(|block| block.up_to(bin)).collect();
    let (hits, all) = (sum_of(&within), sum_of(totals));
    if hits.min(all - hits) < SAMPLES_BEYOND {
        return None;
    }
    let (count, share) = (all as f64, hits as f64 / all as f64);
    let both = within.iter().zip(totals);
    let deviations: Vec<f64> = both
        .map(|(&hits, &all)| hits as f64 - share * all as f64)
        .collect();
    let variance = variance_of_sum(&deviations, FREQUENCIES)?;
    let independent = count * share * (1.0 - share);
    Some(SumVariance {
        likely: variance.likely / independent,
        upper: variance.upper / independent,
    })
}

#[cfg(test)]
mod tests;
