//! The table of connections: adds and removes connections, and reads each at most once per turn.

use std::fmt::Debug;

use model::{Fault, FaultKind, Nanos};
use wire::{Phase, Read, Stream};

use super::connector::EndpointIndex;
use super::reactor::Ready;
use super::rx_timestamp::{ReadSample, Received};
use super::share::{ReadCost, Share, TimedRead};
use super::{Client, Link, Net};

/// One open or opening connection.
#[derive(Debug)]
pub(crate) struct Conn<C: Client> {
    pub(crate) owner: C::Owner,
    pub(crate) endpoint: EndpointIndex,
    /// Whether epoll reports writability.
    asks_write: bool,
    /// Whether the connection's read delays are recorded.
    sampled: bool,
    /// Whether TCP is connected. If so, the connection no longer counts towards the limit of unaccepted connections.
    accepted: bool,
    share: Share,
    pub(crate) link: C::Link,
}

/// Progress of a connection that was ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// TCP and TLS are established now.
    Opened,
    /// The connection is still being opened, was already open, or is gone.
    Unchanged,
}

/// The result of reading a connection once.
#[derive(Debug)]
pub(crate) enum ReadOutcome {
    /// Nothing was read.
    Nothing,
    /// This number of bytes was read into the buffer.
    Bytes {
        count: usize,
        received: Received,
        /// The start of the read, if its cost matters.
        timed: Option<TimedRead>,
    },
    /// The peer closed the connection. The sample exists if the connection's read delays are recorded.
    Closed(Option<ReadSample>),
    Failed(Fault),
}

impl<C: Client> Conn<C> {
    pub(crate) fn new(owner: C::Owner, endpoint: EndpointIndex, link: C::Link) -> Self {
        Self {
            owner,
            endpoint,
            asks_write: false,
            sampled: false,
            // Without a stream, there is nothing to accept.
            accepted: link.stream().is_none(),
            share: Share::default(),
            link,
        }
    }

    fn wants_write(&self) -> bool {
        self.link.stream().is_some_and(Stream::wants_write)
    }

    fn is_open(&self) -> bool {
        let stream = self.link.stream();
        stream.is_some_and(|stream| stream.phase() == Phase::Open)
    }
}

impl<C: Client> Net<C> {
    /// Adds a connection to the table and to the epoll instance. `sample` decides whether the connection's read delays
    /// are recorded. Its argument states whether the kernel stamps what the connection receives.
    pub(crate) fn admit(
        &mut self,
        conn: Conn<C>,
        sample: impl FnOnce(bool) -> bool,
    ) -> Result<u32, Fault> {
        let full = || {
            Fault::generator(
                FaultKind::Resources,
                "too many connections for one worker (limit 1,048,576): use more workers",
            )
        };
        let key = self.conns.insert(conn).ok_or_else(full)?;
        if let Err(fault) = self.attach(key, sample) {
            self.remove(key);
            return Err(fault);
        }
        Ok(key)
    }

    /// Adds the stream of a connection in the table to the epoll instance. `sample` is as in [`Net::admit`].
    pub(crate) fn attach(
        &mut self,
        key: u32,
        sample: impl FnOnce(bool) -> bool,
    ) -> Result<(), Fault> {
        if let Some(conn) = self.conns.get_mut(key)
            && let asks_write = conn.wants_write()
            && let Some(stream) = conn.link.stream_mut()
        {
            let accepted = stream.phase() != Phase::Connecting;
            self.queue.unaccepted += u32::from(!accepted);
            // Without timestamps the delay is not measured, and the record says so.
            let sampled = sample(stream.stamp_arrivals().is_ok());
            let added = self.reactor.add(stream.fd(), key, asks_write);
            (conn.asks_write, conn.accepted, conn.sampled) = (asks_write, accepted, sampled);
            if let Err(why) = added {
                return Err(Fault::generator(
                    FaultKind::Resources,
                    format!("cannot add the socket to epoll: {why}"),
                ));
            }
        }
        Ok(())
    }

    /// Notes that the stream of a connection is gone. The connection stays in the table, for a later stream.
    pub(crate) fn detach(&mut self, key: u32) {
        if let Some(conn) = self.conns.get_mut(key) {
            self.queue.unaccepted -= u32::from(!conn.accepted);
            (conn.accepted, conn.asks_write) = (true, false);
        }
    }

    /// Removes a connection from the table.
    pub(crate) fn remove(&mut self, key: u32) -> Option<Conn<C>> {
        let conn = self.conns.remove(key)?;
        self.queue.unaccepted -= u32::from(!conn.accepted);
        Some(conn)
    }

    /// Requests writability events only while data waits to be sent. A socket without pending data is always writable
    /// and would wake the loop all the time.
    pub(crate) fn update_interest(&mut self, key: u32) {
        let Some(conn) = self.conns.get_mut(key) else {
            return;
        };
        let wants = conn.wants_write();
        if wants != conn.asks_write {
            conn.asks_write = wants;
            if let Some(stream) = conn.link.stream() {
                self.reactor.change(stream.fd(), key, wants);
            }
        }
    }

    /// Directs the events of a stream to this connection. The stream was registered for another connection, which is
    /// gone.
    pub(crate) fn adopt_stream(&mut self, key: u32) {
        let Some(conn) = self.conns.get_mut(key) else {
            return;
        };
        conn.asks_write = conn.wants_write();
        if let Some(stream) = conn.link.stream() {
            self.reactor.change(stream.fd(), key, conn.asks_write);
        }
    }

    /// Continues to open a connection, or sends pending data.
    pub(crate) fn advance(&mut self, ready: Ready) -> Result<Progress, Fault> {
        let Some(conn) = self.conns.get_mut(ready.key) else {
            return Ok(Progress::Unchanged);
        };
        let accepted = &mut conn.accepted;
        let Some(stream) = conn.link.stream_mut() else {
            return Ok(Progress::Unchanged);
        };
        if stream.phase() == Phase::Open {
            if ready.writable && stream.wants_write() {
                stream.flush()?;
            }
            return Ok(Progress::Unchanged);
        }
        let phase = stream.advance()?;
        if phase != Phase::Connecting && !*accepted {
            *accepted = true;
            self.queue.unaccepted -= 1;
        }
        Ok(if phase == Phase::Open {
            Progress::Opened
        } else {
            Progress::Unchanged
        })
    }

    /// Takes the read buffer. The caller returns it with [`Net::return_buffer`].
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }

    pub(crate) fn return_buffer(&mut self, buffer: Vec<u8>) {
        self.buffer = buffer;
    }

    /// Reads once, so that a peer that sends without pause cannot delay the others. epoll is level-triggered, so it
    /// reports the remaining data again. `backlog` is the number of wakes that wait for the client.
    pub(crate) fn read(&mut self, key: u32, buffer: &mut [u8], backlog: usize) -> ReadOutcome {
        let Some(conn) = self.conns.get_mut(key).filter(|conn| conn.is_open()) else {
            return ReadOutcome::Nothing;
        };
        let (sampled, skips, share) = (conn.sampled, conn.share.skips(backlog), conn.share);
        let Some(stream) = conn.link.stream_mut() else {
            return ReadOutcome::Nothing;
        };
        if skips {
            // epoll does not report decrypted bytes that are already in memory.
            if stream.holds_more() {
                self.unread.push(key);
            }
            return ReadOutcome::Nothing;
        }
        match stream.read(&mut buffer[..share.bytes()]) {
            Read::Bytes(count) => {
                if stream.holds_more() {
                    self.unread.push(key);
                }
                // Take the receive time before parsing, so that parsing does not delay it.
                let received = Received::from(stream, sampled, &self.clock, &self.poll_times);
                let timed = share.time(count, backlog, &self.clock);
                ReadOutcome::Bytes {
                    count,
                    received,
                    timed,
                }
            }
            Read::Empty => ReadOutcome::Nothing,
            Read::Closed => {
                let now = self.clock.now();
                ReadOutcome::Closed(sampled.then(|| self.poll_times.sample_of_end(now)))
            }
            Read::Failed(fault) => ReadOutcome::Failed(fault),
        }
    }

    /// The read delay of bytes that contained `messages` messages, or parts of them. `None` if the connection's read
    /// delays are not recorded.
    pub(crate) fn sample_of(&self, received: Received, messages: usize) -> Option<ReadSample> {
        received.sample(messages, &self.poll_times)
    }

    /// Ends a timed read of `count` bytes, which have been handled. Returns its cost if the connection's reads are
    /// limited because they cost too much.
    pub(crate) fn end_read(
        &mut self,
        key: u32,
        count: usize,
        timed: TimedRead,
        backlog: usize,
    ) -> Option<ReadCost> {
        let cost = timed.cost(backlog, &self.clock);
        let share = &mut self.conns.get_mut(key)?.share;
        share.adapt(count, cost.estimate());
        share.is_cut().then_some(cost)
    }

    /// The connections with a time limit that has passed. Searches for them only if a limit may have passed.
    pub(crate) fn overdue(&mut self, now: Nanos) -> Option<Vec<u32>> {
        if now < self.earliest_limit {
            return None;
        }
        let mut over = Vec::new();
        let mut earliest = Nanos::MAX;
        for (key, conn) in self.conns.iter_mut() {
            let limit = conn.link.limit();
            if limit <= now {
                over.push(key);
            } else {
                earliest = earliest.min(limit);
            }
        }
        self.earliest_limit = earliest;
        Some(over)
    }
}
