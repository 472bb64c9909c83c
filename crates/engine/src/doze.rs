//! Sleeping until something is due, without oversleeping it.

use model::Nanos;

use crate::clock::Clock;
use crate::reactor::{Reactor, Ready};

/// The kernel wakes a sleeper so much too late now and then: the sleep ends so much before a start is due, and the rest is
/// waited out awake.
const LEAD: Nanos = Nanos::from_micros(80);
/// Of all time, at most this part is waited out awake: the rest of the machine may be the target's.
const AWAKE_SHARE: u64 = 20;

/// How much a worker has waited awake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doze {
    began: Nanos,
    awake: Nanos,
}

impl Doze {
    pub(crate) fn new(now: Nanos) -> Self {
        Self {
            began: now,
            awake: Nanos::ZERO,
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
        let lead = if punctual { LEAD } else { Nanos::ZERO };
        let most = due.map(|due| due - before);
        reactor.wait(most.map(|most| most - lead), ready);
        let woken = clock.now();
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

    fn may_stay_awake(&self, now: Nanos) -> bool {
        self.awake.0.saturating_mul(AWAKE_SHARE) <= (now - self.began).0
    }
}
