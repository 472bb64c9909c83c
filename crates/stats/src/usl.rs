//! The fit of the Universal Scalability Law: throughput X at N operations in flight is
//! λN ÷ (1 + σ(N − 1) + κN(N − 1)).

use serde::{Deserialize, Serialize};

use crate::student::student;

/// Fewest points: three parameters, and two degrees of freedom for the error.
const FEWEST: usize = 5;
/// Most steps of the optimiser. Known targets need fewer than 20.
const STEPS: usize = 200;
/// The optimiser ends if a step lowers the sum of squares by less than this share.
const SETTLED: f64 = 1e-12;

/// An estimated parameter with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// A fit of the Universal Scalability Law. Parameters are not forced to be positive, so that their intervals tell
/// whether they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UslFit {
    /// λ: throughput per second of one operation in flight.
    pub lambda: Parameter,
    /// σ, contention: the share of the work that only one operation can do at a time.
    pub sigma: Parameter,
    /// κ, coherence: the cost of each pair of operations in flight.
    pub kappa: Parameter,
    /// Standard deviation of the relative error of the throughput.
    pub error: f64,
}

impl UslFit {
    /// Returns the throughput at `in_flight`.
    pub fn throughput(&self, in_flight: f64) -> f64 {
        let point = [self.sigma.value, self.kappa.value];
        self.lambda.value * in_flight / denominator(point, in_flight)
    }
}

/// Fits the law to `points`: pairs of operations in flight and throughput. All must be above zero. `None` with fewer
/// than five points, or if the points do not determine the parameters.
///
/// The relative errors of the throughput are minimised by the Levenberg–Marquardt method. The intervals are Student's,
/// from the linearised model.
pub fn fit_usl(points: &[(f64, f64)]) -> Option<UslFit> {
    let is_usable = |(load, throughput): &(f64, f64)| *load > 0.0 && *throughput > 0.0;
    if points.len() < FEWEST || !points.iter().all(is_usable) {
        return None;
    }
    let found = minimise(points, start(points)?)?;
    let freedom = points.len() - 3;
    let variance = squares(points, found)? / freedom as f64;
    let inverse = inverse(normal(points, found).0)?;
    let times = student(freedom);
    let half = |index: usize| {
        let own: f64 = inverse[index][index];
        times * (variance * own.max(0.0)).sqrt()
    };
    let around = |index: usize| Parameter {
        value: found[index],
        low: found[index] - half(index),
        high: found[index] + half(index),
    };
    let log_lambda = around(0);
    Some(UslFit {
        lambda: Parameter {
            value: log_lambda.value.exp(),
            low: log_lambda.low.exp(),
            high: log_lambda.high.exp(),
        },
        sigma: around(1),
        kappa: around(2),
        error: variance.sqrt(),
    })
}

/// ln λ, σ, κ.
type Parameters = [f64; 3];
type Matrix = [[f64; 3]; 3];

fn denominator([sigma, kappa]: [f64; 2], load: f64) -> f64 {
    1.0 + sigma * (load - 1.0) + kappa * load * (load - 1.0)
}

/// The parameters that fit the time N ÷ X of an operation, which is linear in 1 ÷ λ, σ ÷ λ and κ ÷ λ.
fn start(points: &[(f64, f64)]) -> Option<Parameters> {
    let mut matrix = Matrix::default();
    let mut right = [0.0; 3];
    for (load, throughput) in points {
        let time = load / throughput;
        // Divided by the time, so that relative errors count.
        let row = [1.0, load - 1.0, load * (load - 1.0)].map(|term| term / time);
        add_row(&mut matrix, &mut right, row, 1.0);
    }
    let [time, sigma, kappa] = solve(matrix, right)?;
    if time > 0.0 {
        let linear = [-time.ln(), sigma / time, kappa / time];
        if squares(points, linear).is_some() {
            return Some(linear);
        }
    }
    let best = points.iter().map(|(load, per_s)| per_s / load);
    Some([best.fold(f64::MIN_POSITIVE, f64::max).ln(), 0.0, 0.0])
}

fn minimise(points: &[(f64, f64)], from: Parameters) -> Option<Parameters> {
    let mut here = from;
    let mut sum = squares(points, here)?;
    let mut damping = 1e-3;
    for _ in 0..STEPS {
        let (mut matrix, right) = normal(points, here);
        for (index, row) in matrix.iter_mut().enumerate() {
            row[index] *= 1.0 + damping;
        }
        let step = solve(matrix, right)?;
        let next = [0, 1, 2].map(|index| here[index] + step[index]);
        match squares(points, next) {
            Some(less) if less <= sum => {
                let is_settled = sum - less <= sum * SETTLED;
                (here, sum) = (next, less);
                damping /= 10.0;
                if is_settled {
                    break;
                }
            }
            _ if damping > 1e12 => break,
            _ => damping *= 10.0,
        }
    }
    Some(here)
}

/// The sum of the squared relative errors. `None` where the law has no throughput.
fn squares(points: &[(f64, f64)], [log_lambda, sigma, kappa]: Parameters) -> Option<f64> {
    let mut sum = 0.0;
    for &(load, throughput) in points {
        let below = denominator([sigma, kappa], load);
        if below.is_nan() || below <= 0.0 {
            return None;
        }
        sum += (throughput.ln() - log_lambda - load.ln() + below.ln()).powi(2);
    }
    Some(sum)
}

/// The normal equations of a Gauss–Newton step.
fn normal(points: &[(f64, f64)], [log_lambda, sigma, kappa]: Parameters) -> (Matrix, [f64; 3]) {
    let mut matrix = Matrix::default();
    let mut right = [0.0; 3];
    for &(load, throughput) in points {
        let below = denominator([sigma, kappa], load);
        let error = throughput.ln() - log_lambda - load.ln() + below.ln();
        let row = [1.0, -(load - 1.0) / below, -load * (load - 1.0) / below];
        add_row(&mut matrix, &mut right, row, error);
    }
    (matrix, right)
}

fn add_row(matrix: &mut Matrix, right: &mut [f64; 3], row: [f64; 3], value: f64) {
    for (index, one) in row.iter().enumerate() {
        for (other, sum) in row.iter().zip(&mut matrix[index]) {
            *sum += one * other;
        }
        right[index] += one * value;
    }
}

fn inverse(matrix: Matrix) -> Option<Matrix> {
    let column = |index: usize| {
        let mut unit = [0.0; 3];
        unit[index] = 1.0;
        solve(matrix, unit)
    };
    // The inverse of a symmetric matrix is symmetric, so columns are rows.
    Some([column(0)?, column(1)?, column(2)?])
}

/// Solves a symmetric system by Gaussian elimination. The parameters differ by many orders of magnitude, so the
/// diagonal is scaled to 1 first. `None` if the system has no unique solution.
fn solve(matrix: Matrix, right: [f64; 3]) -> Option<[f64; 3]> {
    const SINGULAR: f64 = 1e-13;
    let scale = [0, 1, 2].map(|index: usize| matrix[index][index].sqrt());
    if scale.iter().any(|one| !one.is_normal()) {
        return None;
    }
    let mut rows = [[0.0; 4]; 3];
    for (index, row) in rows.iter_mut().enumerate() {
        for other in 0..3 {
            row[other] = matrix[index][other] / scale[index] / scale[other];
        }
        row[3] = right[index] / scale[index];
    }
    for pivot in 0..3 {
        let size = |row: &usize| rows[*row][pivot].abs();
        let best = (pivot..3).max_by(|one, other| size(one).total_cmp(&size(other)))?;
        rows.swap(pivot, best);
        let top = rows[pivot];
        if top[pivot].abs() < SINGULAR {
            return None;
        }
        for row in &mut rows[pivot + 1..] {
            let times = row[pivot] / top[pivot];
            for (value, above) in row.iter_mut().zip(&top) {
                *value -= times * above;
            }
        }
    }
    let mut solution = [0.0; 3];
    for index in (0..3).rev() {
        let row = &rows[index];
        let known: f64 = (index + 1..3)
            .map(|other| row[other] * solution[other])
            .sum();
        solution[index] = (row[3] - known) / row[index];
    }
    Some([0, 1, 2].map(|index: usize| solution[index] / scale[index]))
}

#[cfg(test)]
mod tests;
