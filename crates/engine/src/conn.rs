use model::{Fault, FaultKind, Nanos, UserId};
use wire::{Phase, Read, Stream};

use crate::connector::EndpointIndex;
use crate::http::{HttpLink, Opening};
use crate::http2::{self, Http2Link};
use crate::reactor::Ready;
use crate::receipt::Received;
use crate::share::Share;
use crate::socket::{Bytes, SocketLink};
use crate::world::World;

/// One open or opening connection of a user.
#[derive(Debug)]
pub(crate) struct Conn {
    pub(crate) user: UserId,
    pub(crate) endpoint: EndpointIndex,
    /// Whether epoll reports writability.
    pub(crate) asks_write: bool,
    /// Whether the connection's read delays are recorded.
    pub(crate) sampled: bool,
    /// Whether TCP is connected. If so, the connection no longer counts towards the limit of unaccepted connections.
    pub(crate) accepted: bool,
    pub(crate) share: Share,
    pub(crate) link: Link,
}

/// The protocol on a connection.
#[derive(Debug)]
pub(crate) enum Link {
    Http(HttpLink),
    Http2(Box<Http2Link>),
    Socket(Box<SocketLink>),
}

impl Conn {
    /// The stream. `None` for Socket.IO over polling, because requests on other connections carry its messages.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        match &self.link {
            Link::Http(http) => Some(http.wire.stream()),
            Link::Http2(http2) => Some(http2.wire.stream()),
            Link::Socket(socket) => socket.wire.stream(),
        }
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        match &mut self.link {
            Link::Http(http) => Some(http.wire.stream_mut()),
            Link::Http2(http2) => Some(http2.wire.stream_mut()),
            Link::Socket(socket) => socket.wire.stream_mut(),
        }
    }

    pub(crate) fn wants_write(&self) -> bool {
        self.stream().is_some_and(Stream::wants_write)
    }

    fn is_open(&self) -> bool {
        self.stream()
            .is_some_and(|stream| stream.phase() == Phase::Open)
    }

    /// Calls `tell` with each user who waits for data on this connection.
    pub(crate) fn each_awaiting(&self, tell: impl FnMut(UserId)) {
        let its_user = |waits: bool| waits.then_some(self.user);
        match &self.link {
            Link::Http(http) => {
                let waits = http.call.as_ref().is_some_and(|call| !call.is_poll());
                its_user(waits).into_iter().for_each(tell);
            }
            Link::Http2(http2) => http2.awaiting().for_each(tell),
            Link::Socket(socket) => its_user(!socket.state.waiting.is_empty())
                .into_iter()
                .for_each(tell),
        }
    }

    /// Takes the [`Opening`] of a connection that is now open, or has failed.
    pub(crate) fn take_opening(&mut self) -> Option<Opening> {
        match &mut self.link {
            Link::Http(http) => http.opening.take(),
            Link::Http2(http2) => http2.opening.take(),
            Link::Socket(_) => None,
        }
    }

    /// The time at which the connection's earliest time limit ends.
    fn limit(&self) -> Nanos {
        match &self.link {
            Link::Http(http) => http.limit(),
            Link::Http2(http2) => http2.limit(),
            Link::Socket(socket) => socket.limit(),
        }
    }
}

impl World {
    /// Adds a connection to the table and to the epoll instance.
    pub(crate) fn admit(&mut self, conn: Conn) -> Result<u32, Fault> {
        let full = || {
            Fault::generator(
                FaultKind::Resources,
                "too many connections for one worker (limit 1,048,576): use more workers",
            )
        };
        let key = self.conns.insert(conn).ok_or_else(full)?;
        if let Some(conn) = self.conns.get_mut(key)
            && let asks_write = conn.wants_write()
            && let Some(stream) = conn.stream_mut()
        {
            let accepted = stream.phase() != Phase::Connecting;
            self.connect_queue.unaccepted += u32::from(!accepted);
            let sampled = self.level.recorder.receipts.admit(stream);
            let added = self.reactor.add(stream.fd(), key, asks_write);
            (conn.asks_write, conn.accepted, conn.sampled) = (asks_write, accepted, sampled);
            if let Err(why) = added {
                self.take_out(key);
                return Err(Fault::generator(
                    FaultKind::Resources,
                    format!("cannot add the socket to epoll: {why}"),
                ));
            }
        }
        Ok(key)
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
            if let Some(stream) = conn.stream() {
                self.reactor.change(stream.fd(), key, wants);
            }
        }
    }

    /// Adds a time limit that the loop checks.
    pub(crate) fn watch_limit(&mut self, limit: Nanos) {
        self.earliest_limit = self.earliest_limit.min(limit);
    }

    /// Checks at once whether a connection is open. If the target is on the same machine, the kernel has usually
    /// completed the handshake already, so no event is needed.
    pub(crate) fn look_if_open(&mut self, key: u32) {
        self.ready(Ready {
            key,
            readable: false,
            writable: true,
        });
    }

    /// Handles a ready socket: continues to open it, sends pending data, reads.
    pub(crate) fn ready(&mut self, ready: Ready) {
        if let Some(fault) = self.open_or_flush(ready) {
            self.broke(ready.key, fault);
            return;
        }
        if ready.readable {
            self.read(ready.key);
        }
        self.update_interest(ready.key);
    }

    fn open_or_flush(&mut self, ready: Ready) -> Option<Fault> {
        let conn = self.conns.get_mut(ready.key)?;
        let stream = conn.stream_mut()?;
        if stream.phase() != Phase::Open {
            let phase = match stream.advance() {
                Ok(phase) => phase,
                Err(fault) => return Some(fault),
            };
            if phase != Phase::Connecting {
                self.accepted(ready.key);
            }
            if phase == Phase::Open {
                return self.opened(ready.key);
            }
            return None;
        }
        if ready.writable && stream.wants_write() {
            stream.flush().err()
        } else {
            None
        }
    }

    /// Called when TCP and TLS are established. Returns a fault if the peer did not agree to the protocol.
    fn opened(&mut self, key: u32) -> Option<Fault> {
        let now = self.clock.now();
        if let Some(Conn {
            link: Link::Http2(http2),
            ..
        }) = self.conns.get(key)
            && let Err(fault) = http2::check_agreed(http2.wire.stream())
        {
            return Some(fault);
        }
        self.http_opened(key, now);
        None
    }

    /// Reads once, so that a peer that sends without pause cannot delay the others. epoll is level-triggered, so it
    /// reports the remaining data again.
    fn read(&mut self, key: u32) {
        let mut buffer = std::mem::take(&mut self.buffer);
        self.read_once(key, &mut buffer);
        self.buffer = buffer;
    }

    fn read_once(&mut self, key: u32, buffer: &mut [u8]) {
        let wakes = self.wakes.len();
        let Some(conn) = self.conns.get_mut(key).filter(|conn| conn.is_open()) else {
            return;
        };
        let (sampled, skips, share) = (conn.sampled, conn.share.skips(wakes), conn.share);
        let Some(stream) = conn.stream_mut() else {
            return;
        };
        if skips {
            // epoll does not report decrypted bytes that are already in memory.
            if stream.holds_more() {
                self.unread.push(key);
            }
            return;
        }
        match stream.read(&mut buffer[..share.bytes()]) {
            Read::Bytes(count) => {
                if stream.holds_more() {
                    self.unread.push(key);
                }
                // Take the receive time before parsing, so that parsing does not delay it.
                let received = Received::from(stream, sampled, &self.clock, &self.looks);
                let timed = self.time_read(count, share);
                let messages = self.received(key, &buffer[..count], received.at);
                self.note_received(received, messages);
                if let Some(timed) = timed {
                    self.end_read(key, count, timed);
                }
            }
            Read::Empty => {}
            Read::Closed => {
                let sampled = conn.sampled;
                self.note_closed(sampled);
                self.closed(key);
            }
            Read::Failed(fault) => self.broke(key, fault),
        }
    }

    /// Reads connections whose bytes have already left the kernel, because epoll does not report such bytes.
    pub(crate) fn read_unread(&mut self) {
        for key in std::mem::take(&mut self.unread) {
            self.ready(Ready {
                key,
                readable: true,
                writable: false,
            });
        }
    }

    /// Passes bytes to the protocol. Returns the number of messages in them.
    fn received(&mut self, key: u32, bytes: &[u8], now: Nanos) -> usize {
        match self.conns.get(key).map(|conn| &conn.link) {
            Some(Link::Http(_)) => {
                self.http_received(key, bytes, now);
                1
            }
            Some(Link::Http2(_)) => self.http2_received(key, bytes, now),
            Some(Link::Socket(_)) => self.socket_received(key, Bytes(bytes), now),
            None => 0,
        }
    }

    fn closed(&mut self, key: u32) {
        match self.conns.get(key).map(|conn| &conn.link) {
            Some(Link::Http(_)) => self.http_closed(key),
            Some(Link::Http2(_)) => self.http2_closed(key),
            Some(Link::Socket(_)) => self.socket_closed(key),
            None => {}
        }
    }

    /// Handles the failure of a connection.
    pub(crate) fn broke(&mut self, key: u32, fault: Fault) {
        match self.conns.get(key).map(|conn| &conn.link) {
            Some(Link::Http(_)) => self.http_broke(key, fault),
            Some(Link::Http2(_)) => self.http2_broke(key, &fault),
            Some(Link::Socket(_)) => self.socket_broke(key, &fault),
            None => {}
        }
    }

    /// Ends all operations whose time limit has passed. Searches for them only if a limit may have passed.
    pub(crate) fn enforce_limits(&mut self, now: Nanos) {
        if now < self.earliest_limit {
            return;
        }
        let mut over = Vec::new();
        let mut earliest = Nanos::MAX;
        for (key, conn) in self.conns.iter_mut() {
            let limit = conn.limit();
            if limit <= now {
                over.push(key);
            } else {
                earliest = earliest.min(limit);
            }
        }
        self.earliest_limit = earliest;
        let in_line = self.end_overdue_in_line(now);
        self.watch_limit(in_line);
        for key in over {
            match self.conns.get(key).map(|conn| &conn.link) {
                Some(Link::Http(_)) => self.http_ran_out(key, now),
                Some(Link::Http2(_)) => self.http2_ran_out(key, now),
                Some(Link::Socket(_)) => self.socket_ran_out(key, now),
                None => {}
            }
        }
    }
}
