use model::{Nanos, UserId};
use script::host::{TickerId, Value, Wake};

use crate::timers::{Alarm, Ticker};
use crate::world::World;

/// Maximum number of wakes that may wait for the script. Further ticks and messages for handlers are dropped and
/// counted.
pub(crate) const WAKES_LIMIT: usize = 100_000;

impl World {
    /// Ends a sleep, unless its iteration has ended.
    pub(crate) fn end_sleep(&mut self, key: u32) {
        let Some(sleep) = self.level.timers.end_sleep(key) else {
            return self.inconsistent("a sleep ended twice");
        };
        if self
            .level
            .users
            .get(sleep.user)
            .is_some_and(|user| user.epoch == sleep.epoch)
        {
            self.wakes.push_back(Wake::Done {
                op: sleep.op,
                result: Ok(Value::Nothing),
            });
        }
    }

    pub(crate) fn start_ticker(
        &mut self,
        user: UserId,
        period: Nanos,
        first: Option<Nanos>,
    ) -> TickerId {
        let now = self.clock.now();
        let period = period.max(Nanos(1));
        let Some(owner) = self.level.users.get(user) else {
            return TickerId(u32::MAX);
        };
        // Without `first`, the ticks of many users are spread over the period.
        let phase =
            first.unwrap_or_else(|| Nanos::from_secs_f64(period.as_secs_f64() * owner.fraction()));
        let ticker = Ticker {
            user,
            epoch: owner.epoch,
            clock: plan::Ticker::new(now, phase, period),
        };
        TickerId(self.level.timers.start(ticker).unwrap_or(u32::MAX))
    }

    /// Fires a tick that is due. A late tick keeps its due time. Ticks are skipped and counted only if the script's
    /// queue is full.
    pub(crate) fn tick(&mut self, key: u32, due: Nanos) {
        let Some(ticker) = self.level.timers.tickers.get_mut(key) else {
            return;
        };
        let over = due >= self.level.recorder.hold.end;
        let stale = self
            .level
            .users
            .get(ticker.user)
            .is_none_or(|user| user.epoch != ticker.epoch);
        if over || stale {
            self.level.timers.tickers.remove(key);
            return;
        }
        let now = self.clock.now();
        if self.wakes.len() < WAKES_LIMIT {
            ticker.clock.fire(now);
            self.wakes.push_back(Wake::Tick {
                ticker: TickerId(key),
                due,
            });
        } else {
            let overdue = ticker.clock.overdue(now);
            self.level.recorder.dropped += ticker.clock.drop_overdue(now, overdue);
        }
        let next = ticker.clock.next_due();
        self.level.timers.set(next, Alarm::Tick(key));
    }
}
