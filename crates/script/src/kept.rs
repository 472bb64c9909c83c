//! Values of the script that outlive the turn. They must be dropped before the script engine.

use rquickjs::{Function, Object, Persistent, Promise};

/// A function.
pub(crate) type Kept = Persistent<Function<'static>>;

/// An object.
pub(crate) type KeptObject = Persistent<Object<'static>>;

/// A promise.
pub(crate) type KeptPromise = Persistent<Promise<'static>>;
