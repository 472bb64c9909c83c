//! Design effects calculated by hand: 16 blocks whose shares deviate in the pattern + - - +. This pattern is the eighth
//! cosine times √2, so all other cosine terms are zero.

use super::*;
use crate::{BlockWriter, Histogram};

const FAST: Nanos = Nanos::from_millis(1);
const SLOW: Nanos = Nanos::from_millis(100);
const LIMIT: Nanos = Nanos::from_millis(10);
/// The 10 % quantile of the chi-squared distribution with 8 degrees of freedom.
const CHI_SQUARED: f64 = 3.489_539;

/// Creates blocks. Each item lists the durations in one block and the number of values of each.
fn blocks<const N: usize>(each: impl IntoIterator<Item = [(Nanos, u64); N]>) -> Blocks {
    let (mut times, mut writer) = (Histogram::new(), BlockWriter::default());
    for (at, counts) in (0..).zip(each) {
        for (time, count) in counts {
            times.record_n(time, count);
        }
        writer.close(Nanos::from_millis(at * 250), &times, 0);
    }
    writer.into_blocks()
}

/// The deviation of a block's count: +10 or -10.
fn deviation(block: u64) -> i64 {
    if matches!(block % 4, 0 | 3) { 10 } else { -10 }
}

/// Blocks of 80, 96, … values, each value `copies` times. In each block a quarter plus the deviation is fast.
fn deviating(copies: u64) -> Blocks {
    blocks((0_u64..16).map(|block| {
        let all = 80 + 16 * block;
        let fast = (all / 4).strict_add_signed(deviation(block));
        [(FAST, fast * copies), (SLOW, (all - fast) * copies)]
    }))
}

fn near(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn blocks_that_deviate_make_the_samples_worth_less() {
    // The variance of the sum is 2 × (16 × 10 × √½)², divided by the quantile. The variance for independent samples is
    // 3,200 × ¼ × ¾.
    let effect = 25_600.0 / CHI_SQUARED / 600.0;
    let blocks = deviating(1);
    near(blocks.design_effect(), effect);
    near(blocks.design_effect_at(LIMIT), effect);
    assert_eq!(blocks.independent_at(LIMIT), Some(261), "3,200 / 12.23");
    // The likely effect is the mean of the eight frequencies, of which seven are zero.
    near(
        blocks.likely_design_effect_at(LIMIT),
        25_600.0 / 8.0 / 600.0,
    );
}

#[test]
fn to_have_each_sample_several_times_is_worth_as_much_as_to_have_it_once() {
    let (once, often) = (deviating(1), deviating(7));
    near(often.design_effect(), 7.0 * once.design_effect().unwrap());
    assert_eq!(often.independent_at(LIMIT), once.independent_at(LIMIT));
    // The ranks are those of 261 independent samples, scaled to 7 × 3,200 samples.
    let (low, high) = interval_ranks(261, 0.5).unwrap();
    let scaled = |rank: u64| (rank * 22_400).div_ceil(261);
    let ranks = often.interval_ranks(22_400, 0.5);
    assert_eq!(ranks, Some((scaled(low), scaled(high))));
}

/// Each block has twenty values in each of ten bins, except that two neighbouring bins deviate.
fn deviating_between(bin: usize) -> Blocks {
    blocks((0_u64..16).map(|block| {
        let mut counts: [(Nanos, u64); 10] =
            std::array::from_fn(|bin| (Nanos(1 << (10 + bin)), 20));
        let deviation = deviation(block);
        counts[bin].1 = 20_u64.strict_add_signed(deviation);
        counts[bin + 1].1 = 20_u64.strict_add_signed(-deviation);
        counts
    }))
}

#[test]
fn every_share_that_is_stated_is_looked_at_and_the_limit_too() {
    // The share up to the second bin is 20 %, and so on. Around the shares ¼ and ½, the bins on both sides are checked.
    let effect = |share: f64| 25_600.0 / CHI_SQUARED / (3_200.0 * share * (1.0 - share));
    for (bin, share) in [(1, 0.2), (2, 0.3), (3, 0.4), (6, 0.7), (8, 0.9)] {
        near(deviating_between(bin).design_effect(), effect(share));
    }
    let unseen = deviating_between(5);
    assert_eq!(unseen.design_effect(), Some(1.0));
    near(unseen.design_effect_at(Nanos(1 << 15)), effect(0.6));
}

#[test]
fn where_all_are_alike_each_block_counts_once() {
    let alike = blocks((0..16).map(|block| [(FAST, 80 + 16 * block)]));
    // The expected value is the sum of the squared block sizes, divided by 3,200.
    near(alike.design_effect(), 727_040.0 / 3_200.0);
    let few = |fast, slow| {
        let first = std::iter::once([(FAST, fast), (SLOW, slow)]);
        let others = std::iter::repeat_n(
            if fast > slow {
                [(FAST, 100), (SLOW, 0)]
            } else {
                [(FAST, 0), (SLOW, 100)]
            },
            15,
        );
        blocks(first.chain(others)).design_effect()
    };
    for (fast, slow) in [(91, 9), (9, 91)] {
        near(few(fast, slow), 100.0);
    }
    assert_eq!(alike.likely_design_effect_at(FAST), None);
    for (fast, slow) in [(90, 10), (10, 90)] {
        assert!(few(fast, slow) < Some(50.0), "ten on either side show it");
    }
}

#[test]
fn sixteen_blocks_worth_eight_alike_ones_are_needed() {
    let effect = |sizes: &[u64]| blocks(sizes.iter().map(|&size| [(FAST, size)])).design_effect();
    assert_eq!(effect(&[100; 15]), None);
    near(effect(&[100; 16]), 100.0);
    let apart = |count: usize| [vec![100; count - 1], vec![0; 16 - count], vec![100]].concat();
    assert_eq!(effect(&apart(7)), None);
    near(effect(&apart(8)), 100.0);
    // Blocks before the first value are ignored.
    let late = [vec![0; 4], vec![100; 15]].concat();
    assert_eq!(effect(&late), None);
    let late = [vec![0; 4], vec![100; 16]].concat();
    near(effect(&late), 100.0);
}
