//! What is waited for once the hold is over, and for how long.
//!
//! First for the operations of the hold that are in flight, each until its own time limit. When they have ended,
//! `settle` begins: the one grace period for deliveries and for iterations. Those who `stay` are released when the
//! deliveries are settled; they alone may take longer, as each of their operations has a time limit of its own.

use model::Nanos;
use script::host::Wake;

use crate::level_run::{LOOK, LevelRun, Progress};
use crate::people::Stage;
use crate::timers::Alarm;
use crate::worker::Worker;
use crate::world::World;

/// Operations in flight are looked through this often.
const LOOK_THROUGH: Nanos = Nanos::from_millis(20);

/// How far the waiting after the hold has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settling {
    /// The hold has been over since then.
    since: Nanos,
    /// No operation of it has been in flight since then.
    quiet: Option<Nanos>,
    next_look: Nanos,
}

/// Until when iterations may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draining {
    /// Those that go on by themselves.
    until: Nanos,
    /// Those who stayed.
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
}

impl Draining {
    /// Nothing of the hold has been in flight since `quiet`, and its deliveries are settled now. `finish` is the time of
    /// those who stayed until now.
    fn after(quiet: Nanos, now: Nanos, settle: Nanos, finish: Nanos) -> Self {
        let until = quiet + settle;
        Self {
            until,
            stayed_until: until.max(now + finish),
            next_look: now,
        }
    }
}

impl Worker {
    /// Everything of the hold has ended and everything sent has come, or has had its time.
    pub(crate) fn is_settled(&mut self, settling: Settling, now: Nanos) -> bool {
        let quiet = match settling.quiet {
            Some(quiet) => quiet,
            None if self.is_quiet(settling, now) => now,
            None => return false,
        };
        let Some(level) = &mut self.level else {
            return true;
        };
        level.progress = Progress::Settling(Settling {
            quiet: Some(quiet),
            ..settling
        });
        let mut world = self.world.borrow_mut();
        if world.is_settled() {
            return true;
        }
        let until = world.settles_until(quiet, level.plan.settle);
        if now < until {
            world.timers.set(now + LOOK, Alarm::Look);
        }
        now >= until
    }

    /// No operation of the hold is in flight, or none is waited for any longer.
    fn is_quiet(&mut self, settling: Settling, now: Nanos) -> bool {
        let Some(level) = &mut self.level else {
            return true;
        };
        if level.hurried && now >= settling.since + level.plan.settle {
            return true;
        }
        let mut world = self.world.borrow_mut();
        if now < settling.next_look {
            return false;
        }
        if world.awaited_operations().count == 0 {
            return true;
        }
        level.progress = Progress::Settling(Settling {
            next_look: now + LOOK_THROUGH,
            ..settling
        });
        world.timers.set(now + LOOK_THROUGH, Alarm::Look);
        false
    }

    /// Every iteration has had its time to end.
    pub(crate) fn is_drained(&mut self, draining: Draining, now: Nanos) -> bool {
        if now < draining.until || now < draining.next_look {
            return false;
        }
        let mut world = self.world.borrow_mut();
        if now >= draining.stayed_until || !world.has_stayers() {
            return true;
        }
        if let Some(level) = &mut self.level {
            let next_look = now + LOOK_THROUGH;
            world.timers.set(next_look, Alarm::Look);
            level.progress = Progress::Draining(Draining {
                next_look,
                ..draining
            });
        }
        false
    }
}

impl World {
    /// No delivery is waited for, and no tick of the hold waits for the script, which may send something yet.
    fn is_settled(&self) -> bool {
        self.awaited() == 0 && !self.has_ticks()
    }

    /// Ticks of the hold wait for the script.
    fn has_ticks(&self) -> bool {
        let is_tick = |wake: &Wake| matches!(wake, Wake::Tick { .. });
        self.wakes.iter().any(is_tick)
    }

    /// Until when deliveries are waited for: `settle` from when nothing else was in flight, or from the sending of the
    /// last, which a late tick of the hold may have sent. Ticks are waited for as long.
    fn settles_until(&self, quiet: Nanos, settle: Nanos) -> Nanos {
        let sent = self.groups.iter().map(|group| group.ledger.last_sent());
        let last = sent.max().unwrap_or(quiet).max(quiet);
        (last + settle).min(quiet + settle + settle)
    }

    /// Deliveries that are still waited for.
    fn awaited(&self) -> u64 {
        self.groups.iter().map(|group| group.ledger.awaited()).sum()
    }

    /// Those who stay are about to be released; each of the others has been in its grace period since it was quiet.
    pub(crate) fn draining(&mut self, level: &LevelRun, now: Nanos) -> Draining {
        for group in &mut self.groups {
            group.stayed = !group.staying.is_empty();
        }
        let quiet = match level.progress {
            Progress::Settling(settling) => settling.quiet,
            _ => None,
        };
        let settle = level.plan.settle;
        let finish = if level.hurried {
            settle
        } else {
            self.config.options.timeouts.total
        };
        let draining = Draining::after(quiet.unwrap_or(now), now, settle, finish);
        self.timers.set(draining.until.max(now), Alarm::Look);
        self.timers.set(draining.stayed_until, Alarm::Look);
        draining
    }

    /// Somebody who stayed has not ended.
    fn has_stayers(&self) -> bool {
        let runs = |stage: &Stage| matches!(stage, Stage::Running { .. } | Stage::Settling);
        self.groups
            .iter()
            .any(|group| group.stayed && runs(&group.stage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settle_is_waited_for_once() {
        let (settle, finish) = (Nanos::from_secs(5), Nanos::from_secs(30));
        let quiet = Nanos::from_secs(100);
        // A delivery was lost, so the deliveries took the whole of the grace period: none is left for iterations.
        let lost = Draining::after(quiet, Nanos::from_secs(105), settle, finish);
        assert_eq!(lost.until, Nanos::from_secs(105));
        assert_eq!(lost.stayed_until, Nanos::from_secs(135));
        // Everything had come at once: iterations have all of it.
        let none = Draining::after(quiet, quiet, settle, finish);
        assert_eq!(none.until, Nanos::from_secs(105));
    }
}
