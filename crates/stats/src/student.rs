//! Student's distribution, computed from the regularized incomplete beta function (NIST Digital Library of Mathematical
//! Functions, 8.17).

use crate::pass_rate::beta;

/// The 97.5 % quantile of the normal distribution, for two-sided 95 % intervals.
pub(crate) const NORMAL: f64 = 1.959_963_984_540_054;

/// The 97.5 % quantile of Student's distribution, for two-sided 95 % intervals.
pub(crate) fn student(freedom: usize) -> f64 {
    student_critical(0.05, freedom.max(1) as f64)
}

/// The probability that the absolute value of a Student variable exceeds `t`.
pub(crate) fn student_tails(t: f64, freedom: f64) -> f64 {
    beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// The value that the absolute value of a Student variable exceeds with probability `tails`, which is above 0 and below 1.
pub(crate) fn student_critical(tails: f64, freedom: f64) -> f64 {
    let mut high = 1.0;
    while student_tails(high, freedom) > tails {
        high *= 2.0;
    }
    let mut low = 0.0;
    // Each step halves the interval, so 60 steps reach the precision of a float.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if student_tails(middle, freedom) > tails {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, known) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (5, 2.571),
            (10, 2.228),
            (11, 2.201),
            (30, 2.042),
            (120, 1.980),
        ] {
            assert!((student(freedom) - known).abs() < 0.001, "{freedom}");
        }
    }

    /// Compares with quantiles from numerical integration.
    #[test]
    fn students_quantiles_are_exact_to_nine_digits() {
        for (freedom, known) in [
            (11, 2.200_985_160_091_64),
            (30, 2.042_272_456_301_238),
            (60, 2.000_297_822_014_261),
            (120, 1.979_930_405_082_441),
        ] {
            let error = (student(freedom) - known).abs();
            assert!(error < 1e-9, "{freedom}: {error}");
        }
    }

    /// For two degrees of freedom, the distribution has a closed form.
    #[test]
    fn the_tails_are_those_of_the_closed_form() {
        for t in [0.1_f64, 1.0, 4.303, 20.0] {
            let exact = 1.0 - t / (2.0 + t * t).sqrt();
            assert!((student_tails(t, 2.0) - exact).abs() < 1e-12, "{t}");
        }
        assert!((student_tails(0.0, 7.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_critical_value_is_exceeded_with_its_probability() {
        for tails in [0.5, 0.2, 0.05, 0.0158, 0.001] {
            for freedom in [1.0, 2.5, 6.0, 40.0] {
                let t = student_critical(tails, freedom);
                assert!(
                    (student_tails(t, freedom) - tails).abs() < 1e-9,
                    "{tails} {freedom}"
                );
            }
        }
    }
}
