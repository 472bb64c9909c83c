use std::collections::VecDeque;

use model::{Nanos, UserId};
use script::host::{TickerId, Value, Wake};

use crate::level_state::LevelState;
use crate::timers::{Alarm, Ticker};

/// Maximum number of wakes that may wait for the script. Further ticks and messages for handlers are dropped and
/// counted.
pub(crate) const WAKES_LIMIT: usize = 100_000;

/// Ends a sleep. It wakes the script, unless the user's iteration has ended. Returns false if there is no such sleep.
pub(crate) fn end_sleep(level: &mut LevelState, wakes: &mut VecDeque<Wake>, key: u32) -> bool {
    let Some(sleep) = level.timers.end_sleep(key) else {
        return false;
    };
    if level.is_current(sleep.user, sleep.epoch) {
        wakes.push_back(Wake::Done {
            op: sleep.op,
            result: Ok(Value::Nothing),
        });
    }
    true
}

/// Starts a ticker of a user.
pub(crate) fn start_ticker(
    level: &mut LevelState,
    user: UserId,
    (period, first): (Nanos, Option<Nanos>),
    now: Nanos,
) -> TickerId {
    let period = period.max(Nanos(1));
    let Some(owner) = level.users.get(user) else {
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
    TickerId(level.timers.start(ticker).unwrap_or(u32::MAX))
}

/// Fires a tick that is due. A late tick keeps its due time. Ticks are skipped and counted only if the script's queue is
/// full.
pub(crate) fn tick(
    level: &mut LevelState,
    wakes: &mut VecDeque<Wake>,
    (key, due): (u32, Nanos),
    now: Nanos,
) {
    let Some(&Ticker { user, epoch, .. }) = level.timers.tickers.get(key) else {
        return;
    };
    let over = due >= level.recorder.hold.end;
    if over || !level.is_current(user, epoch) {
        level.timers.tickers.remove(key);
        return;
    }
    let Some(ticker) = level.timers.tickers.get_mut(key) else {
        return;
    };
    if wakes.len() < WAKES_LIMIT {
        ticker.clock.fire(now);
        wakes.push_back(Wake::Tick {
            ticker: TickerId(key),
            due,
        });
    } else {
        let overdue = ticker.clock.overdue(now);
        level.recorder.monitoring.dropped += ticker.clock.drop_overdue(now, overdue);
    }
    let next = ticker.clock.next_due();
    level.timers.set(next, Alarm::Tick(key));
}
