use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

/// A waker that only records that it was called. Its owner checks the flag and polls when convenient, so no executor
/// is needed.
#[derive(Debug)]
pub(super) struct Flag {
    raised: Arc<Raised>,
    waker: Waker,
}

#[derive(Debug)]
struct Raised(AtomicBool);

impl Wake for Raised {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Flag {
    /// Creates a raised flag, so that the first poll happens.
    pub(super) fn new() -> Self {
        let raised = Arc::new(Raised(AtomicBool::new(true)));
        Self {
            waker: Waker::from(Arc::clone(&raised)),
            raised,
        }
    }

    pub(super) fn waker(&self) -> &Waker {
        &self.waker
    }

    pub(super) fn is_raised(&self) -> bool {
        self.raised.0.load(Ordering::Relaxed)
    }

    pub(super) fn lower(&self) {
        self.raised.0.store(false, Ordering::Relaxed);
    }
}
