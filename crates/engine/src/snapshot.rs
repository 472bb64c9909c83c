//! Ends a run early when a threshold with `or abort` cannot hold any more.
//!
//! Once a second, the workers send copies of their measurements. Only runs with such a threshold pay for this.

use model::Nanos;
use plan::{Aggregate, Op, SubjectKind, Threshold, Unit};
use record::{Level, Measured};

use crate::judge;
use crate::level::Span;
use crate::messages::Event;
use crate::observe::observe;
use crate::observed::Observed;
use crate::worker::Worker;

/// Time between two looks.
const EVERY: Nanos = Nanos::from_secs(1);
/// A threshold that might still recover is given up after it was broken in this number of looks in a row.
const LOOKS: u32 = 3;

impl Worker {
    /// Sends a copy of the measurements so far.
    pub(crate) fn send_snapshot(&self) {
        self.tell(Event::Snapshot(Box::new(self.so_far())));
    }

    pub(crate) fn so_far(&self) -> Measured {
        let mut world = self.world.borrow_mut();
        let so_far = world.recorded_so_far();
        let mix = world.config.options.mix.as_ref();
        let names = mix.map_or(&[][..], plan::Mix::names);
        so_far.into_measured(names)
    }
}

/// The thresholds of one level that can abort the run, and their state.
#[derive(Debug)]
pub(crate) struct Hopes {
    /// Each with the number of looks in a row in which it was broken.
    promises: Vec<(Threshold, u32)>,
    next_look: Nanos,
    awaited: usize,
    so_far: Measured,
}

impl Hopes {
    /// `level`: the level with its load and no measurements.
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

    /// Whether to request copies from the workers now.
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

    /// Adds the copy of one worker. After the last one, returns the first threshold that cannot hold any more.
    pub(crate) fn take(&mut self, measured: Measured, level: &Level) -> Option<&Threshold> {
        self.so_far.merge(measured);
        self.awaited = self.awaited.saturating_sub(1);
        if self.awaited > 0 {
            return None;
        }
        let mut level = level.clone();
        level.measured = std::mem::take(&mut self.so_far);
        for (promise, looks) in &mut self.promises {
            *looks = if is_broken(promise, &level) {
                *looks + 1
            } else {
                0
            };
        }
        let lost = self
            .promises
            .iter()
            .find(|(promise, looks)| *looks >= LOOKS || *looks > 0 && is_final(promise));
        lost.map(|(promise, _)| promise)
    }

    /// Whether one of the thresholds is about the target's process.
    pub(crate) fn ask_for_the_target(&self) -> bool {
        let mut promises = self.promises.iter();
        promises.any(|(promise, _)| promise.subject.kind == SubjectKind::Target)
    }
}

/// Whether the measurements so far break a threshold, and nothing in flight can change that.
fn is_broken(promise: &Threshold, level: &Level) -> bool {
    let Some(value) = so_far(promise, level) else {
        return false;
    };
    let limit = promise.limit.value;
    match promise.op {
        Op::Less | Op::AtMost => is_known_from_above(promise) && !promise.holds(value),
        Op::More | Op::AtLeast => is_known_from_below(promise) && !promise.holds(value),
        Op::Equal => {
            is_known_from_above(promise) && value > limit
                || is_known_from_below(promise) && value < limit
        }
        Op::Unequal => false,
    }
}

/// The lowest possible final value. A percentile has one only with enough samples. Deliveries in flight are assumed
/// to arrive in time.
fn so_far(promise: &Threshold, level: &Level) -> Option<f64> {
    let least = |level: &Level| match observe(promise, level).ok()? {
        Observed::Number { low, .. } => Some(low),
        Observed::Percentile(percentile) => percentile.stated.or(percentile.at_least),
    };
    if !is_share_delivered(promise) {
        return least(level);
    }
    let mut level = level.clone();
    for deliveries in level.measured.deliveries.values_mut() {
        let missed = deliveries.late + deliveries.lost_count();
        deliveries.delivered = deliveries.judged().saturating_sub(missed);
    }
    least(&level)
}

fn is_share_delivered(promise: &Threshold) -> bool {
    promise.aggregate == Aggregate::Delivered && promise.limit.unit == Unit::Ratio
}

/// Whether a value above the limit proves something before the end.
fn is_known_from_above(promise: &Threshold) -> bool {
    promise.aggregate != Aggregate::Min && !is_share_delivered(promise)
}

/// Whether a value below the limit does. Counts grow, and the slowest operations end last.
fn is_known_from_below(promise: &Threshold) -> bool {
    let metric = promise.subject.kind == SubjectKind::Metric;
    match promise.aggregate {
        Aggregate::Min => true,
        Aggregate::Mean | Aggregate::Percentile(_) => metric,
        _ => is_share_delivered(promise),
    }
}

/// Whether a value beyond its limit stays there: counts and maxima only grow, minima only fall.
fn is_final(promise: &Threshold) -> bool {
    match promise.aggregate {
        Aggregate::Min | Aggregate::Max | Aggregate::Memory => true,
        Aggregate::Percentile(_) | Aggregate::Mean | Aggregate::Rate => false,
        _ => promise.limit.unit == Unit::Count,
    }
}

#[cfg(test)]
mod tests;
