//! How long the deliveries of a hold are waited for once it is over.

use model::Nanos;
use script::host::Wake;

use crate::level_run::LOOK;
use crate::timers::Alarm;
use crate::worker::Worker;
use crate::world::World;

impl Worker {
    /// Everything has come, or has had its time to come.
    pub(crate) fn is_settled(&self, since: Nanos, now: Nanos) -> bool {
        let Some(level) = &self.level else {
            return true;
        };
        let settle = level.plan.settle;
        let mut world = self.world.borrow_mut();
        if world.is_settled() {
            return true;
        }
        if now < since + settle {
            return false;
        }
        let over = now >= world.settles_until(since, settle);
        if !over {
            world.timers.set(now + LOOK, Alarm::Look);
        }
        over
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

    /// Until when deliveries are waited for after a hold that was over at `since`: so long from the sending of the last,
    /// which a late tick may have sent, and twice as long in all.
    fn settles_until(&self, since: Nanos, settle: Nanos) -> Nanos {
        let latest = since + settle + settle;
        if self.has_ticks() {
            return latest;
        }
        let sent = self.groups.iter().map(|group| group.ledger.last_sent());
        let last = sent.max().unwrap_or(since).max(since);
        latest.min(last + settle)
    }

    /// Deliveries that are still waited for.
    fn awaited(&self) -> u64 {
        self.groups.iter().map(|group| group.ledger.awaited()).sum()
    }
}
