//! Waits for sockets and planned starts without waking too late: sleeps first, then spins.

use model::Nanos;

use super::reactor::{Reactor, Ready};
use crate::clock::Clock;

/// Bounds of the lead, which is the time by which the sleep before a planned start ends early. The kernel wakes a
/// sleeping thread late, by tens of microseconds on a virtual machine. The lead adapts to the recent lateness, and the
/// worker spins for the remaining time.
const LEAST_LEAD: Nanos = Nanos::from_micros(5);
const MOST_LEAD: Nanos = Nanos::from_micros(80);
/// After a sleep that was late by less than the lead, the lead shrinks by 1/`FORGETS`.
const FORGETS: u64 = 64;
/// A worker spins for at most 1/`AWAKE_SHARE` of its time, because the target may need the CPU.
const AWAKE_SHARE: u64 = 20;

/// The time that a worker has spent spinning, and the current lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doze {
    began: Nanos,
    awake: Nanos,
    lead: Nanos,
}

impl Doze {
    pub(crate) fn new(now: Nanos) -> Self {
        Self {
            began: now,
            awake: Nanos::ZERO,
            lead: MOST_LEAD,
        }
    }

    /// Time spent spinning since the beginning.
    pub(crate) fn awake(&self) -> Nanos {
        self.awake
    }

    /// Waits until a socket is ready or `due` is reached. `start` is the next planned start. Returns the time spent
    /// waiting. A check of the sockets that does not wait counts as work.
    pub(crate) fn until(
        &mut self,
        due: Option<Nanos>,
        start: Nanos,
        clock: Clock,
        reactor: &mut Reactor,
        ready: &mut Vec<Ready>,
    ) -> Nanos {
        let before = clock.now();
        // Spin only before a planned start, because only the lateness of starts is measured.
        let punctual = due.is_some_and(|due| due >= start) && self.may_stay_awake(before);
        let lead = if punctual { self.lead } else { Nanos::ZERO };
        let most = due.map(|due| due - before);
        let sleep = most.map(|most| most - lead);
        reactor.wait(sleep, ready);
        let woken = clock.now();
        // Only a sleep that no socket ended early shows how late the kernel wakes the thread.
        if let Some(sleep) = sleep.filter(|&sleep| ready.is_empty() && sleep > Nanos::ZERO) {
            self.slept(woken - (before + sleep));
        }
        if most == Some(Nanos::ZERO) {
            return Nanos::ZERO;
        }
        if !punctual || !ready.is_empty() {
            return woken - before;
        }
        let mut now = woken;
        while ready.is_empty() && now < start {
            std::hint::spin_loop();
            reactor.wait(Some(Nanos::ZERO), ready);
            now = clock.now();
        }
        self.awake += now - woken;
        now - before
    }

    /// Adapts the lead after a sleep that ended too late by `late`.
    fn slept(&mut self, late: Nanos) {
        let shrunk = Nanos(self.lead.0 - self.lead.0 / FORGETS);
        self.lead = late.max(shrunk).clamp(LEAST_LEAD, MOST_LEAD);
    }

    fn may_stay_awake(&self, now: Nanos) -> bool {
        self.awake.0.saturating_mul(AWAKE_SHARE) <= (now - self.began).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_follows_how_late_sleeps_end() {
        let mut doze = Doze::new(Nanos::ZERO);
        assert_eq!(doze.lead, MOST_LEAD);
        for _ in 0..1000 {
            doze.slept(Nanos::from_micros(20));
        }
        assert_eq!(doze.lead, Nanos::from_micros(20));
        doze.slept(Nanos::from_micros(50));
        assert_eq!(doze.lead, Nanos::from_micros(50));
        doze.slept(Nanos::from_millis(3));
        assert_eq!(doze.lead, MOST_LEAD, "a hiccup is no reason to burn CPU");
        for _ in 0..1000 {
            doze.slept(Nanos::ZERO);
        }
        assert!(doze.lead < Nanos::from_micros(6));
    }
}
