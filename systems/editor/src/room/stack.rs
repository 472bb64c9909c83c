//! Runs the library where its recursion has the stack that it needs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, scope};

/// Levels that fit onto any thread's stack, whatever its size is set to.
const ANYWHERE: usize = 64;
/// Bytes of stack for each level; the library takes about 300, and 1,000 where it is not optimised.
const LEVEL: usize = 2048;
/// Bytes of stack for everything else.
const BASE: usize = 1 << 20;

/// Why the work is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// No thread can be started now.
    NoThread,
    /// The library panicked.
    Panicked,
}

/// Runs `work`, which recurses through this many levels at most: here, or on a thread of its own whose stack is
/// large enough. The kernel gives memory for what is used of it only.
pub(super) fn with_levels<T: Send>(
    levels: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, NotDone> {
    if levels <= ANYWHERE {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| NotDone::Panicked);
    }
    let builder = Builder::new().stack_size(BASE + levels * LEVEL);
    scope(|scope| {
        let thread = builder.spawn_scoped(scope, work);
        let thread = thread.map_err(|_| NotDone::NoThread)?;
        thread.join().map_err(|_| NotDone::Panicked)
    })
}
