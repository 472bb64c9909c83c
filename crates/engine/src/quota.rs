use model::Nanos;
use probe::Throttling;

use crate::level::Span;

/// Whether a CPU quota stopped the generator itself during a hold.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    before: Option<Throttling>,
    after: Option<Throttling>,
}

impl Quota {
    /// Called often: looks when the hold begins and when it has ended.
    pub(crate) fn watch(&mut self, now: Nanos, hold: Span) {
        let look = || Throttling::of(i32::try_from(std::process::id()).ok()?);
        if self.before.is_none() && hold.contains(now) {
            self.before = look();
        }
        if self.after.is_none() && now >= hold.end {
            self.after = look();
        }
    }

    /// For how long it was stopped; `None` where no account is kept.
    pub(crate) fn stopped(&self) -> Option<Nanos> {
        let before = self.before?;
        let after = self.after?;
        Some(after.since(before).throttled)
    }
}
