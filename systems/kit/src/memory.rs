//! Memory that clients can occupy: requests that are being read, and responses or messages that nobody takes. Each
//! connection alone occupies little, but thousands together could use up the machine's memory.

use std::sync::{Arc, LazyLock};

use hyper::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory for the bodies of all requests and responses of the process, in bytes.
const BODIES: usize = 256 << 20;
/// Bodies below this size are not counted, in bytes, so that a service whose memory is used up still serves most clients.
pub const COUNTED: usize = 64 << 10;
/// A semaphore counts in 32 bits, so memory is counted in units of this size, in bytes.
const UNIT: usize = 1 << 10;

static OF_BODIES: LazyLock<Budget> = LazyLock::new(|| Budget::new(BODIES));

/// A limited amount of memory.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Semaphore>);

/// A part of a budget that is in use until this value is dropped.
#[derive(Debug)]
pub struct Charge(OwnedSemaphorePermit);

impl Budget {
    /// A budget of this number of bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let units = bytes.div_ceil(UNIT).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(units)))
    }

    /// Takes a part of the budget. `None` if too little is left.
    #[must_use]
    pub fn take(&self, bytes: usize) -> Option<Charge> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).ok()?;
        self.0
            .clone()
            .try_acquire_many_owned(units)
            .ok()
            .map(Charge)
    }
}

impl Charge {
    /// Adds another part of the same budget.
    pub fn add(&mut self, other: Self) {
        self.0.merge(other.0);
    }
}

/// The budget for the bodies of all requests and responses.
pub(crate) fn of_bodies() -> &'static Budget {
    &OF_BODIES
}

/// Bytes that are charged until all of their copies are dropped.
struct Charged<T> {
    bytes: T,
    _charge: Charge,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for Charged<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// Charges bytes until all of their copies are dropped.
pub(crate) fn charged<T: AsRef<[u8]> + Send + 'static>(bytes: T, charge: Charge) -> Bytes {
    Bytes::from_owner(Charged {
        bytes,
        _charge: charge,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_used_until_the_last_copy_is_gone() {
        let budget = Budget::new(10 * UNIT);
        let mut charge = budget.take(4 * UNIT).unwrap();
        charge.add(budget.take(4 * UNIT).unwrap());
        assert!(budget.take(2 * UNIT + 1).is_none());
        let bytes = charged(vec![7; 8 * UNIT], charge);
        let part = bytes.slice(..1);
        drop(bytes);
        assert!(budget.take(3 * UNIT).is_none());
        drop(part);
        assert!(budget.take(10 * UNIT).is_some());
    }
}
