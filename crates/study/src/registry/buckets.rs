//! The histogram of the field report's tool, to show what it makes of known times.

use model::Nanos;
use stats::Histogram;

/// The labels of the tool's nine buckets, in microseconds. A bucket contains the times below its label, except the last:
/// it contains all times from 50 ms on, however long they are.
const LABELS_US: [u64; 9] = [10, 50, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000];

/// Returns quantile `q` as the tool prints it: the label of the bucket in which the count of times reaches
/// `floor(n × q)`. `None` without times.
pub(super) fn quantile(times: &Histogram, q: f64) -> Option<Nanos> {
    let all = times.count();
    let rank = (all as f64 * q).floor();
    let [finite @ .., last] = LABELS_US.map(Nanos::from_micros);
    let reached = |label: &Nanos| (all - times.count_above(*label)) as f64 >= rank;
    let label = finite.into_iter().find(reached).unwrap_or(last);
    (all > 0).then_some(label)
}

/// Returns the number of times in the last bucket.
pub(super) fn clipped(times: &Histogram) -> u64 {
    let [.., last_but_one, _] = LABELS_US;
    times.count_above(Nanos::from_micros(last_but_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(of: &[(u64, u64)]) -> Histogram {
        let mut times = Histogram::default();
        for &(micros, count) in of {
            times.record_n(Nanos::from_micros(micros), count);
        }
        times
    }

    fn printed(times: &Histogram) -> [u64; 3] {
        [0.5, 0.95, 0.99].map(|q| quantile(times, q).unwrap().0 / 1000)
    }

    #[test]
    fn a_percentile_is_the_upper_label_of_its_bucket() {
        // 100 times: 60 of 120 µs, 35 of 2 ms, 5 of 20 ms. Ranks 50, 95 and 99.
        let times = times(&[(120, 60), (2_000, 35), (20_000, 5)]);
        assert_eq!(printed(&times), [500, 5_000, 50_000]);
        assert_eq!(clipped(&times), 0);
    }

    #[test]
    fn no_time_is_printed_as_more_than_100_ms() {
        let times = times(&[(20_000, 50), (60_000, 30), (56_000_000, 20)]);
        assert_eq!(printed(&times), [50_000, 100_000, 100_000]);
        assert_eq!(clipped(&times), 50);
    }

    #[test]
    fn the_rank_is_rounded_down() {
        // floor(199 × 0.99) = 197, so two long times of 199 do not show.
        let short = times(&[(20_000, 197), (9_000_000, 2)]);
        assert_eq!(quantile(&short, 0.99), Some(Nanos::from_millis(50)));
        let long = times(&[(20_000, 196), (9_000_000, 3)]);
        assert_eq!(quantile(&long, 0.99), Some(Nanos::from_millis(100)));
    }

    #[test]
    fn without_times_there_is_no_percentile() {
        assert_eq!(quantile(&Histogram::default(), 0.5), None);
    }
}
