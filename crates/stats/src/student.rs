/// The 97.5 % quantile of Student's distribution. Beyond the table, the Cornish-Fisher expansion is used, which is
/// accurate to three digits there.
pub(crate) fn student(freedom: usize) -> f64 {
    const FIRST: [f64; 10] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    ];
    if let Some(&known) = freedom.checked_sub(1).and_then(|index| FIRST.get(index)) {
        return known;
    }
    let n = freedom.max(1) as f64;
    let first = (NORMAL.powi(3) + NORMAL) / 4.0;
    let second = (5.0 * NORMAL.powi(5) + 16.0 * NORMAL.powi(3) + 3.0 * NORMAL) / 96.0;
    let third = (3.0 * NORMAL.powi(7) + 19.0 * NORMAL.powi(5) + 17.0 * NORMAL.powi(3)
        - 15.0 * NORMAL)
        / 384.0;
    NORMAL + first / n + second / n.powi(2) + third / n.powi(3)
}

/// The 97.5 % quantile of the normal distribution, for two-sided 95 % intervals.
pub(crate) const NORMAL: f64 = 1.959_963_984_540_054;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, known) in [
            (1, 12.706),
            (10, 2.228),
            (11, 2.201),
            (30, 2.042),
            (120, 1.980),
        ] {
            assert!((student(freedom) - known).abs() < 0.001, "{freedom}");
        }
    }

    /// Compares with quantiles from numerical integration. The accepted error is that of the first omitted term.
    #[test]
    fn beyond_the_table_the_error_is_that_of_the_next_term() {
        for (freedom, known) in [
            (11, 2.200_985_160_091_64),
            (30, 2.042_272_456_301_238),
            (60, 2.000_297_822_014_261),
            (120, 1.979_930_405_082_441),
        ] {
            let error = (student(freedom) - known).abs();
            assert!(error < 2.0 / (freedom as f64).powi(4), "{freedom}: {error}");
        }
    }
}
