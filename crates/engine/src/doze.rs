//! Sleeping until something is due, without oversleeping it.

use model::Nanos;

use crate::clock::Clock;
use crate::reactor::{Reactor, Ready};

/// The kernel wakes a sleeper late, by tens of microseconds on a virtual machine: the sleep ends so much before a start is
/// due as it was late of late, but within these, and the rest is waited out awake.
const LEAST_LEAD: Nanos = Nanos::from_micros(5);
const MOST_LEAD: Nanos = Nanos::from_micros(80);
/// With each sleep that was less late the lead shrinks by this part.
const FORGETS: u64 = 64;
/// Of all time, at most this part is waited out awake: the rest of the machine may be the target's.
const AWAKE_SHARE: u64 = 20;

/// How much a worker has waited awake.
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

    /// Time that was waited out awake since the beginning.
    pub(crate) fn awake(&self) -> Nanos {
        self.awake
    }

    /// Waits until a socket is ready or the time is over. `start`: when the next planned start is due. How long that was;
    /// a look without waiting is work.
    pub(crate) fn until(
        &mut self,
        due: Option<Nanos>,
        start: Nanos,
        clock: Clock,
        reactor: &mut Reactor,
        ready: &mut Vec<Ready>,
    ) -> Nanos {
        let before = clock.now();
        let punctual = due.is_some_and(|due| due >= start) && self.may_stay_awake(before);
        let lead = if punctual { self.lead } else { Nanos::ZERO };
        let most = due.map(|due| due - before);
        let sleep = most.map(|most| most - lead);
        reactor.wait(sleep, ready);
        let woken = clock.now();
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

    /// The sleep ended so much too late.
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
