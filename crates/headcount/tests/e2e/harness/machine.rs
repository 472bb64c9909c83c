//! Tests share this machine. A test that is about regular times can have it alone: a busy machine would hide them.

use std::cell::Cell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());

// Whether this test's thread already has its place. A second lock of the same thread could wait for ever.
thread_local! {
    static HAS_PLACE: Cell<bool> = const { Cell::new(false) };
}

/// The place of a test on this machine, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    lock: Lock,
}

#[derive(Debug)]
enum Lock {
    Beside(#[expect(dead_code, reason = "held until it is dropped")] RwLockReadGuard<'static, ()>),
    Alone(#[expect(dead_code, reason = "held until it is dropped")] RwLockWriteGuard<'static, ()>),
    Held,
}

impl Place {
    /// A place beside other tests.
    pub(super) fn beside() -> Self {
        Self::take(|| Lock::Beside(MACHINE.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The whole machine. Waits for the tests that run.
    pub(super) fn alone() -> Self {
        Self::take(|| Lock::Alone(MACHINE.write().unwrap_or_else(PoisonError::into_inner)))
    }

    fn take(lock: impl FnOnce() -> Lock) -> Self {
        let lock = if HAS_PLACE.replace(true) {
            Lock::Held
        } else {
            lock()
        };
        Self { lock }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !matches!(self.lock, Lock::Held) {
            HAS_PLACE.set(false);
        }
    }
}
