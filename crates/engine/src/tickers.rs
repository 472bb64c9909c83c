use model::{Nanos, UserId};
use script::host::{TickerId, Wake};

use crate::timers::Alarm;
use crate::world::World;

/// An `every`: tick `k` is due at `first + k * period`, whatever the answers do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticker {
    pub(crate) user: UserId,
    pub(crate) epoch: u32,
    pub(crate) first: Nanos,
    pub(crate) period: Nanos,
    pub(crate) ticks: u64,
}

impl Ticker {
    fn due(&self, tick: u64) -> Nanos {
        Nanos(
            self.first
                .0
                .saturating_add(self.period.0.saturating_mul(tick)),
        )
    }
}

impl World {
    pub(crate) fn start_ticker(
        &mut self,
        user: UserId,
        period: Nanos,
        first: Option<Nanos>,
    ) -> TickerId {
        let now = self.clock.now();
        let period = period.max(Nanos(1));
        let Some(owner) = self.users.get(user) else {
            return TickerId(u32::MAX);
        };
        let phase =
            first.unwrap_or_else(|| Nanos::from_secs_f64(period.as_secs_f64() * owner.fraction()));
        let ticker = Ticker {
            user,
            epoch: owner.epoch,
            first: now + phase,
            period,
            ticks: 0,
        };
        let Some(key) = self.tickers.insert(ticker) else {
            return TickerId(u32::MAX);
        };
        self.timers.set(ticker.due(0), Alarm::Tick(key));
        TickerId(key)
    }

    /// A tick is due. One that comes late keeps its own due time, and none is skipped.
    pub(crate) fn tick(&mut self, key: u32, due: Nanos) {
        let Some(ticker) = self.tickers.get_mut(key) else {
            return;
        };
        let over = due >= self.hold.end;
        let stale = self
            .users
            .get(ticker.user)
            .is_none_or(|user| user.epoch != ticker.epoch);
        if over || stale {
            self.tickers.remove(key);
            return;
        }
        ticker.ticks += 1;
        self.timers.set(ticker.due(ticker.ticks), Alarm::Tick(key));
        self.wakes.push_back(Wake::Tick {
            ticker: TickerId(key),
            due,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_due_at_whole_periods_from_the_first_however_late_the_last_one_was() {
        let ticker = Ticker {
            user: UserId(0),
            epoch: 0,
            first: Nanos(7),
            period: Nanos(10),
            ticks: 0,
        };
        assert_eq!(
            [0, 1, 1000].map(|tick| ticker.due(tick)),
            [Nanos(7), Nanos(17), Nanos(10_007)]
        );
        assert_eq!(ticker.due(u64::MAX), Nanos::MAX);
    }
}
