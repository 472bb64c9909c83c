use rquickjs::{Function, Object, Persistent};
use rustc_hash::FxHashMap;

use crate::kept::{Kept, KeptObject};

/// The beginning of the names of constructors.
const CONSTRUCTOR: &str = "make";

/// Functions of the prelude that native code calls.
pub(crate) struct Entry {
    /// Prototype of groups without roles.
    pub(crate) group: KeptObject,
    /// Creates the prototype of groups with roles.
    pub(crate) group_with: Kept,
    /// Reports the failure of a group's iteration.
    pub(crate) report: Kept,
    /// Converts a thenable to a promise.
    pub(crate) adopt: Kept,
    /// Releases the state shared by the objects of an iteration.
    pub(crate) forget: Kept,
    /// Rejects those barriers of a group that can never open.
    pub(crate) unblock: Kept,
    /// Runs `setup`.
    pub(crate) setup: Kept,
    /// Runs `teardown`.
    pub(crate) teardown: Kept,
    /// The constructors of sockets, messages and other objects of the protocols, by their names in the prelude.
    pub(crate) constructors: FxHashMap<String, Kept>,
    /// Runs an event handler.
    pub(crate) hear: Kept,
    /// Converts an acknowledgement or an awaited event to its script value.
    pub(crate) heard: Kept,
    /// Converts a fault to an error object.
    pub(crate) failure: Kept,
    /// Converts a fault to an error object for a promise. The error's location is that of the `await`.
    pub(crate) rejection: Kept,
    /// Returns the message of an error. If a name does not exist in scenarios, the message states the alternative.
    pub(crate) explained: Kept,
    /// Formats a value as a line of text.
    pub(crate) describe: Kept,
    /// Converts `options` to JSON text.
    pub(crate) plain: Kept,
}

impl Entry {
    /// Looks the functions up among the exports of the prelude.
    pub(crate) fn of(exports: &Object<'_>) -> rquickjs::Result<Self> {
        let ctx = exports.ctx();
        let kept = |name: &str| -> rquickjs::Result<Kept> {
            Ok(Persistent::save(ctx, exports.get::<_, Function<'_>>(name)?))
        };
        let mut constructors = FxHashMap::default();
        for name in exports.keys::<String>() {
            let name = name?;
            if name.starts_with(CONSTRUCTOR) {
                let constructor = kept(&name)?;
                constructors.insert(name, constructor);
            }
        }
        Ok(Self {
            group: Persistent::save(ctx, exports.get::<_, Object<'_>>("groupKind")?),
            group_with: kept("groupWith")?,
            report: kept("report")?,
            adopt: kept("adopt")?,
            forget: kept("forget")?,
            unblock: kept("unblock")?,
            setup: kept("runSetup")?,
            teardown: kept("runTeardown")?,
            constructors,
            hear: kept("hear")?,
            heard: kept("heard")?,
            failure: kept("failure")?,
            rejection: kept("rejection")?,
            explained: kept("explained")?,
            describe: kept("describe")?,
            plain: kept("plain")?,
        })
    }
}
