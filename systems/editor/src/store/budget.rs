use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of bytes that may wait for the store or for the other nodes. Further data is refused.
const MOST: usize = 64 << 20;

/// The store is behind, because its queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind;

/// Counts waiting bytes. Clones share one count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget(Arc<AtomicUsize>);

/// Waiting bytes, which count until this value is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    budget: Budget,
    bytes: usize,
}

impl Budget {
    /// Counts `bytes`. Fails if the limit has already been reached; the last addition may exceed it.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Held, Behind> {
        if self.is_full() {
            return Err(Behind);
        }
        Ok(self.hold_anyway(bytes))
    }

    /// Counts bytes that have already been accepted, even beyond the limit.
    pub(super) fn hold_anyway(&self, bytes: usize) -> Held {
        self.0.fetch_add(bytes, Ordering::Relaxed);
        Held {
            budget: self.clone(),
            bytes,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= MOST
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_may_wait_as_the_limit_until_something_is_done() {
        let budget = Budget::default();
        let first = budget.hold(MOST).unwrap();
        assert!(budget.hold(1).is_err());
        drop(first);
        assert!(budget.hold(1).is_ok());
    }
}
