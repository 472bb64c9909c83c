//! Compares the one-sided exact test of a share with sums of binomial probabilities and with simulation.

use stats::{ShareTest, least_trials, needed_samples, rank_of, test_share, trials_to_decide};

/// `P(B = k)` of a binomial distribution by multiplying out, without logarithms or special functions.
fn probabilities(n: u32, share: f64) -> Vec<f64> {
    let mut row = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; row.len() + 1];
        for (k, p) in row.iter().enumerate() {
            next[k] += p * (1.0 - share);
            next[k + 1] += p * share;
        }
        row = next;
    }
    row
}

#[test]
fn the_test_is_that_of_sums_of_probabilities() {
    for share in [0.5, 0.25, 0.1, 0.05, 0.01] {
        for n in [1, 2, 5, 28, 29, 58, 59, 93, 150] {
            let row = probabilities(n, share);
            for hits in 0..=n {
                let at = hits as usize;
                let (few, many): (f64, f64) = (row[..=at].iter().sum(), row[at..].iter().sum());
                let expected = match (few <= 0.05, many <= 0.05) {
                    (true, _) => ShareTest::Below,
                    (_, true) => ShareTest::Above,
                    _ => ShareTest::Open,
                };
                let near = (few - 0.05).abs() < 1e-9 || (many - 0.05).abs() < 1e-9;
                let found = test_share(hits.into(), n.into(), share);
                assert!(
                    found == expected || near,
                    "{hits} of {n} at {share}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn fifty_nine_without_a_hit_show_a_share_of_five_per_cent() {
    assert_eq!(test_share(0, 58, 0.05), ShareTest::Open);
    assert_eq!(test_share(0, 59, 0.05), ShareTest::Below);
    assert_eq!(test_share(1, 59, 0.05), ShareTest::Open);
    assert_eq!(test_share(0, 0, 0.05), ShareTest::Open);
    assert_eq!(test_share(3, 3, 0.05), ShareTest::Above);
    assert_eq!(test_share(4, 3, 0.05), ShareTest::Open, "no such sample");
    for (share, least) in [(0.5, 5), (0.1, 29), (0.05, 59), (0.01, 299), (0.001, 2995)] {
        assert_eq!(least_trials(share), least, "{share}");
        assert_eq!(test_share(0, least, share), ShareTest::Below);
        assert_eq!(test_share(0, least - 1, share), ShareTest::Open);
    }
}

/// With enough samples to state the percentile, its rank decides. The bound must never contradict the rank.
#[test]
fn the_bound_never_contradicts_the_percentile_of_the_samples() {
    for q in [0.5, 0.9, 0.95, 0.99] {
        for n in 1..needed_samples(q) {
            let may_exceed = n - rank_of(n, q);
            for hits in 0..=n {
                match test_share(hits, n, 1.0 - q) {
                    ShareTest::Below => assert!(hits <= may_exceed, "{hits} of {n} at {q}"),
                    ShareTest::Above => assert!(hits > may_exceed, "{hits} of {n} at {q}"),
                    ShareTest::Open => {}
                }
            }
        }
    }
}

#[test]
fn no_number_of_trials_shows_a_share_below_nothing() {
    for nothing in [0.0, -0.5, f64::NAN] {
        assert_eq!(least_trials(nothing), u64::MAX, "{nothing}");
    }
}

#[test]
fn what_is_asked_for_decides() {
    assert_eq!(
        trials_to_decide(15, 300, 0.05, 200),
        301,
        "more than there are"
    );
    assert_eq!(trials_to_decide(0, 12, 0.05, 200), 59);
    assert_eq!(trials_to_decide(0, 1, 0.01, 1_000), 299);
    let n = trials_to_decide(1, 60, 0.05, 200);
    assert!((61..=200).contains(&n), "{n}");
    // The observed share equals the limit (5 %), so no number of samples decides.
    assert_eq!(trials_to_decide(5, 100, 0.05, 200), 200);
}

/// A fixed sequence of numbers between 0 and 1 (a linear congruential generator), so that the test is always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn a_share_at_its_limit_is_called_below_or_above_in_one_of_twenty_at_most() {
    let mut numbers = Numbers(7);
    for (share, n) in [(0.05, 80_u64), (0.05, 180), (0.5, 15), (0.1, 60)] {
        let (mut below, mut above) = (0, 0);
        for _ in 0..4_000 {
            let hits = (0..n).filter(|_| numbers.next() < share).count() as u64;
            match test_share(hits, n, share) {
                ShareTest::Below => below += 1,
                ShareTest::Above => above += 1,
                ShareTest::Open => {}
            }
        }
        assert!(
            below <= 240 && above <= 240,
            "{share} of {n}: {below} below, {above} above of 4,000"
        );
    }
}

/// All deliveries of a message are late, or none is. Counting deliveries would therefore pass a broken limit far too
/// often, but counting messages does not.
#[test]
fn counted_by_message_the_test_holds_for_alike_deliveries() {
    let mut numbers = Numbers(11);
    let (share, messages, receivers) = (0.06, 60_u64, 50_u64);
    let (mut by_delivery, mut by_message) = (0, 0);
    for _ in 0..2_000 {
        let late = (0..messages).filter(|_| numbers.next() < share).count() as u64;
        let below = |hits, n| u32::from(test_share(hits, n, 0.05) == ShareTest::Below);
        by_delivery += below(late * receivers, messages * receivers);
        by_message += below(late, messages);
    }
    assert!(by_delivery > 300, "{by_delivery} of 2,000");
    assert!(by_message <= 100, "{by_message} of 2,000");
}
