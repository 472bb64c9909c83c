//! The difference between two sets of runs. The run is the unit: the samples of one run share its circumstances, so no
//! number of them shows how much runs differ.
//!
//! All values are on a scale on which differences add up, such as the logarithm of a time.

use serde::Serialize;

use crate::student::{student_critical, student_tails};

/// Maximum probability that a difference is stated where there is none.
pub const SIGNIFICANCE: f64 = 0.05;
/// Fewest runs on each side for a statement. Two runs would need differences of six standard deviations.
pub const FEWEST_RUNS: usize = 3;
/// Fewest runs on each side for which the drift over the order of the runs is estimated.
const FEWEST_FOR_DRIFT: usize = 5;
/// Probability with which the suggested number of runs finds a difference of the size of the margin.
const POWER: f64 = 0.9;
/// A difference is never stated more exactly than this, so that equal values are no proof.
const LEAST_SPREAD: f64 = 1e-9;
/// The suggested number of runs is at most this number.
const MOST_RUNS: usize = 10_000;

/// A difference between the means of two sets of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The second mean minus the first.
    pub estimate: f64,
    /// Standard error of the estimate.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub freedom: f64,
    /// Standard deviation from run to run.
    pub spread: f64,
}

/// How many more runs a decision is likely to need. The spread is itself an estimate, so the need has a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunsNeeded {
    /// The likely number of runs on each side.
    pub likely: usize,
    /// The number if the spread is at the lower end of its 80 % interval.
    pub low: usize,
    /// The number if the spread is at the upper end of its 80 % interval.
    pub high: usize,
}

impl Difference {
    /// The interval that contains the true difference with probability `1 - tails`.
    pub fn interval(&self, tails: f64) -> (f64, f64) {
        let half = student_critical(tails, self.freedom) * self.error;
        (self.estimate - half, self.estimate + half)
    }

    /// The probability of an estimate at least as far from zero if the true difference is zero.
    pub fn p_value(&self) -> f64 {
        student_tails(self.estimate / self.error, self.freedom)
    }

    /// The number of runs on each side after which a true difference of `margin` would be found in nine of ten cases, by a
    /// test that states a difference where there is none with probability `significance`.
    pub fn runs_needed(&self, margin: f64, significance: f64) -> RunsNeeded {
        let at = |spread| runs_for(spread, margin, significance);
        // The square of the estimated spread, divided by the true one, varies like a chi-square variable.
        let [low, high] = [1.281_551_565_5, -1.281_551_565_5]
            .map(|z| self.spread / chi_square_ratio(z, self.freedom).sqrt());
        RunsNeeded {
            likely: at(self.spread),
            low: at(low),
            high: at(high),
        }
    }
}

/// The quantile of chi-square divided by its degrees of freedom at the normal quantile `z` (Wilson and Hilferty, 1931).
fn chi_square_ratio(z: f64, freedom: f64) -> f64 {
    let share = 2.0 / (9.0 * freedom);
    (1.0 - share + z * share.sqrt()).powi(3).max(0.01)
}

fn runs_for(spread: f64, margin: f64, significance: f64) -> usize {
    let enough = |runs: usize| {
        let freedom = (2 * runs - 2) as f64;
        let times = student_critical(significance, freedom)
            + student_critical(2.0 * (1.0 - POWER), freedom);
        runs as f64 >= 2.0 * (times * spread / margin).powi(2)
    };
    let (mut low, mut high) = (FEWEST_RUNS - 1, MOST_RUNS);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Compares two sets whose runs alternate. `runs` are in order of time, with `true` for the second set. Both sets are
/// assumed to spread alike.
///
/// `within` is the variance of one run's value that the run itself shows, such as by its blocks. Runs that agree better
/// than that agree by chance.
///
/// With at least five runs on each side, a drift that is linear in the order of the runs is estimated too, and removed.
/// `None` with fewer than two runs on a side.
pub fn interleaved(runs: &[(bool, f64)], within: f64) -> Option<Difference> {
    let second = runs.iter().filter(|(second, _)| *second).count();
    let first = runs.len() - second;
    if first.min(second) < 2 {
        return None;
    }
    let count = runs.len() as f64;
    let mean = |each: &dyn Fn(usize) -> f64| (0..runs.len()).map(each).sum::<f64>() / count;
    let side = |at: usize| f64::from(u8::from(runs[at].0));
    let order = |at: usize| {
        if first.min(second) < FEWEST_FOR_DRIFT {
            0.0
        } else {
            at as f64
        }
    };
    let value = |at: usize| runs[at].1;
    let [side_mean, order_mean, value_mean] = [mean(&side), mean(&order), mean(&value)];
    let products = |one: &dyn Fn(usize) -> f64, other: &dyn Fn(usize) -> f64| -> f64 {
        (0..runs.len()).map(|at| one(at) * other(at)).sum()
    };
    let side = |at: usize| side(at) - side_mean;
    let order = |at: usize| order(at) - order_mean;
    let value = |at: usize| value(at) - value_mean;
    let [sides, orders, both] = [
        products(&side, &side),
        products(&order, &order),
        products(&side, &order),
    ];
    let [side_value, order_value] = [products(&side, &value), products(&order, &value)];
    // Least squares with two columns. Without drift, the second column is zero.
    let (unique, estimate, drift) = if orders > 0.0 {
        let unique = sides - both * both / orders;
        let estimate = (side_value - both * order_value / orders) / unique;
        (unique, estimate, (order_value - both * estimate) / orders)
    } else {
        (sides, side_value / sides, 0.0)
    };
    let freedom = count - if orders > 0.0 { 3.0 } else { 2.0 };
    let left = |at: usize| value(at) - estimate * side(at) - drift * order(at);
    let spread = (products(&left, &left) / freedom)
        .max(within)
        .sqrt()
        .max(LEAST_SPREAD);
    Some(Difference {
        estimate,
        error: spread / unique.sqrt(),
        freedom,
        spread,
    })
}

/// Compares two sets of which one ran after the other, by Welch's test. The result cannot tell a difference between the
/// sets from a drift between their times. `within` as in [`interleaved`]. `None` with fewer than two runs on a side.
pub fn one_after_the_other(first: &[f64], second: &[f64], within: f64) -> Option<Difference> {
    let [one, two] = [spread_of(first, within)?, spread_of(second, within)?];
    let (a, b) = (one.1 / first.len() as f64, two.1 / second.len() as f64);
    let freedom =
        (a + b).powi(2) / (a * a / (first.len() - 1) as f64 + b * b / (second.len() - 1) as f64);
    Some(Difference {
        estimate: two.0 - one.0,
        error: (a + b).sqrt(),
        freedom,
        spread: f64::midpoint(one.1, two.1).sqrt(),
    })
}

/// Compares one new day with the days of a history, as a prediction: the new day is one more draw. Each value is the
/// mean of a day's runs. `None` with fewer than two days.
pub fn after_history(days: &[f64], new: f64, within: f64) -> Option<Difference> {
    let (mean, variance) = spread_of(days, within)?;
    let count = days.len() as f64;
    Some(Difference {
        estimate: new - mean,
        error: (variance * (1.0 + 1.0 / count)).sqrt(),
        freedom: count - 1.0,
        spread: variance.sqrt(),
    })
}

/// Mean and variance. `None` with fewer than two values.
fn spread_of(values: &[f64], within: f64) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = (squares / (count - 1.0))
        .max(within)
        .max(LEAST_SPREAD.powi(2));
    Some((mean, variance))
}

/// Adjusts p-values so that the probability of any false statement among them is at most the level that they are
/// compared with (Holm, 1979).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut largest: f64 = 0.0;
    adjusted(p_values, false, |rank, p| {
        largest = largest.max(p * (count - rank) as f64);
        largest
    })
}

/// Adjusts p-values so that the expected share of false statements among all statements is at most the level that they
/// are compared with (Benjamini and Hochberg, 1995).
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut least: f64 = 1.0;
    adjusted(p_values, true, |rank, p| {
        least = least.min(p * count as f64 / (rank + 1) as f64);
        least
    })
}

/// Applies `step` to the p-values with their ranks, in ascending or descending order.
fn adjusted(
    p_values: &[f64],
    descending: bool,
    mut step: impl FnMut(usize, f64) -> f64,
) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut result = vec![1.0; p_values.len()];
    let mut set = |(rank, &at): (usize, &usize)| {
        result[at] = step(rank, p_values[at]).min(1.0);
    };
    if descending {
        order.iter().enumerate().rev().for_each(&mut set);
    } else {
        order.iter().enumerate().for_each(&mut set);
    }
    result
}

#[cfg(test)]
mod tests;
