use crate::long_run::{FREQUENCIES, variance_of_sum};
use crate::student::{NORMAL, student};

/// The rate of growth per second, from samples over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The total gain, divided by the time.
    pub per_s: f64,
    /// Lower bound of the 95 % interval.
    pub low: f64,
    /// Upper bound of the 95 % interval.
    pub high: f64,
    /// Whether the interval is above zero over the whole time and in each half of it. If so, the value grew throughout,
    /// not only at first. False if there are fewer than [`LOOKS_FOR_STEADY`] samples.
    pub steady: bool,
}

/// Minimum number of samples for [`Growth::steady`]. In each half of the time, an estimate of the spread needs three
/// steps between samples.
pub const LOOKS_FOR_STEADY: usize = 7;

/// The growth of `looks`: samples as pairs of seconds and value, in order of time. `None` with fewer than four samples.
///
/// The interval is Student's, from the spread of the gains between neighbouring samples. The interval of a fitted line
/// would be far too narrow, because neighbouring values are correlated: memory is a sum of allocations and releases.
///
/// If consecutive gains are correlated, as in a phase of many allocations, the interval is wider. A single allocation
/// at the start gives a wide interval. A leak gives a narrow interval.
pub fn growth(looks: &[(f64, f64)]) -> Option<Growth> {
    let (per_s, half) = slope(looks)?;
    let half = half.max(correlated_half(looks, per_s));
    let middle = looks.len() / 2;
    let halves = [&looks[..=middle], &looks[middle..]];
    let grows = |part: &[(f64, f64)]| slope(part).is_some_and(|(slope, half)| slope > half);
    Some(Growth {
        per_s,
        low: per_s - half,
        high: per_s + half,
        steady: per_s > half && looks.len() >= LOOKS_FOR_STEADY && halves.into_iter().all(grows),
    })
}

/// Time and gain of each step between two samples.
fn steps_of(looks: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let pairs = looks.windows(2);
    let steps = pairs.map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
    steps.filter(|(time, _)| *time > 0.0).collect()
}

/// The deviation of each step's gain from the gain that the slope predicts for its time.
fn deviations(steps: &[(f64, f64)], slope: f64) -> Vec<f64> {
    let each = steps.iter();
    each.map(|(time, gain)| gain - slope * time).collect()
}

/// The gain per second, and half the width of its interval, assuming independent gains.
fn slope(looks: &[(f64, f64)]) -> Option<(f64, f64)> {
    let steps = steps_of(looks);
    let count = steps.len();
    if count < 3 {
        return None;
    }
    let time: f64 = steps.iter().map(|(time, _)| time).sum();
    let slope = steps.iter().map(|(_, gain)| gain).sum::<f64>() / time;
    let squares = deviations(&steps, slope);
    let squares: f64 = squares.iter().map(|one| one.powi(2)).sum();
    let n = count as f64;
    let error = (squares * n / (n - 1.0)).sqrt() / time;
    Some((slope, student(count - 1) * error))
}

/// Half the width of the interval for correlated gains.
fn correlated_half(looks: &[(f64, f64)], slope: f64) -> f64 {
    let steps = steps_of(looks);
    let time: f64 = steps.iter().map(|(time, _)| time).sum();
    let frequencies = FREQUENCIES.min(steps.len() / 2);
    let variance = variance_of_sum(&deviations(&steps, slope), frequencies);
    NORMAL * variance.map_or(0.0, |sum| sum.upper).sqrt() / time
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One sample per second.
    fn looks(values: &[f64]) -> Vec<(f64, f64)> {
        let seconds = (0..values.len()).map(|second| second as f64);
        seconds.zip(values.iter().copied()).collect()
    }

    #[test]
    fn a_leak_is_steady_and_known_closely() {
        let noise = [0.1, -0.1].into_iter().cycle();
        let values: Vec<f64> = (0..11)
            .zip(noise)
            .map(|(i, noise)| 50.0 + 2.0 * f64::from(i) + noise)
            .collect();
        let growth = growth(&looks(&values)).unwrap();
        assert!(growth.low < 2.0 && 2.0 < growth.high, "{growth:?}");
        assert!(growth.high - growth.low < 0.5, "{growth:?}");
        assert!(growth.steady);
    }

    #[test]
    fn what_is_taken_once_at_the_start_is_not_steady() {
        let mut values = vec![10.0, 40.0, 55.0];
        values.extend([60.0; 9]);
        let growth = growth(&looks(&values)).unwrap();
        assert!(growth.per_s > 4.0 && !growth.steady, "{growth:?}");
    }

    #[test]
    fn a_saw_tooth_does_not_grow() {
        let values: Vec<f64> = (0..30).map(|i| 100.0 + f64::from(i % 5)).collect();
        let growth = growth(&looks(&values)).unwrap();
        assert!(growth.low < 0.0 && 0.0 < growth.high && !growth.steady);
    }

    #[test]
    fn steps_of_different_length_count_by_their_time() {
        let growth = growth(&[(0.0, 0.0), (1.0, 3.0), (3.0, 9.0), (3.5, 10.5), (9.0, 27.0)]);
        let growth = growth.unwrap();
        assert!((growth.per_s - 3.0).abs() < 1e-12 && growth.high - growth.low < 1e-9);
        assert!(!growth.steady, "five looks are too few to tell");
    }

    /// The growth of a value with these gains per second.
    fn gains(gains: impl IntoIterator<Item = i32>) -> Growth {
        let mut values = vec![0.0];
        for gain in gains {
            values.push(values[values.len() - 1] + f64::from(gain));
        }
        growth(&looks(&values)).unwrap()
    }

    #[test]
    fn gains_that_take_turns_have_the_interval_of_students_test() {
        let growth = gains([1, 2].repeat(4));
        // 2.3646 (7 degrees of freedom) × the standard error √(8 × 0.25 / 7) / √8
        let half = 2.364_624_251_592_784_4 * (2.0_f64 / 7.0 / 8.0).sqrt();
        assert!((growth.per_s - 1.5).abs() < 1e-9, "{growth:?}");
        assert!((growth.high - 1.5 - half).abs() < 1e-9, "{growth:?}");
        assert!((1.5 - growth.low - half).abs() < 1e-9, "{growth:?}");
    }

    #[test]
    fn gains_that_are_alike_for_long_make_the_interval_wider() {
        let width = |growth: Growth| growth.high - growth.low;
        let turning = gains([1, 3].repeat(5));
        let alike = gains([1, 1, 1, 1, 1, 3, 3, 3, 3, 3]);
        assert!((turning.per_s - alike.per_s).abs() < 1e-9);
        assert!(width(alike) > 1.9 * width(turning), "{alike:?} {turning:?}");
    }

    #[test]
    fn what_grew_over_the_whole_time_but_not_in_its_second_half_is_not_steady() {
        let growth = gains([[1, 2].repeat(8), [1, -1].repeat(4)].concat());
        assert!(growth.low > 0.0 && !growth.steady, "{growth:?}");
        assert!(gains([1, 2].repeat(12)).steady);
    }

    #[test]
    fn too_few_looks_say_nothing() {
        assert_eq!(growth(&looks(&[1.0, 2.0, 3.0])), None);
        assert!(growth(&looks(&[1.0, 2.0, 3.0, 4.0])).is_some());
        assert_eq!(growth(&[(1.0, 1.0); 9]), None, "no time passed");
    }
}
