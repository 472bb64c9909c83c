//! The variance of a sum whose terms are correlated in time.

/// Number of lowest frequencies in the estimate. More frequencies would estimate the variance of independent samples
/// better but miss correlation over seconds. Fewer frequencies would make intervals needlessly wide.
pub(crate) const FREQUENCIES: usize = 8;

/// The 10 % quantiles of the chi-squared distribution with 1, 2, … degrees of freedom.
const CHI_SQUARED: [f64; FREQUENCIES] = [
    0.015_791, 0.210_721, 0.584_374, 1.063_623, 1.610_308, 2.204_131, 2.833_107, 3.489_539,
];

/// The variance of a sum of correlated terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SumVariance {
    /// The estimate, which is right on average.
    pub(crate) likely: f64,
    /// An upper bound with 90 % confidence. An interval needs it, because the estimate from few frequencies is inaccurate:
    /// a run that by chance looks less correlated than it is would get an interval that is too narrow.
    pub(crate) upper: f64,
}

/// Estimates the variance of the sum of `deviations`. The deviations are in order of time and have the mean 0.
/// `frequencies` is at most 8. `None` if there are fewer than two deviations per frequency.
///
/// The estimate is the mean power of the lowest frequencies, the equally weighted cosines of Lazarus, Lewis, Stock and
/// Watson (Journal of Business & Economic Statistics 36, 2018). It fully includes correlation over times much shorter
/// than the whole time. For independent deviations, it is the ordinary variance of the sum.
pub(crate) fn variance_of_sum(deviations: &[f64], frequencies: usize) -> Option<SumVariance> {
    let count = deviations.len();
    let quantile = CHI_SQUARED.get(frequencies.checked_sub(1)?)?;
    if count < 2 * frequencies {
        return None;
    }
    let step = std::f64::consts::PI / count as f64;
    let power = |frequency: usize| {
        let wave = |index: usize| (frequency as f64 * step * (index as f64 + 0.5)).cos();
        let each = deviations.iter().enumerate();
        let sum: f64 = each.map(|(at, one)| one * wave(at)).sum();
        2.0 * sum * sum
    };
    let all: f64 = (1..=frequencies).map(power).sum();
    Some(SumVariance {
        likely: all / frequencies as f64,
        upper: all / quantile,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<SumVariance>, power: f64, frequencies: f64, quantile: f64) {
        let found = found.unwrap();
        let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
        assert!(is_near(found.likely, power / frequencies), "{found:?}");
        assert!(is_near(found.upper, power / quantile), "{found:?}");
    }

    #[test]
    fn the_power_of_each_frequency_is_that_of_its_cosine() {
        // cos 45° and cos 135°: the sum is √2, its power 2·2.
        near(variance_of_sum(&[1.0, -1.0], 1), 4.0, 1.0, 0.015_791);
        // The first frequency cancels out. For the second, each of the four terms is cos 45°.
        near(
            variance_of_sum(&[1.0, -1.0, -1.0, 1.0], 2),
            16.0,
            2.0,
            0.210_721,
        );
    }

    #[test]
    fn deviations_that_are_alike_for_long_weigh_more() {
        let alike: Vec<f64> = (0..64)
            .map(|at| if at / 8 % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let turning: Vec<f64> = (0..64)
            .map(|at| if at % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let [alike, turning] = [alike, turning].map(|one| variance_of_sum(&one, 8).unwrap().likely);
        assert!(alike > 100.0 * turning, "{alike} {turning}");
    }

    #[test]
    fn each_frequency_needs_two_deviations() {
        assert!(variance_of_sum(&[1.0; 11], 6).is_none());
        assert!(variance_of_sum(&[1.0; 12], 6).is_some());
        assert!(variance_of_sum(&[1.0; 12], 0).is_none());
        assert!(variance_of_sum(&[1.0; 40], 9).is_none());
    }
}
