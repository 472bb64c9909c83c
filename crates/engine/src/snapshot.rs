//! Ends a run early when a promise with `or abort` cannot be kept any more.
//!
//! Once a second the workers send copies of what they have measured so far; only runs with such a promise pay for it.

use model::Nanos;
use plan::{Aggregate, Op, Threshold};
use record::{Level, Measured};

use crate::exchange::Event;
use crate::judge;
use crate::level::Span;
use crate::observe::{Missing, observe};
use crate::worker::Worker;

/// From one look to the next.
const EVERY: Nanos = Nanos::from_secs(1);
/// What may still recover is given up when it was broken in so many looks one after the other.
const LOOKS: u32 = 3;

impl Worker {
    /// Sends a copy of what was measured so far.
    pub(crate) fn send_snapshot(&self) {
        let world = self.world.borrow();
        let mix = world.config.options.mix.as_ref();
        let names = mix.map_or(&[][..], plan::Mix::names);
        let measured = world.recorder.clone().into_measured(names);
        drop(world);
        self.tell(Event::Snapshot(Box::new(measured)));
    }
}

/// The promises of one level that abort, and how they fare.
#[derive(Debug)]
pub(crate) struct Hopes {
    /// Each with the number of looks in which it was broken, one after the other.
    promises: Vec<(Threshold, u32)>,
    next_look: Nanos,
    awaited: usize,
    so_far: Measured,
}

impl Hopes {
    /// `level`: the level with its load and nothing measured.
    pub(crate) fn of(thresholds: &[Threshold], level: &Level, hold: Span) -> Self {
        let promises = thresholds
            .iter()
            .filter(|threshold| threshold.abort && judge::is_promised(threshold, level));
        Self {
            promises: promises.cloned().map(|promise| (promise, 0)).collect(),
            next_look: hold.start + EVERY,
            awaited: 0,
            so_far: Measured::default(),
        }
    }

    /// Whether the workers are to be asked now.
    pub(crate) fn is_due(&mut self, now: Nanos, hold: Span, workers: usize) -> bool {
        let due = !self.promises.is_empty()
            && self.awaited == 0
            && now >= self.next_look
            && now < hold.end;
        if due {
            self.next_look = now + EVERY;
            self.awaited = workers;
            self.so_far = Measured::default();
        }
        due
    }

    /// One worker's copy. When all are there: the first promise that cannot be kept any more.
    pub(crate) fn take(&mut self, measured: Measured, level: &Level) -> Option<&Threshold> {
        self.so_far.merge(measured);
        self.awaited = self.awaited.saturating_sub(1);
        if self.awaited > 0 {
            return None;
        }
        let mut level = level.clone();
        level.measured = std::mem::take(&mut self.so_far);
        for (promise, looks) in &mut self.promises {
            let broken = match observe(promise, &level) {
                Ok(value) => !promise.holds(value),
                Err(Missing::TimedOut) => !promise.holds(f64::INFINITY),
                Err(_) => false,
            };
            *looks = if broken { *looks + 1 } else { 0 };
        }
        let lost = self
            .promises
            .iter()
            .find(|(promise, looks)| *looks >= LOOKS || *looks > 0 && only_grows(promise));
        lost.map(|(promise, _)| promise)
    }
}

/// A count that is too high stays too high.
fn only_grows(promise: &Threshold) -> bool {
    let counted = !matches!(
        promise.aggregate,
        Aggregate::Percentile(_) | Aggregate::Mean | Aggregate::Min | Aggregate::Rate
    );
    counted
        && promise.limit.unit == plan::Unit::Count
        && matches!(promise.op, Op::Less | Op::AtMost | Op::Equal)
}
