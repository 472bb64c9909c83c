//! Promises that were rejected without a handler.

use rquickjs::{Ctx, Persistent, Value};

type KeptValue = Persistent<Value<'static>>;

/// Rejected promises of the current step that have no handler yet.
#[derive(Default)]
pub(crate) struct Rejections {
    unhandled: Vec<(KeptValue, KeptValue)>,
}

impl Rejections {
    /// Adds a rejected promise without a handler.
    pub(crate) fn add<'js>(&mut self, ctx: &Ctx<'js>, promise: Value<'js>, reason: Value<'js>) {
        let promise = Persistent::save(ctx, promise);
        self.unhandled
            .push((promise, Persistent::save(ctx, reason)));
    }

    /// Removes a promise that got a handler.
    pub(crate) fn handled<'js>(&mut self, ctx: &Ctx<'js>, promise: &Value<'js>) {
        self.unhandled
            .retain(|(kept, _)| kept.clone().restore(ctx).is_ok_and(|kept| kept != *promise));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.unhandled.is_empty()
    }

    /// Takes the promises without a handler, each with its reason, oldest first.
    pub(crate) fn take(&mut self) -> Vec<(KeptValue, KeptValue)> {
        std::mem::take(&mut self.unhandled)
    }

    pub(crate) fn clear(&mut self) {
        self.unhandled.clear();
    }
}
