//! Runs the library where its recursion has the stack that it needs.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// Levels that fit onto any thread's stack, whatever its size is set to.
const ANYWHERE: usize = 64;
/// Bytes of stack for each level; the library takes about 300, and 1,000 where it is not optimised.
const LEVEL: usize = 2048;
/// Bytes of stack for everything else.
const BASE: usize = 1 << 20;

/// No thread can be started now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoThread;

/// Runs `work`, which recurses through this many levels at most: here, or on a thread of its own whose stack is
/// large enough. The kernel gives memory for what is used of it only.
pub(super) fn with_levels<T: Send>(
    levels: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, NoThread> {
    if levels <= ANYWHERE {
        return Ok(work());
    }
    let builder = Builder::new().stack_size(BASE + levels * LEVEL);
    scope(|scope| {
        let thread = builder.spawn_scoped(scope, work).map_err(|_| NoThread)?;
        // A panic goes on where it would have gone.
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
