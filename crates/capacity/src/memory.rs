//! Finds memory that grows with the target's work and is not released.
//!
//! Caches, pools and heaps grow at first, too. So the growth must be steady, must not slow down, and must be material.
//! If it is the same per operation at different loads, it belongs to the operations.

use record::{Advice, Cause, Confidence, Evidence, Finding, GrowingMemory, Level, Run, Unknown};

use crate::throughput::{deliveries_per_s, operations_per_s, seconds};

/// Growth below these megabytes in a level is not reported.
const LEAST_MB: f64 = 4.0;
/// Growth below this share of the memory at the start of the level is not reported.
const LEAST_SHARE: f64 = 0.05;
/// Growth in the second half of a level as a share of the growth in the first half, below which growth slows down.
const UNDIMINISHED: f64 = 0.7;
/// Observation in seconds from which growth at one load has a high confidence.
const LONG: f64 = 60.0;
/// Ratio of two loads from which they count as different.
const OTHER_LOAD: f64 = 1.5;
/// Bytes per operation of two levels may differ by this share.
const SAME: f64 = 0.25;

/// The growth of memory in a level.
struct Growth<'a> {
    level: &'a Level,
    bytes_per_s: f64,
    low: f64,
    high: f64,
}

impl Growth<'_> {
    fn per_operation(&self) -> f64 {
        self.bytes_per_s / operations_per_s(self.level)
    }
}

/// Finds growing memory. A level whose memory does not grow although it has as much work as others refutes it.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    // Memory and the number of operations are exact even in a level whose times are invalid.
    let levels = || run.levels.iter();
    let grown: Vec<Growth<'_>> = levels().filter_map(growth).collect();
    let main = grown
        .iter()
        .max_by(|one, other| one.bytes_per_s.total_cmp(&other.bytes_per_s))?;
    let busier =
        |level: &Level| level.target.is_some() && work_per_s(level) > work_per_s(main.level);
    let refuted = |level: &Level| busier(level) && growth(level).is_none();
    if levels().any(refuted) {
        return None;
    }
    let same = same_per_operation(main, &grown);
    let observed: f64 = grown.iter().map(|one| seconds(one.level)).sum();
    let is_long = observed >= LONG || same.is_some();
    let mut evidence = vec![Evidence::MemoryGrew {
        mb: main.bytes_per_s * seconds(main.level) / 1e6,
        seconds: seconds(main.level),
        low: main.low,
        high: main.high,
    }];
    let per_operation = same.is_some().then(|| main.per_operation());
    evidence.extend(same);
    Some(Finding {
        cause: Cause::GrowingMemory(GrowingMemory {
            bytes_per_s: main.bytes_per_s,
            bytes_per_operation: per_operation,
            full_after_s: full_after(main),
        }),
        confidence: if is_long {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels: grown.iter().map(|one| one.level.index).collect(),
        limits: Vec::new(),
        evidence,
        unknown: vec![Unknown::GrowthEnds],
        advice: vec![Advice::RunLonger, Advice::CompareHeaps],
    })
}

/// Operations and deliveries per second. Messages that users only receive are work of the target, too.
fn work_per_s(level: &Level) -> f64 {
    operations_per_s(level) + deliveries_per_s(level)
}

fn growth(level: &Level) -> Option<Growth<'_>> {
    let target = level.target.as_ref()?;
    let growth = target.memory_growth.filter(|growth| growth.steady)?;
    let mb = growth.low * seconds(level) / 1e6;
    let is_material = mb >= LEAST_MB && mb >= target.memory_mb_start? * LEAST_SHARE;
    (is_material && is_undiminished(level)).then_some(Growth {
        level,
        bytes_per_s: growth.bytes_per_s,
        low: growth.low,
        high: growth.high,
    })
}

/// Whether memory grows in the second half of the level nearly as fast as in the first.
fn is_undiminished(level: &Level) -> bool {
    let samples = level.target.iter().flat_map(|target| &target.samples);
    let memory: Vec<(f64, f64)> = samples
        .filter_map(|sample| Some((sample.at_s, sample.memory_mb?)))
        .collect();
    let (Some(first), Some(last)) = (memory.first(), memory.last()) else {
        return false;
    };
    let middle = memory[memory.len() / 2];
    let slope = |from: (f64, f64), to: (f64, f64)| (to.1 - from.1) / (to.0 - from.0).max(1e-3);
    slope(middle, *last) >= slope(*first, middle) * UNDIMINISHED
}

/// Another load at which memory grew by the same amount per operation.
fn same_per_operation(main: &Growth<'_>, grown: &[Growth<'_>]) -> Option<Evidence> {
    let here = operations_per_s(main.level);
    grown.iter().find_map(|other| {
        let times = here / operations_per_s(other.level);
        let (bytes, of_other) = (main.per_operation(), other.per_operation());
        let is_other_load = !(1.0 / OTHER_LOAD..OTHER_LOAD).contains(&times);
        let is_same = (of_other / bytes - 1.0).abs() <= SAME;
        (is_other_load && is_same).then_some(Evidence::SameGrowthPerOperation {
            bytes,
            other: of_other,
            times,
        })
    })
}

/// Seconds until the limit of the cgroup is reached. `None` without a limit.
fn full_after(main: &Growth<'_>) -> Option<f64> {
    let target = main.level.target.as_ref()?;
    let limit = target.cgroup?.memory_limit_mb?;
    let free = limit - target.memory_mb_end?;
    Some((free * 1e6 / main.bytes_per_s).max(0.0))
}
