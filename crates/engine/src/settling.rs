//! The phases after the measured time, in which the worker waits for operations and deliveries.
//!
//! First, the worker waits for the operations in flight, each until its own time limit. When they have ended, `settle`
//! begins: the common grace period of deliveries and iterations. Users who called `stay()` are released when the
//! deliveries have settled. Only these users may take longer than `settle`, because each of their operations has its
//! own time limit.

use std::collections::VecDeque;

use model::Nanos;
use script::host::Wake;

use crate::base::Base;
use crate::level_state::LevelState;
use crate::people::{Group, Stage};
use crate::timers::Alarm;

/// Interval of checks while deliveries settle.
pub(crate) const LOOK: Nanos = Nanos::from_millis(2);
/// Interval of searches for operations in flight.
const LOOK_THROUGH: Nanos = Nanos::from_millis(20);

/// Progress of the phase in which the worker waits for operations and deliveries.
#[derive(Debug)]
pub(crate) struct Settling {
    /// The time at which the measured time ended.
    since: Nanos,
    /// The time at which the last operation of the measured time ended.
    quiet: Option<Nanos>,
    next_look: Nanos,
}

/// Time limits for the end of iterations.
#[derive(Debug)]
pub(crate) struct Draining {
    /// The limit for iterations without a call of `stay()`.
    until: Nanos,
    /// The limit for iterations with a call of `stay()`.
    stayed_until: Nanos,
    next_look: Nanos,
}

impl Settling {
    pub(crate) fn since(now: Nanos) -> Self {
        Self {
            since: now,
            quiet: None,
            next_look: now,
        }
    }

    /// The time at which the last operation of the measured time ended.
    pub(crate) fn quiet(&self) -> Option<Nanos> {
        self.quiet
    }

    /// Whether all operations have ended, and all deliveries have arrived or exceeded their time limit. `settle` is the
    /// grace period. If `hurried`, operations get no more time than deliveries.
    pub(crate) fn is_over(
        &mut self,
        base: &mut Base,
        settle: Nanos,
        hurried: bool,
        now: Nanos,
    ) -> bool {
        let is_cut_off = hurried && now >= self.since + settle;
        if self.quiet.is_none() && !is_cut_off && !self.is_quiet(base, now) {
            return false;
        }
        let quiet = *self.quiet.get_or_insert(now);
        if is_settled(&base.level.groups, &base.wakes) {
            return true;
        }
        let until = settles_until(&base.level.groups, quiet, settle);
        if now < until {
            base.level.timers.set(now + LOOK, Alarm::Look);
        }
        now >= until
    }

    /// Whether no operation of the measured time is in flight.
    fn is_quiet(&mut self, base: &mut Base, now: Nanos) -> bool {
        // The search visits every connection, so it does not run at every check.
        if now < self.next_look {
            return false;
        }
        if base.awaited_operations(now).count == 0 {
            return true;
        }
        self.next_look = now + LOOK_THROUGH;
        base.level.timers.set(self.next_look, Alarm::Look);
        false
    }
}

impl Draining {
    /// The limits, given that the last operation ended at `quiet` and the deliveries settled at `now`. `finish` is the
    /// time that users who stayed get from `now` on.
    fn after(quiet: Nanos, now: Nanos, settle: Nanos, finish: Nanos) -> Self {
        let until = quiet + settle;
        Self {
            until,
            stayed_until: until.max(now + finish),
            next_look: now,
        }
    }

    /// Notes the groups whose users stayed and are about to be released at `now`. The grace period of all other groups
    /// began when the last operation ended, at `quiet`.
    pub(crate) fn begin(
        level: &mut LevelState,
        quiet: Nanos,
        now: Nanos,
        settle: Nanos,
        finish: Nanos,
    ) -> Self {
        for group in &mut level.groups {
            group.stays.released = !group.stays.waiting.is_empty();
        }
        let draining = Self::after(quiet, now, settle, finish);
        level.timers.set(draining.until.max(now), Alarm::Look);
        level.timers.set(draining.stayed_until, Alarm::Look);
        draining
    }

    /// Whether every iteration has ended or exceeded its time limit.
    pub(crate) fn is_over(&mut self, level: &mut LevelState, now: Nanos) -> bool {
        if now < self.until || now < self.next_look {
            return false;
        }
        if now >= self.stayed_until || !has_stayers(&level.groups) {
            return true;
        }
        self.next_look = now + LOOK_THROUGH;
        level.timers.set(self.next_look, Alarm::Look);
        false
    }
}

/// Whether no delivery is awaited, and no tick of the measured time waits for the script. A waiting tick may still send
/// messages.
fn is_settled(groups: &[Group], wakes: &VecDeque<Wake>) -> bool {
    let is_tick = |wake: &Wake| matches!(wake, Wake::Tick { .. });
    groups.iter().all(|group| group.ledger.awaited() == 0) && !wakes.iter().any(is_tick)
}

/// The time limit of deliveries and ticks: `settle` after the last operation ended or after the last message was sent,
/// whichever is later. Late ticks may send messages, so the limit is at most twice `settle` after `quiet`.
fn settles_until(groups: &[Group], quiet: Nanos, settle: Nanos) -> Nanos {
    let sent = groups.iter().map(|group| group.ledger.last_sent());
    let last = sent.max().unwrap_or(quiet).max(quiet);
    (last + settle).min(quiet + settle + settle)
}

/// Whether a group with users who stayed has not ended.
fn has_stayers(groups: &[Group]) -> bool {
    let runs = |stage: &Stage| matches!(stage, Stage::Running { .. } | Stage::Settling);
    groups
        .iter()
        .any(|group| group.stays.released && runs(&group.stage))
}

#[cfg(test)]
mod tests;
