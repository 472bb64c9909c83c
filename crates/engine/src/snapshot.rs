//! Ends a run early when a threshold with `or abort` cannot hold any more.
//!
//! Once a second, the workers send copies of their measurements. Only runs with such a threshold have this overhead.

use model::Nanos;
use plan::{Aggregate, Op, SubjectKind, Threshold, Unit};
use record::{Level, Measured};

use crate::judge;
use crate::level::Span;
use crate::observe::observe;
use crate::observed::Observed;

/// Time between two checks.
const EVERY: Nanos = Nanos::from_secs(1);
/// A threshold that might still hold in the end aborts the run when this number of consecutive checks find it broken.
const LOOKS: u32 = 3;

/// The thresholds of one level that can abort the run, and their state.
#[derive(Debug)]
pub(crate) struct AbortThresholds {
    /// Each threshold, with the number of consecutive checks in which it was broken.
    thresholds: Vec<(Threshold, u32)>,
    next_look: Nanos,
    awaited: usize,
    so_far: Measured,
}

impl AbortThresholds {
    /// `level`: the level with its load and no measurements.
    pub(crate) fn of(thresholds: &[Threshold], level: &Level, hold: Span) -> Self {
        let thresholds = thresholds
            .iter()
            .filter(|threshold| threshold.abort && judge::applies(threshold, level));
        Self {
            thresholds: thresholds
                .cloned()
                .map(|threshold| (threshold, 0))
                .collect(),
            next_look: hold.start + EVERY,
            awaited: 0,
            so_far: Measured::default(),
        }
    }

    /// Whether to request copies from the workers now.
    pub(crate) fn is_due(&mut self, now: Nanos, hold: Span, workers: usize) -> bool {
        let due = !self.thresholds.is_empty()
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
        if self.awaited == 0 {
            return None; // requested before a worker was lost
        }
        self.so_far.merge(measured);
        self.awaited -= 1;
        if self.awaited > 0 {
            return None;
        }
        let mut level = level.clone();
        level.measured = std::mem::take(&mut self.so_far);
        for (threshold, looks) in &mut self.thresholds {
            *looks = if is_broken(threshold, &level) {
                *looks + 1
            } else {
                0
            };
        }
        let lost = self
            .thresholds
            .iter()
            .find(|(threshold, looks)| *looks >= LOOKS || *looks > 0 && is_final(threshold));
        lost.map(|(threshold, _)| threshold)
    }

    /// Notes that a worker is lost, so that its copy is not awaited.
    pub(crate) fn lose(&mut self) {
        self.awaited = 0; // the copies of the others come with the next request
        self.so_far = Measured::default();
    }

    /// Whether one of the thresholds is about the target's process.
    pub(crate) fn ask_for_the_target(&self) -> bool {
        let mut thresholds = self.thresholds.iter();
        thresholds.any(|(threshold, _)| threshold.subject.kind == SubjectKind::Target)
    }
}

/// Whether the measurements so far break a threshold, and nothing in flight can change that.
fn is_broken(threshold: &Threshold, level: &Level) -> bool {
    let Some(value) = so_far(threshold, level) else {
        return false;
    };
    let limit = threshold.limit.value;
    match threshold.op {
        Op::Less | Op::AtMost => is_known_from_above(threshold) && !threshold.holds(value),
        Op::More | Op::AtLeast => is_known_from_below(threshold) && !threshold.holds(value),
        Op::Equal => {
            is_known_from_above(threshold) && value > limit
                || is_known_from_below(threshold) && value < limit
        }
        Op::Unequal => false,
    }
}

/// The lowest possible final value. A percentile has such a value only with enough samples. Deliveries in flight are
/// assumed to arrive in time.
fn so_far(threshold: &Threshold, level: &Level) -> Option<f64> {
    let least = |level: &Level| match observe(threshold, level).ok()? {
        Observed::Number { low, .. } => Some(low),
        Observed::Percentile(percentile) => percentile.stated.or(percentile.at_least),
    };
    if !is_share_delivered(threshold) {
        return least(level);
    }
    let mut level = level.clone();
    for deliveries in level.measured.deliveries.values_mut() {
        let missed = deliveries.late + deliveries.lost_count();
        deliveries.delivered = deliveries.judged().saturating_sub(missed);
    }
    least(&level)
}

fn is_share_delivered(threshold: &Threshold) -> bool {
    threshold.aggregate == Aggregate::Delivered && threshold.limit.unit == Unit::Ratio
}

/// Whether a value above the limit is conclusive before the end of the level.
fn is_known_from_above(threshold: &Threshold) -> bool {
    threshold.aggregate != Aggregate::Min && !is_share_delivered(threshold)
}

/// Whether a value below the limit is conclusive before the end of the level. Counts still grow, and the slowest
/// operations end last.
fn is_known_from_below(threshold: &Threshold) -> bool {
    let metric = threshold.subject.kind == SubjectKind::Metric;
    match threshold.aggregate {
        Aggregate::Min => true,
        Aggregate::Mean | Aggregate::Percentile(_) => metric,
        _ => is_share_delivered(threshold),
    }
}

/// Whether a value beyond its limit stays there: counts and maxima only grow, minima only fall.
fn is_final(threshold: &Threshold) -> bool {
    match threshold.aggregate {
        Aggregate::Min | Aggregate::Max | Aggregate::Memory => true,
        Aggregate::Percentile(_) | Aggregate::Mean | Aggregate::Rate => false,
        _ => threshold.limit.unit == Unit::Count,
    }
}

#[cfg(test)]
mod tests;
