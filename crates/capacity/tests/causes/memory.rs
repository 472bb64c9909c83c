use record::{
    Cause, CgroupUse, Confidence, Deliveries, Level, MemoryGrowth, TargetSample, TargetUse, Unknown,
};

use super::levels::{SECONDS, idle, level, with};
use super::{causes, only};

/// A level at this rate, in which memory grows from 50 MB by these megabytes per second.
fn growing(per_s: f64, mb_per_s: impl Fn(f64) -> f64) -> Level {
    let mut mb = 50.0;
    let mut samples = Vec::new();
    for number in 0..=100 {
        let at_s = f64::from(number) * SECONDS / 100.0;
        mb += mb_per_s(at_s) * SECONDS / 100.0;
        samples.push(TargetSample {
            at_s,
            memory_mb: Some(mb),
            ..TargetSample::default()
        });
    }
    let bytes_per_s = (mb - 50.0) / SECONDS * 1e6;
    let target = TargetUse {
        memory_mb_start: Some(50.0),
        memory_mb_end: Some(mb),
        memory_growth: Some(MemoryGrowth {
            bytes_per_s,
            low: bytes_per_s * 0.95,
            high: bytes_per_s * 1.05,
            steady: true,
        }),
        samples,
        ..idle()
    };
    with(level(per_s, 1.0), target)
}

#[test]
fn memory_that_grows_with_the_operations_is_named_per_operation() {
    let finding = only(vec![growing(1000.0, |_| 1.0), growing(4000.0, |_| 4.1)]);
    let Cause::GrowingMemory(memory) = &finding.cause else {
        panic!("{finding:#?}")
    };
    let each = memory.bytes_per_operation.unwrap();
    assert!((1000.0..1060.0).contains(&each), "{each}");
    assert_eq!(finding.confidence, Confidence::High);
    assert_eq!(finding.unknown, [Unknown::GrowthEnds]);
}

#[test]
fn the_time_until_the_limit_is_told() {
    let mut level = growing(1000.0, |_| 1.0);
    if let Some(target) = &mut level.target {
        target.cgroup = Some(CgroupUse {
            memory_limit_mb: Some(660.0),
            ..CgroupUse::default()
        });
    }
    let finding = only(vec![level]);
    let Cause::GrowingMemory(memory) = &finding.cause else {
        panic!("{finding:#?}")
    };
    let full = memory.full_after_s.unwrap();
    assert!((590.0..610.0).contains(&full), "{full}");
    assert_eq!(finding.confidence, Confidence::Low, "ten seconds are short");
}

#[test]
fn growth_that_slows_down_is_no_finding() {
    let levels = vec![growing(1000.0, |at_s| 2.0 * (1.0 - at_s / SECONDS))];
    assert_eq!(causes(levels), []);
}

#[test]
fn small_growth_is_no_finding() {
    assert_eq!(causes(vec![growing(1000.0, |_| 0.2)]), []);
}

#[test]
fn growth_that_a_higher_load_does_not_have_is_no_finding() {
    let full = with(level(4000.0, 1.0), idle());
    assert_eq!(causes(vec![growing(1000.0, |_| 1.0), full]), []);
}

/// The level, with this number of deliveries instead of requests.
fn delivering(mut level: Level, delivered: u64) -> Level {
    let deliveries = Deliveries {
        delivered,
        ..Deliveries::default()
    };
    level.measured.requests.clear();
    level.measured.deliveries = [("said".to_owned(), deliveries)].into();
    level
}

#[test]
fn growth_that_a_higher_number_of_deliveries_does_not_have_is_no_finding() {
    let grows = || delivering(growing(0.0, |_| 1.0), 1_000);
    let steady = |delivered| delivering(with(level(0.0, 1.0), idle()), delivered);
    assert_eq!(causes(vec![grows(), steady(4_000)]), []);
    let finding = only(vec![steady(500), grows()]);
    assert_eq!(finding.cause.id(), "growing_memory");
}
