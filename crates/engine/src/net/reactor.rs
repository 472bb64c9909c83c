use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use model::Nanos;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::io::Errno;

/// The key of the waker, which no connection uses.
const WAKER: u64 = u64::MAX;
/// Maximum number of sockets that are handled before the clock is read again, so that a due start does not wait for
/// more sockets.
const EVENTS_PER_WAIT: usize = 16;

/// A ready socket, with the operations for which it is ready.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    pub(crate) key: u32,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
}

/// The worker's epoll instance. Level-triggered: data that was not read is reported again.
pub(crate) struct Reactor {
    epoll: OwnedFd,
    waker: Arc<OwnedFd>,
    events: Vec<Event>,
}

impl std::fmt::Debug for Reactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reactor")
            .field("epoll", &self.epoll)
            .finish_non_exhaustive()
    }
}

/// Wakes a waiting worker from another thread.
#[derive(Clone, Debug)]
pub(crate) struct Waker(Arc<OwnedFd>);

impl Waker {
    pub(crate) fn wake(&self) {
        // The write fails if the counter is full, but then the worker has already been woken.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl Reactor {
    pub(crate) fn new() -> Result<Self, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let waker = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        epoll::add(&epoll, &waker, EventData::new_u64(WAKER), EventFlags::IN)?;
        Ok(Self {
            epoll,
            waker,
            events: Vec::with_capacity(EVENTS_PER_WAIT),
        })
    }

    pub(crate) fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.waker))
    }

    /// Registers a socket for reading and, if data waits to be sent, for writing.
    pub(crate) fn add(&self, fd: BorrowedFd<'_>, key: u32, write: bool) -> Result<(), Errno> {
        epoll::add(
            &self.epoll,
            fd,
            EventData::new_u64(key.into()),
            interest(write),
        )
    }

    /// Changes whether writability is reported.
    pub(crate) fn change(&self, fd: BorrowedFd<'_>, key: u32, write: bool) {
        // Changing the mask of a registered socket cannot fail, because it needs no memory.
        let _ = epoll::modify(
            &self.epoll,
            fd,
            EventData::new_u64(key.into()),
            interest(write),
        );
    }

    /// Sleeps until something is ready, at most for `timeout`; `None`: without limit.
    pub(crate) fn wait(&mut self, timeout: Option<Nanos>, ready: &mut Vec<Ready>) {
        let timeout = timeout.map(|span| Timespec {
            tv_sec: i64::try_from(span.0 / 1_000_000_000).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(span.0 % 1_000_000_000).unwrap_or(0),
        });
        self.events.clear();
        // An interrupted wait counts as a wait that found nothing.
        let _ = epoll::wait(
            &self.epoll,
            rustix::buffer::spare_capacity(&mut self.events),
            timeout.as_ref(),
        );
        for event in &self.events {
            if event.data.u64() == WAKER {
                let _ = rustix::io::read(self.waker.as_fd(), &mut [0; 8]);
                continue;
            }
            let flags = event.flags;
            // An error or a hang-up counts as ready: the next read or write reports it.
            let broken = flags.intersects(EventFlags::ERR | EventFlags::HUP | EventFlags::RDHUP);
            ready.push(Ready {
                key: u32::try_from(event.data.u64()).unwrap_or(u32::MAX),
                readable: broken || flags.contains(EventFlags::IN),
                writable: broken || flags.contains(EventFlags::OUT),
            });
        }
    }

    /// Whether the last wait returned the maximum number of sockets, so that more sockets may be ready.
    pub(crate) fn sees_a_part(&self) -> bool {
        self.events.len() == EVENTS_PER_WAIT
    }
}

fn interest(write: bool) -> EventFlags {
    let read = EventFlags::IN | EventFlags::RDHUP;
    if write { read | EventFlags::OUT } else { read }
}
