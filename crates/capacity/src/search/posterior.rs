//! The probability of each possible ceiling, given all trials.
//!
//! The share of values beyond the limit rises with the load. Its logit is assumed to be linear in the logarithm of the
//! load, with unknown slope, and equals the allowed share at the ceiling. Ceiling and slope lie on a grid, and each
//! trial multiplies the probability of each cell by its likelihood.

use super::trial::ShareEvidence;

/// Possible slopes: the change of ln(load) that changes the logit by one.
const SLOPES: [f64; 7] = [0.004, 0.012, 0.03, 0.06, 0.1, 0.17, 0.35];
/// How probable each slope is before any trial. The shares of most queues rise steeply near the ceiling.
const PRIOR: [f64; SLOPES.len()] = [1.0, 1.0, 2.0, 2.0, 0.6, 0.4, 0.3];
/// Probability that something other than the load decided a trial, such as another process on the machine.
const LAPSE: f64 = 0.02;
/// Distance of neighbouring ceilings on the grid, in ln(load).
const STEP: f64 = 0.01;
/// The largest exponent that is evaluated. Beyond it, probabilities are 0 or 1.
const MOST: f64 = 30.0;

/// Probabilities on a grid of ceilings and slopes.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    /// ln(load) of each ceiling.
    grid: Vec<f64>,
    /// Logarithms of the probabilities, not normalised.
    log: Vec<[f64; SLOPES.len()]>,
    /// Share of values beyond the limit at loads far below the ceiling.
    floor: f64,
}

impl Posterior {
    /// Every ceiling between the two loads is equally probable, whatever the slope.
    pub(super) fn between(low: f64, high: f64, floor: f64) -> Self {
        let (first, last) = (low.ln(), high.ln());
        let mut grid = Vec::new();
        let mut at = first;
        while at <= last || grid.is_empty() {
            grid.push(at);
            at += STEP;
        }
        let log = vec![PRIOR.map(f64::ln); grid.len()];
        Self { grid, log, floor }
    }

    /// At `load`, `counts.beyond` of `counts.of` independent values were beyond the limit.
    pub(super) fn learn(&mut self, load: f64, counts: &ShareEvidence) {
        let ShareEvidence {
            beyond,
            of,
            allowed,
            ..
        } = *counts;
        let by_chance = -of * std::f64::consts::LN_2;
        self.multiply(load, allowed, by_chance, |share| {
            beyond * share.ln() + (of - beyond) * (-share).ln_1p()
        });
    }

    /// At `load`, the share `least` of `counts.of` independent values or more was beyond the limit.
    pub(super) fn learn_at_least(&mut self, load: f64, least: f64, counts: &ShareEvidence) {
        self.multiply(load, counts.allowed, 0.0, |share| {
            -counts.of * divergence(least.max(share), share)
        });
    }

    /// Multiplies each cell by the likelihood of a trial at `load`: `fit` of the share that the cell expects, or
    /// `by_chance` if something else decided the trial (both logarithms).
    fn multiply(&mut self, load: f64, allowed: f64, by_chance: f64, fit: impl Fn(f64) -> f64) {
        let at = load.ln();
        let base = (allowed / (1.0 - allowed)).ln();
        let least = self.floor.min(allowed);
        for (ceiling, row) in self.grid.iter().zip(&mut self.log) {
            for (slope, cell) in SLOPES.iter().zip(row) {
                let share = logistic(base + (at - ceiling) / slope).clamp(least, 0.999);
                *cell += ln_sum((1.0 - LAPSE).ln() + fit(share), LAPSE.ln() + by_chance);
            }
        }
    }

    /// The trial failed, so the ceiling is below `load`, or above it by hardly more than `scale` in ln(load).
    pub(super) fn below(&mut self, load: f64, scale: f64) {
        self.step(load, -1.0 / scale);
    }

    /// The trial passed, so the ceiling is above `load`, or below it by hardly more than `scale` in ln(load).
    pub(super) fn above(&mut self, load: f64, scale: f64) {
        self.step(load, 1.0 / scale);
    }

    fn step(&mut self, load: f64, steepness: f64) {
        let at = load.ln();
        for (ceiling, row) in self.grid.iter().zip(&mut self.log) {
            let fit = (LAPSE + (1.0 - LAPSE) * logistic((ceiling - at) * steepness)).ln();
            for cell in row {
                *cell += fit;
            }
        }
    }

    /// The loads below which the ceiling lies with these probabilities, which are in ascending order.
    pub(super) fn quantiles<const N: usize>(&self, wanted: [f64; N]) -> [f64; N] {
        let cells = || self.log.iter().flatten().copied();
        let top = cells().fold(f64::NEG_INFINITY, f64::max);
        let weight = |row: &[f64; SLOPES.len()]| row.iter().map(|cell| (cell - top).exp()).sum();
        let weights: Vec<f64> = self.log.iter().map(weight).collect();
        let all: f64 = weights.iter().sum();
        wanted.map(|q| {
            let mut sum = 0.0;
            let found = weights.iter().position(|weight| {
                sum += weight;
                sum >= q * all
            });
            let last = self.grid.len() - 1;
            self.grid[found.unwrap_or(last)].exp()
        })
    }
}

fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z.clamp(-MOST, MOST)).exp())
}

/// The exponent, per value, of Chernoff's bound for seeing the share `seen` or more where `share` is expected.
fn divergence(seen: f64, share: f64) -> f64 {
    seen * (seen / share).ln() + (1.0 - seen) * ((1.0 - seen) / (1.0 - share)).ln()
}

/// ln(exp(a) + exp(b)) without overflow.
fn ln_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + (low - high).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(beyond: f64, of: f64) -> ShareEvidence {
        ShareEvidence {
            beyond,
            of,
            allowed: 0.05,
            design_effect: None,
            likely_design_effect: None,
        }
    }

    #[test]
    fn without_trials_every_ceiling_is_equally_probable() {
        let flat = Posterior::between(100.0, 400.0, 1e-4);
        let [low, middle, high] = flat.quantiles([0.05, 0.5, 0.95]);
        assert!((middle / 200.0 - 1.0).abs() < 0.02, "{middle}");
        assert!((low / 107.0 - 1.0).abs() < 0.02, "{low}");
        assert!((high / 373.0 - 1.0).abs() < 0.02, "{high}");
    }

    #[test]
    fn passes_below_and_failures_above_enclose_the_ceiling() {
        let mut posterior = Posterior::between(100.0, 400.0, 1e-4);
        for _ in 0..3 {
            posterior.learn(190.0, &counts(0.0, 100.0));
            posterior.learn(210.0, &counts(60.0, 100.0));
        }
        let [low, high] = posterior.quantiles([0.05, 0.95]);
        assert!(low > 185.0 && high < 215.0, "{low} to {high}");
    }

    #[test]
    fn one_disturbed_trial_does_not_outweigh_three_sound_ones() {
        let mut posterior = Posterior::between(100.0, 400.0, 1e-4);
        for _ in 0..3 {
            posterior.learn(250.0, &counts(0.0, 100.0));
        }
        posterior.learn(250.0, &counts(70.0, 100.0));
        let [low] = posterior.quantiles([0.05]);
        assert!(low > 240.0, "{low}");
    }

    #[test]
    fn verdicts_without_counts_narrow_the_range_too() {
        let mut posterior = Posterior::between(100.0, 400.0, 1e-4);
        posterior.above(200.0, 0.02);
        posterior.below(220.0, 0.02);
        let [low, high] = posterior.quantiles([0.2, 0.8]);
        assert!(low > 190.0 && high < 230.0, "{low} to {high}");
    }
}
