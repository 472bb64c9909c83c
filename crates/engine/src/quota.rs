use model::Nanos;
use probe::Throttling;

use crate::level::Span;

/// Measures for how long a CPU quota stopped the generator itself in the measured time.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    /// The first reading of the level. It is used if control reads no counters during the measured time.
    first: Option<Throttling>,
    before: Option<Throttling>,
    after: Option<Throttling>,
}

impl Quota {
    /// Reads the counters when the level begins, and when its measured time begins and ends. Control calls this often.
    pub(crate) fn watch(&mut self, now: Nanos, hold: Span) {
        self.watch_by(now, hold, look);
    }

    fn watch_by(&mut self, now: Nanos, hold: Span, look: impl Fn() -> Option<Throttling>) {
        if self.first.is_none() {
            self.first = look();
        }
        if self.before.is_none() && hold.contains(now) {
            self.before = look();
        }
        if self.after.is_none() && now >= hold.end {
            self.after = look();
        }
    }

    /// Reads the counters at the end of the level, which may come before the planned end of the measured time.
    pub(crate) fn end(&mut self) {
        self.end_by(look);
    }

    fn end_by(&mut self, look: impl Fn() -> Option<Throttling>) {
        if self.after.is_none() {
            self.after = look();
        }
    }

    /// The time for which the generator was stopped; `None` if the kernel does not count it.
    pub(crate) fn stopped(&self) -> Option<Nanos> {
        let before = self.before.or(self.first)?;
        let after = self.after?;
        Some(after.since(before).throttled)
    }
}

fn look() -> Option<Throttling> {
    Throttling::of(i32::try_from(std::process::id()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: Span = Span {
        start: Nanos::from_secs(1),
        end: Nanos::from_secs(60),
    };

    fn stopped_for(ms: u64) -> impl Fn() -> Option<Throttling> {
        move || {
            Some(Throttling {
                throttled: Nanos::from_millis(ms),
                ..Throttling::default()
            })
        }
    }

    #[test]
    fn a_level_that_ends_early_is_looked_at_when_it_ends() {
        let mut quota = Quota::default();
        quota.watch_by(Nanos::ZERO, HOLD, stopped_for(10));
        quota.watch_by(Nanos::from_secs(2), HOLD, stopped_for(30));
        quota.watch_by(Nanos::from_secs(3), HOLD, stopped_for(70));
        quota.end_by(stopped_for(100));
        assert_eq!(quota.stopped(), Some(Nanos::from_millis(70)));
    }

    #[test]
    fn a_hold_that_was_never_seen_counts_from_the_first_look() {
        let mut quota = Quota::default();
        quota.watch_by(Nanos::ZERO, HOLD, stopped_for(10));
        quota.end_by(stopped_for(100));
        assert_eq!(quota.stopped(), Some(Nanos::from_millis(90)));
    }

    #[test]
    fn what_comes_after_the_hold_does_not_count() {
        let mut quota = Quota::default();
        quota.watch_by(Nanos::from_secs(2), HOLD, stopped_for(30));
        quota.watch_by(Nanos::from_secs(60), HOLD, stopped_for(50));
        quota.end_by(stopped_for(100));
        assert_eq!(quota.stopped(), Some(Nanos::from_millis(20)));
    }
}
