//! Finds a target that writes one change at a time: it always works or waits for the disk, but never waits twice at once.

use record::{
    Advice, Cause, Confidence, DiskWaits, Evidence, Finding, Level, Run, SingleWriter, Unknown,
};

use crate::levels::usable;
use crate::throughput::{Throughput, of_all_operations, operations_per_s};
use crate::{cpu, locks};

/// With fewer samples of the threads, their shares are too uncertain.
const FEWEST_SAMPLES: u64 = 30;
/// Share of the samples in which a thread must have waited for the disk, in percent.
const WAITS: f64 = 5.0;
/// Mean number of threads that may have waited at once.
const AT_ONCE: f64 = 1.1;
/// Share of the samples in which a thread must have worked or waited for the disk, in percent.
const BUSY: f64 = 90.0;
/// Share of the waits in which no other thread may run. Otherwise, other work goes on during them.
const ALONE: f64 = 0.5;
/// CPU of threads that work one at a time, in percent of one core.
const ONE_CORE: f64 = 112.0;
/// Throughputs within this share count as the same.
const FLAT: f64 = 0.1;
/// A load counts as smaller below this share of the operations per second.
const SMALLER: f64 = 0.8;
/// A smaller load counts as less busy below this share of the samples.
const LESS_BUSY: f64 = 0.9;

/// A level in which the target always works or waits for the disk.
struct Writes<'a> {
    level: &'a Level,
    throughput: Throughput,
    waits: DiskWaits,
    cpu_percent: f64,
}

/// Finds a single writer. Two levels with the same throughput are needed.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let mut found: Vec<Writes<'_>> = usable(run).filter_map(writes).collect();
    let in_flight = |one: &Writes<'_>| one.throughput.in_flight;
    found.sort_by(|one, other| in_flight(one).total_cmp(&in_flight(other)));
    let main = found.last()?;
    let less = found
        .iter()
        .find(|one| main.throughput.is_flat_beyond(&one.throughput, FLAT))?;
    if is_always_busy(run, main) || cpu::find(run).is_some() || locks::find(run).is_some() {
        return None;
    }
    Some(Finding {
        cause: Cause::SingleWriter(SingleWriter {
            disk_percent: main.waits.waiting_percent,
            cpu_percent: main.cpu_percent,
        }),
        confidence: Confidence::High,
        levels: vec![less.level.index, main.level.index],
        limits: Vec::new(),
        evidence: vec![
            Evidence::DiskWaits(main.waits),
            main.throughput.flat_beyond(&less.throughput),
        ],
        unknown: vec![Unknown::WhyOneWriter],
        advice: vec![
            Advice::GroupWrites,
            Advice::Profile {
                pid: main.level.target.as_ref()?.pid,
            },
        ],
    })
}

fn writes(level: &Level) -> Option<Writes<'_>> {
    let target = level.target.as_ref()?;
    let (waits, cpu_percent) = (target.disk?, target.cpu_percent?);
    let bytes = waits.transferred?;
    let one_at_a_time = waits.samples >= FEWEST_SAMPLES
        && waits.waiting_percent >= WAITS
        && waits.at_once <= AT_ONCE
        && waits.busy_percent >= BUSY
        && waits.alone_percent >= waits.waiting_percent * ALONE
        && cpu_percent <= ONE_CORE
        && bytes.written_mb > bytes.read_mb;
    let throughput = of_all_operations(level).filter(|_| one_at_a_time)?;
    Some(Writes {
        level,
        throughput,
        waits,
        cpu_percent,
    })
}

/// Whether the target was as busy at a clearly smaller load: it works without load.
fn is_always_busy(run: &Run, than: &Writes<'_>) -> bool {
    let per_s = operations_per_s(than.level) * SMALLER;
    let busy = than.waits.busy_percent * LESS_BUSY;
    usable(run)
        .filter(|level| operations_per_s(level) < per_s)
        .filter_map(|level| level.target.as_ref()?.disk)
        .any(|waits| waits.busy_percent >= busy)
}
