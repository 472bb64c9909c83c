use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// Wakes the event loop from another thread, and can request a stop.
#[derive(Clone, Debug)]
pub(crate) struct Waker(Arc<Bell>);

#[derive(Debug)]
struct Bell {
    fd: OwnedFd,
    stop: AtomicBool,
}

impl Waker {
    pub(crate) fn new() -> io::Result<Self> {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let stop = AtomicBool::new(false);
        Ok(Self(Arc::new(Bell { fd, stop })))
    }

    pub(crate) fn wake(&self) {
        // A full counter means that the thread is already awake.
        let _ = rustix::io::write(&self.0.fd, &1_u64.to_ne_bytes());
    }

    pub(crate) fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
        self.wake();
    }

    /// Clears the wake-up signal. Returns whether a stop was requested.
    pub(crate) fn heard(&self) -> bool {
        // Reading fails only if there was no signal.
        let _ = rustix::io::read(&self.0.fd, &mut [0_u8; 8]);
        self.0.stop.load(Ordering::Acquire)
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.fd.as_fd()
    }
}
