//! Where the connections, the protocols and the users meet: passes what happened on the connections to the protocols, and
//! what a protocol reports to the code that it concerns.

use delivery::Leaving;
use model::{Fault, Nanos};
use wire::http::Response;

use crate::audience;
use crate::base::Base;
use crate::dial::Dial;
use crate::driver::fixed_users::FixedUsers;
use crate::http::{Asker, Http};
use crate::link::Link;
use crate::net::Link as _;
use crate::net::http2::check_agreed;
use crate::net::socket::Wire;
use crate::net::{Progress, ReadOutcome, Ready, TimedRead};
use crate::news::News;
use crate::protocol::Protocol;
use crate::protocols::Paced;
use crate::socket::Sockets;
use crate::world::World;

macro_rules! define_ask {
    ($d:tt $($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        /// `ask!(wire, base => method(…))`: calls a method of the protocol that handles such a wire for users.
        macro_rules! ask {
            ($d wire:expr, $d base:expr => $d method:ident($d($d argument:expr),*)) => {
                match $d wire {
                    $(Wire::$name(_) => {
                        Protocol::$d method(&mut $($handler)::+ { base: $d base } $d(, $d argument)*)
                    })*
                }
            };
            // The socket with this key may be gone.
            (at $d key:expr, $d base:expr => $d method:ident($d($d argument:expr),*)) => {
                match $d base.link($d key) {
                    Some(Link::Socket(socket)) => {
                        Some(ask!(socket.wire, $d base => $d method($d($d argument),*)))
                    }
                    _ => None,
                }
            };
        }
    };
}
with_protocols!(define_ask $);

impl World {
    /// Lends what the protocols work on, and then handles what they report.
    pub(crate) fn lend<T>(&mut self, work: impl FnOnce(&mut Base) -> T) -> T {
        let result = work(&mut self.base);
        self.settle();
        result
    }

    /// The users without a script.
    pub(crate) fn fixed_users(&mut self) -> Option<FixedUsers<'_>> {
        let (base, run) = (&mut self.base, self.fixed.as_mut()?);
        Some(FixedUsers { base, run })
    }

    /// Begins a new pass of the loop, and opens queued connections.
    pub(crate) fn dial_on(&mut self) {
        self.base.net.queue.begin_pass();
        while let Some(dial) = self.base.net.queue.next() {
            // The connection could have been opened when it was requested, so the wait counts as start lag.
            let now = self.base.clock.now();
            self.base.level.recorder.note_start(dial.asked(), now);
            self.open(dial);
            self.settle();
        }
    }

    /// Handles the timer of a stream's chunk.
    pub(crate) fn chunk_due(&mut self, key: u32, alarm: Nanos) {
        self.lend(|base| Paced { base }.chunk_due(key, alarm));
    }

    /// Handles a ready socket: continues to open it, sends pending data, reads.
    pub(crate) fn ready(&mut self, ready: Ready) {
        self.advance(ready);
        self.settle();
    }

    /// Ends all operations whose time limit has passed.
    pub(crate) fn enforce_limits(&mut self, now: Nanos) {
        let Some(over) = self.base.net.overdue(now) else {
            return;
        };
        let in_line = self.lend(|base| Http { base }.end_overdue_in_line(now));
        self.base.net.watch_limit(in_line);
        for key in over {
            self.timed_out(key, now);
            self.settle();
            // Other operations of the connection may have later limits.
            let remaining = self.base.link(key).map(|link| link.limit());
            self.base.net.watch_limit(remaining.unwrap_or(Nanos::MAX));
        }
    }

    /// Handles everything that the protocols have reported. Returns the number of messages in it.
    pub(crate) fn settle(&mut self) -> usize {
        let mut messages = 0;
        while let Some(news) = self.base.news.pop_front() {
            let others = self.base.news.len();
            messages += self.handle(news);
            // What followed from it comes before the others, as if the protocol had called that code.
            let followed = self.base.news.len() - others;
            if others > 0 && followed > 0 {
                self.base.news.rotate_right(followed);
            }
        }
        messages
    }

    /// Passes news to the code that it concerns. Returns the number of messages in it.
    fn handle(&mut self, news: News) -> usize {
        let base = &mut self.base;
        match news {
            News::Dial(dial) => self.open(dial),
            News::Added(key) => self.look_if_open(key),
            News::Request(flight) => Http { base }.dispatch(flight),
            News::Answered { call, free } => match self.fixed_users() {
                Some(mut users) => users.answered(call, free),
                None => self.without_users(),
            },
            News::Failed { op, user } => match self.fixed_users() {
                Some(mut users) => users.failed((op, user)),
                None => self.without_users(),
            },
            News::Responded { to, outcome, now } => self.responded(to, outcome, now),
            News::Part {
                socket,
                content,
                now,
            } => {
                let messages = ask!(at socket, base => received_part(socket, &content, now));
                return messages.unwrap_or_else(|| {
                    let what = "a socket that is not in the table received a part of a response";
                    self.base.inconsistent(what);
                    0
                });
            }
            News::Unsettled { key, now } => Http { base }.settle_http2(key, now),
            News::InLine { owner, endpoint } => Http { base }.advance_line(owner, endpoint),
            News::Close { key, why } => Sockets { base }.close_of_iteration(key, why),
            News::Leaves {
                key,
                by_script,
                how,
            } => self.leave(key, by_script, how),
            News::Broke { key, fault } => self.end_socket(key, &fault),
            News::Over(over) => Sockets { base }.tell_end(*over),
            News::TakesOver(key) => {
                if ask!(at key, base => takes_over(key)).is_none() {
                    base.inconsistent("a socket takes over that does not exist");
                }
            }
            News::ReconnectDue { key, now } => {
                if ask!(at key, base => reconnect(key, now)).is_none() {
                    base.inconsistent("a socket that does not exist waits to reconnect");
                }
            }
            // These sockets may have ended in the meantime.
            News::GoesOn(key) => {
                ask!(at key, base => go_on(key));
            }
            News::HelperAdded { of, helper } => {
                ask!(at of, base => helper_added(of, helper));
            }
            News::HelperLost { of, name, fault } => {
                ask!(at of, base => helper_lost(of, &name, &fault));
            }
        }
        0
    }

    /// Handles the end of a request of a socket.
    fn responded(&mut self, to: Asker, outcome: Result<Response, Fault>, now: Nanos) {
        let base = &mut self.base;
        let Some(key) = to.socket() else {
            return base.inconsistent("a request of no socket ended as that of one");
        };
        if ask!(at key, base => responded(to, outcome, now)).is_none() && !to.may_outlive_socket() {
            base.inconsistent("a socket ended before its request");
        }
    }

    fn without_users(&mut self) {
        let what = "a request of a user without a script ended in a run with a script";
        self.base.inconsistent(what);
    }

    /// Tells the protocol of a socket that headcount closes it, if the protocol has something to do then.
    fn leave(&mut self, key: u32, by_script: bool, how: Leaving) {
        let base = &mut self.base;
        let Some(Link::Socket(socket)) = base.link(key) else {
            // It has ended already.
            return;
        };
        ask!(socket.wire, base => leaves(key, by_script, how));
    }

    /// Ends a socket, unless it reconnects: removes it, ends what belongs to it, and then tells its end.
    fn end_socket(&mut self, key: u32, fault: &Fault) {
        let base = &mut self.base;
        if ask!(at key, base => continues_after(key, fault)) == Some(true) {
            return;
        }
        let base = &mut self.base;
        let Some(over) = (Sockets { base }).take_out(key, fault) else {
            // It has ended already: one cause can end a session twice, such as two requests that cannot start.
            return;
        };
        let base = &mut self.base;
        ask!(over.link.wire, base => is_over(&over));
        self.base.tell(News::Over(Box::new(over)));
    }

    fn open(&mut self, dial: Dial) {
        let base = &mut self.base;
        match dial {
            Dial::Http(flight) => Http { base }.open(flight),
            Dial::Socket(dial) => {
                // The session may have ended while its WebSocket was queued.
                if dial.state.probes().is_none_or(|of| base.is_replaceable(of)) {
                    Sockets { base }.open(*dial);
                }
            }
            // The stream may have been closed while it was queued.
            Dial::Reconnect(dial) => {
                ask!(at dial.key, base => reopen(dial));
            }
            Dial::Member(dial) => audience::open(base, *dial),
        }
    }

    /// Checks at once whether a connection is open. If the target is on the same machine, the kernel has usually
    /// completed the handshake already, so no event is needed.
    fn look_if_open(&mut self, key: u32) {
        self.advance(Ready {
            key,
            readable: false,
            writable: true,
        });
    }

    fn advance(&mut self, ready: Ready) {
        match self.base.net.advance(ready) {
            Ok(Progress::Opened) => {
                if let Err(fault) = self.opened(ready.key) {
                    return self.broke(ready.key, fault);
                }
            }
            Ok(Progress::Unchanged) => {}
            Err(fault) => return self.broke(ready.key, fault),
        }
        if ready.writable {
            let base = &mut self.base;
            Paced { base }.go_on(ready.key);
        }
        if ready.readable {
            self.read(ready.key);
        }
        self.base.net.update_interest(ready.key);
    }

    /// Handles a connection whose TCP and TLS are established. Returns a fault if the peer did not agree to the protocol.
    fn opened(&mut self, key: u32) -> Result<(), Fault> {
        let base = &mut self.base;
        let now = base.clock.now();
        let net = &mut base.net;
        match net.conns.get_mut(key).map(|conn| &mut conn.link) {
            Some(Link::Http2(http2)) => check_agreed(http2.stream())?,
            Some(Link::Socket(socket)) => socket.wire.on_open(&mut net.encoded)?,
            Some(Link::Member(_)) => audience::opened(base, key)?,
            Some(Link::Http(_)) | None => {}
        }
        Http { base }.opened(key, now);
        Ok(())
    }

    fn read(&mut self, key: u32) {
        let mut buffer = self.base.net.take_buffer();
        match self.base.net.read(key, &mut buffer, self.base.wakes.len()) {
            ReadOutcome::Nothing => {}
            ReadOutcome::Bytes {
                count,
                received,
                timed,
            } => {
                let messages = self.received(key, &buffer[..count], received.at);
                if let Some(sample) = self.base.net.sample_of(received, messages) {
                    self.base.level.recorder.note_read(sample);
                }
                if let Some(timed) = timed {
                    self.end_read(key, count, timed);
                }
            }
            ReadOutcome::Closed(sample) => {
                if let Some(sample) = sample {
                    self.base.level.recorder.note_read(sample);
                }
                self.closed(key);
            }
            ReadOutcome::Failed(fault) => self.broke(key, fault),
        }
        self.base.net.return_buffer(buffer);
    }

    /// Passes bytes to the protocol, and handles what it reports. Returns the number of messages in them.
    fn received(&mut self, key: u32, bytes: &[u8], at: Nanos) -> usize {
        let base = &mut self.base;
        let (own, least) = match base.link(key) {
            Some(Link::Http(http)) => {
                let event = http.on_bytes(bytes, at);
                Http { base }.happened(key, event, at);
                (1, 0)
            }
            Some(Link::Http2(_)) => (Http { base }.http2_received(key, bytes, at), 1),
            Some(Link::Socket(socket)) => (ask!(socket.wire, base => received(key, bytes, at)), 0),
            Some(Link::Member(_)) => (audience::received(base, key, bytes, at), 0),
            None => {
                base.inconsistent("a connection that is not in the table received data");
                (0, 0)
            }
        };
        (own + self.settle()).max(least)
    }

    fn closed(&mut self, key: u32) {
        let base = &mut self.base;
        match base.link(key) {
            Some(Link::Http(http)) => {
                let event = http.on_close();
                let now = base.clock.now();
                Http { base }.happened(key, event, now);
            }
            Some(Link::Http2(_)) => Http { base }.http2_closed(key),
            Some(Link::Socket(_)) => base.socket_closed(key),
            Some(Link::Member(_)) => audience::closed(base, key),
            None => base.inconsistent("a connection that is not in the table was closed"),
        }
    }

    /// Handles the failure of a connection.
    pub(crate) fn broke(&mut self, key: u32, fault: Fault) {
        let base = &mut self.base;
        match base.link(key) {
            Some(Link::Http(_)) => Http { base }.broke(key, fault),
            Some(Link::Http2(_)) => Http { base }.http2_broke(key, &fault),
            Some(Link::Socket(_)) => base.socket_broke(key, &fault),
            Some(Link::Member(_)) => audience::broke(base, key, &fault),
            None => base.inconsistent("a connection that is not in the table broke"),
        }
    }

    fn timed_out(&mut self, key: u32, now: Nanos) {
        let base = &mut self.base;
        match base.link(key) {
            Some(Link::Http(_)) => Http { base }.timed_out(key, now),
            Some(Link::Http2(_)) => Http { base }.http2_timed_out(key, now),
            Some(Link::Socket(_)) => {
                Paced { base }.timed_out(key, now);
                let base = &mut self.base;
                Sockets { base }.timed_out(key, now);
            }
            Some(Link::Member(_)) => audience::timed_out(base, key, now),
            // It ended together with another connection.
            None => {}
        }
    }

    /// Ends a timed read of `count` bytes, which have been handled.
    fn end_read(&mut self, key: u32, count: usize, timed: TimedRead) {
        let Base {
            clock,
            net,
            level,
            wakes,
            ..
        } = &mut self.base;
        let cost = net.end_read(key, count, timed, wakes.len());
        if let Some(cost) = cost {
            let now = clock.now();
            let endpoint = net.conns.get(key).map(|conn| conn.endpoint);
            let label = || endpoint.map(|endpoint| net.connector.label(endpoint));
            level.recorder.note_cost(cost, now, label);
        }
    }
}
