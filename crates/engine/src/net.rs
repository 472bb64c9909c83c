//! The connections of a worker: opens them, reads and writes, determines receive times, and watches time limits.
//!
//! `net` knows sockets and bytes, and no users, levels or measurements. A [`Client`] attaches its own values to the
//! connections. `net` never calls the client. Each function returns what happened, and the client decides what it means.

mod conn;
mod connect_queue;
mod connector;
mod doze;
pub(crate) mod http;
pub(crate) mod http2;
mod reactor;
mod rx_timestamp;
mod share;
pub(crate) mod socket;

use std::fmt::Debug;
use std::sync::OnceLock;

use model::{Nanos, Slots};
use rustix::io::Errno;
use wire::{StampingOn, Stream};

use crate::clock::Clock;
pub(crate) use conn::{Conn, Progress, ReadOutcome};
use connect_queue::ConnectQueue;
pub(crate) use connector::{Connector, EndpointIndex, Located, Trust, address_of};
use doze::Doze;
use reactor::Reactor;
pub(crate) use reactor::{Ready, Waker};
use rx_timestamp::PollTimes;
pub(crate) use rx_timestamp::ReadSample;
pub(crate) use share::{ReadCost, TimedRead};

/// Keeps the kernel's receive timestamps on from the first run until the process ends. Otherwise, the kernel would turn
/// timestamps off with the last socket. Turning them on takes up to tens of milliseconds, in which sockets wait.
static STAMPING: OnceLock<Option<StampingOn>> = OnceLock::new();

/// The values that the client of the connections attaches to them. `net` stores them and returns them, and does not
/// look into them.
pub(crate) trait Client: Debug {
    /// Identifies the owner of a connection.
    type Owner: Copy + Debug;
    /// The protocol on a connection.
    type Link: Link;
    /// A connection that waits to be opened.
    type Queued: Debug;
}

/// The protocol on a connection, as the connection table sees it.
pub(crate) trait Link: Debug {
    /// The stream. `None` if the link has no connection of its own, because others carry its messages.
    fn stream(&self) -> Option<&Stream>;

    /// The stream, mutable.
    fn stream_mut(&mut self) -> Option<&mut Stream>;

    /// The time at which the link's earliest time limit ends.
    fn limit(&self) -> Nanos;
}

/// An HTTP connection that is being opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// The time at which the connection was requested.
    pub(crate) asked: Nanos,
    /// The time by which the connection must be open.
    pub(crate) until: Nanos,
}

/// The connections of a worker, with everything that is needed to open, read and write them.
#[derive(Debug)]
pub(crate) struct Net<C: Client> {
    clock: Clock,
    reactor: Reactor,
    doze: Doze,
    poll_times: PollTimes,
    pub(crate) connector: Connector,
    /// The connections that wait to be opened, and the limits on opening them.
    pub(crate) queue: ConnectQueue<C::Queued>,
    /// The open connections, and those that are being opened.
    pub(crate) conns: Slots<Conn<C>>,
    /// Connections with decrypted bytes that have not been read.
    unread: Vec<u32>,
    /// No connection has a time limit before this time, so limits are checked only after it.
    earliest_limit: Nanos,
    buffer: Vec<u8>,
    /// A request that is being encoded.
    pub(crate) encoded: Vec<u8>,
}

impl<C: Client> Net<C> {
    pub(crate) fn new(clock: Clock, connector: Connector) -> Result<Self, Errno> {
        STAMPING.get_or_init(|| StampingOn::new().ok());
        Ok(Self {
            clock,
            reactor: Reactor::new()?,
            doze: Doze::new(clock.now()),
            poll_times: PollTimes::start(),
            connector,
            queue: ConnectQueue::default(),
            conns: Slots::default(),
            unread: Vec::new(),
            earliest_limit: Nanos::MAX,
            buffer: vec![0; share::READ_BUFFER],
            encoded: Vec::new(),
        })
    }

    pub(crate) fn waker(&self) -> Waker {
        self.reactor.waker()
    }

    /// Waits until a socket is ready or `due` is reached, and adds the ready sockets to `ready`. `start` is the next
    /// planned start. Returns the time spent waiting.
    pub(crate) fn wait(
        &mut self,
        due: Option<Nanos>,
        start: Nanos,
        ready: &mut Vec<Ready>,
    ) -> Nanos {
        let before = self.clock.now();
        let waited = self
            .doze
            .until(due, start, self.clock, &mut self.reactor, ready);
        // Read both clocks right after the wait, because they are used to convert the timestamps of the following
        // reads.
        let after = self.clock.read();
        let sees_a_part = self.reactor.sees_a_part();
        self.poll_times.waited(before, after, sees_a_part);
        // epoll does not report bytes that have already left the kernel.
        let unread = self.unread.drain(..).map(|key| Ready {
            key,
            readable: true,
            writable: false,
        });
        ready.splice(0..0, unread);
        waited
    }

    /// The time at which the last wait ended.
    pub(crate) fn woke(&self) -> Nanos {
        self.poll_times.last()
    }

    /// Time spent spinning before planned starts.
    pub(crate) fn spun(&self) -> Nanos {
        self.doze.awake()
    }

    /// The time until which the loop may sleep.
    pub(crate) fn next_due(&self) -> Nanos {
        if self.queue.is_due() || !self.unread.is_empty() {
            Nanos::ZERO
        } else {
            self.earliest_limit
        }
    }

    /// Adds a time limit that the loop checks.
    pub(crate) fn watch_limit(&mut self, limit: Nanos) {
        self.earliest_limit = self.earliest_limit.min(limit);
    }

    /// Closes all connections, and empties the queue.
    pub(crate) fn clear(&mut self) {
        self.conns.clear();
        self.queue = ConnectQueue::default();
        self.unread.clear();
        self.earliest_limit = Nanos::MAX;
    }
}
