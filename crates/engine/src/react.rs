//! Passes what happened on the connections to the protocols of the users.

use model::{Fault, Nanos};

use crate::audience;
use crate::dial::Dial;
use crate::link::Link;
use crate::net::Link as _;
use crate::net::http2::check_agreed;
use crate::net::socket::Bytes;
use crate::net::{Conn, EndpointIndex, Progress, ReadOutcome, Ready, TimedRead};
use crate::owner::Owner;
use crate::world::World;

impl World {
    /// Notes a contradiction in the engine's own state. It ends the run, because it makes the measurements wrong.
    pub(crate) fn inconsistent(&mut self, what: &'static str) {
        self.inconsistencies.note(what);
    }

    /// Opens a connection now, or queues it.
    pub(crate) fn dial(&mut self, dial: Dial) {
        let limit = dial.limit();
        match self.net.queue.enter(dial) {
            Some(dial) => self.open(dial),
            None => self.net.watch_limit(limit),
        }
    }

    /// Begins a new pass of the loop, and opens queued connections.
    pub(crate) fn dial_on(&mut self) {
        self.net.queue.begin_pass();
        while let Some(dial) = self.net.queue.next() {
            // The connection could have been opened when it was requested, so the wait counts as start lag.
            let now = self.clock.now();
            self.level.recorder.note_start(dial.asked(), now);
            self.open(dial);
        }
    }

    fn open(&mut self, dial: Dial) {
        match dial {
            Dial::Http(flight) => self.open_http(flight),
            Dial::Socket(dial) => self.open_socket(*dial),
            Dial::Reconnect(dial) => self.reopen(dial),
            Dial::Member(dial) => audience::open(self, *dial),
        }
    }

    /// Adds a connection.
    pub(crate) fn admit(
        &mut self,
        owner: impl Into<Owner>,
        endpoint: EndpointIndex,
        link: Link,
    ) -> Result<u32, Fault> {
        let receipts = &mut self.level.recorder.monitoring.receipts;
        self.net
            .admit(Conn::new(owner.into(), endpoint, link), |stamped| {
                receipts.samples(stamped)
            })
    }

    /// Adds the new stream of a connection in the table to the epoll instance.
    pub(crate) fn attach(&mut self, key: u32) -> Result<(), Fault> {
        let receipts = &mut self.level.recorder.monitoring.receipts;
        self.net.attach(key, |stamped| receipts.samples(stamped))
    }

    /// Removes a connection.
    pub(crate) fn take_out(&mut self, key: u32) -> Option<Conn<Self>> {
        let conn = self.net.remove(key)?;
        // Connections that several users share do not show the responses of each.
        let responses = match &conn.link {
            Link::Http(http) => http.responses(),
            Link::Http2(http2) if self.streams() == Some(1) => http2.responses(),
            Link::Http2(_) | Link::Socket(_) | Link::Member(_) => 0,
        };
        let owner = conn.owner.user();
        if let Some(owner) = owner.and_then(|owner| self.level.users.get(owner)) {
            owner.responses.all += responses;
        }
        Some(conn)
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
        match self.net.advance(ready) {
            Ok(Progress::Opened) => {
                if let Err(fault) = self.opened(ready.key) {
                    return self.broke(ready.key, fault);
                }
            }
            Ok(Progress::Unchanged) => {}
            Err(fault) => return self.broke(ready.key, fault),
        }
        if ready.readable {
            self.read(ready.key);
        }
        self.net.update_interest(ready.key);
    }

    /// Handles a connection whose TCP and TLS are established. Returns a fault if the peer did not agree to the protocol.
    fn opened(&mut self, key: u32) -> Result<(), Fault> {
        let now = self.clock.now();
        if let Some(Link::Http2(http2)) = self.link(key) {
            check_agreed(http2.stream())?;
        }
        self.nats_opened(key)?;
        audience::opened(self, key)?;
        self.http_opened(key, now);
        Ok(())
    }

    fn read(&mut self, key: u32) {
        let mut buffer = self.net.take_buffer();
        match self.net.read(key, &mut buffer, self.wakes.len()) {
            ReadOutcome::Nothing => {}
            ReadOutcome::Bytes {
                count,
                received,
                timed,
            } => {
                let messages = self.received(key, &buffer[..count], received.at);
                if let Some(sample) = self.net.sample_of(received, messages) {
                    self.level.recorder.note_read(sample);
                }
                if let Some(timed) = timed {
                    self.end_read(key, count, timed);
                }
            }
            ReadOutcome::Closed(sample) => {
                if let Some(sample) = sample {
                    self.level.recorder.note_read(sample);
                }
                self.closed(key);
            }
            ReadOutcome::Failed(fault) => self.broke(key, fault),
        }
        self.net.return_buffer(buffer);
    }

    /// Passes bytes to the protocol. Returns the number of messages in them.
    fn received(&mut self, key: u32, bytes: &[u8], at: Nanos) -> usize {
        match self.link(key) {
            Some(Link::Http(http)) => {
                let event = http.on_bytes(bytes, at);
                self.on_http(key, event, at);
                1
            }
            Some(Link::Http2(_)) => self.http2_received(key, bytes, at),
            Some(Link::Socket(socket)) if socket.wire.is_nats() => {
                self.nats_received(key, bytes, at)
            }
            Some(Link::Socket(socket)) if socket.is_redis() => self.redis_received(key, bytes, at),
            Some(Link::Socket(_)) => self.socket_received(key, Bytes(bytes), at),
            Some(Link::Member(_)) => audience::received(self, key, bytes, at),
            None => {
                self.inconsistent("a connection that is not in the table received data");
                0
            }
        }
    }

    fn closed(&mut self, key: u32) {
        match self.link(key) {
            Some(Link::Http(http)) => {
                let event = http.on_close();
                let now = self.clock.now();
                self.on_http(key, event, now);
            }
            Some(Link::Http2(_)) => self.http2_closed(key),
            Some(Link::Socket(_)) => self.socket_closed(key),
            Some(Link::Member(_)) => audience::closed(self, key),
            None => self.inconsistent("a connection that is not in the table was closed"),
        }
    }

    /// Handles the failure of a connection.
    pub(crate) fn broke(&mut self, key: u32, fault: Fault) {
        match self.link(key) {
            Some(Link::Http(_)) => self.http_broke(key, fault),
            Some(Link::Http2(_)) => self.http2_broke(key, &fault),
            Some(Link::Socket(_)) => self.socket_broke(key, &fault),
            Some(Link::Member(_)) => audience::broke(self, key, &fault),
            None => self.inconsistent("a connection that is not in the table broke"),
        }
    }

    /// Ends all operations whose time limit has passed.
    pub(crate) fn enforce_limits(&mut self, now: Nanos) {
        let Some(over) = self.net.overdue(now) else {
            return;
        };
        let in_line = self.end_overdue_in_line(now);
        self.net.watch_limit(in_line);
        for key in over {
            match self.link(key) {
                Some(Link::Http(_)) => self.http_timed_out(key, now),
                Some(Link::Http2(_)) => self.http2_timed_out(key, now),
                Some(Link::Socket(_)) => self.socket_timed_out(key, now),
                Some(Link::Member(_)) => audience::timed_out(self, key, now),
                // It ended together with another connection.
                None => {}
            }
            // Other operations of the connection may have later limits.
            let remaining = self.link(key).map(|link| link.limit());
            self.net.watch_limit(remaining.unwrap_or(Nanos::MAX));
        }
    }

    /// Ends a timed read of `count` bytes, which have been handled.
    fn end_read(&mut self, key: u32, count: usize, timed: TimedRead) {
        let cost = self.net.end_read(key, count, timed, self.wakes.len());
        if let Some(cost) = cost {
            let now = self.clock.now();
            let endpoint = self.net.conns.get(key).map(|conn| conn.endpoint);
            let label = || endpoint.map(|endpoint| self.net.connector.label(endpoint));
            self.level.recorder.note_cost(cost, now, label);
        }
    }

    /// The protocol on a connection.
    pub(crate) fn link(&mut self, key: u32) -> Option<&mut Link> {
        self.net.conns.get_mut(key).map(|conn| &mut conn.link)
    }
}
