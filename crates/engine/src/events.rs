//! Streams of server-sent events: opens and reconnects them. A stream is a socket on which nothing is sent, so it shares
//! the state, the channels and the end of sockets. `received` handles the events. Over HTTP/1.1, a stream has a connection
//! of its own; `shared` has what is different over HTTP/2.

mod handler;
mod received;
mod shared;
mod trace;

use std::convert::Infallible;

use model::{Fault, Nanos, UserId};
use script::host::{EventsCall, OpId, SocketId, StreamState};
use wire::http::{Request, Response};
use wire::http2::Content;

use crate::dial::{Dial, Opener, Reconnect};
use crate::http::{Asker, Http};
use crate::net::Located;
use crate::net::socket::{EventStream, Wire};
use crate::news::News;
use crate::protocol::Protocol;
use crate::recorder::ending_of;
use crate::socket::{Awaits, Opening, Over, SocketKind, SocketLink, SocketState, Sockets};
use crate::trace::{opening, reconnecting};

pub(crate) use handler::Streams;
pub(crate) use received::came;
use received::hear;
#[cfg(test)]
pub(crate) use received::streamed;

/// Server-sent events.
pub(crate) const STREAM: SocketKind = SocketKind {
    reconnects: true,
    ..SocketKind::new("events", "event stream")
};

impl Streams<'_> {
    pub(crate) fn start(&mut self, op: OpId, user: UserId, call: EventsCall) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let Located { url, endpoint, .. } = self.base.net.connector.locate(&call.url)?;
        self.base.trace(user, || opening(&url));
        let limit = self.base.opening_limit(call.timeout);
        let mut headers = call.headers;
        self.base.add_standing_headers(user, &mut headers);
        let request = Request {
            headers,
            ..Request::new("GET", url)
        };
        let max_event = self.base.config.options.max_message;
        let continues = (call.last_event_id, call.reconnects);
        let stream = EventStream::new(request, limit, max_event, continues);
        let opening = Opening::new(Some(op), call.planned.unwrap_or(now), now, limit);
        let state = SocketState {
            opening: Some(opening),
            name: call.name,
            purpose: STREAM.into(),
            ..SocketState::default()
        };
        let stream = Box::new(stream);
        if self.base.streams().is_some() {
            return self.open_shared_events((user, endpoint), stream, state);
        }
        let opener = Opener::Events(stream);
        Sockets { base: self.base }.dial((user, endpoint), opener, state);
        Ok(())
    }

    /// The stream and its state, if this socket is a stream of server-sent events.
    fn event_stream(&mut self, key: u32) -> Option<(UserId, &mut EventStream, &mut SocketState)> {
        let (user, SocketLink { wire, state }) = self.base.socket(SocketId(key)).ok()?;
        match wire {
            Wire::Events(stream) => Some((user, stream, state)),
            _ => None,
        }
    }

    pub(crate) fn state_of(&mut self, id: SocketId) -> Option<StreamState> {
        let (_, stream, _) = self.event_stream(id.0)?;
        Some(StreamState {
            last_event_id: stream.last_event_id().to_owned(),
            reconnects: stream.reconnects(),
        })
    }
}

impl Protocol for Streams<'_> {
    fn received(&mut self, key: u32, bytes: &[u8], at: Nanos) -> usize {
        Sockets { base: self.base }.received(key, at, |wire, reading| match wire {
            Wire::Events(stream) => stream.on_bytes(bytes, &mut |signal| hear(reading, signal)),
            _ => Ok(()),
        })
    }

    fn received_part(&mut self, key: u32, content: &Content, now: Nanos) -> usize {
        Sockets { base: self.base }.received(key, now, |wire, reading| match wire {
            Wire::Events(stream) => stream.on_part(content, &mut |signal| hear(reading, signal)),
            _ => Ok(()),
        })
    }

    fn responded(&mut self, to: Asker, outcome: Result<Response, Fault>, _: Nanos) {
        if let Asker::Events(key) = to {
            self.ended(key, outcome);
        }
    }

    /// Counts the end of the connection too. The stream keeps following its channels, because the server can repeat the
    /// events that it sends in the meantime.
    fn continues_after(&mut self, key: u32, fault: &Fault) -> bool {
        let now = self.base.clock.now();
        let Some((user, stream, state)) = self.event_stream(key) else {
            return false;
        };
        if state.ending.closing.is_some() || !stream.continues_after(fault) {
            return false;
        }
        let in_order = stream.ended_in_order();
        let shared = stream.is_shared();
        let due = stream.wait_from(now);
        let opening = state.opening.take();
        let what = state.failing();
        self.base.net.detach(key);
        self.base.net.watch_limit(due);
        let endpoint = self.base.net.conns.get(key).map(|conn| conn.endpoint);
        if let Some(endpoint) = endpoint.filter(|_| shared) {
            Http { base: self.base }.cancel_request(Asker::Events(key), user, endpoint);
        }
        self.base.trace(user, || reconnecting(due - now, fault));
        if let Some(opening) = opening {
            self.base
                .count_opening(key, opening, now, ending_of(fault, opening.limit));
        }
        if !in_order {
            self.base.count_socket_failure(user, &what, opening, fault);
        }
        true
    }

    fn reconnect(&mut self, key: u32, now: Nanos) {
        let Some((user, stream, state)) = self.event_stream(key) else {
            return self
                .base
                .inconsistent("a socket that is not a stream waits to reconnect");
        };
        state.opening = Some(Opening::new(None, stream.take_due(), now, stream.limit));
        if self.base.streams().is_some() {
            return self.ask_for_events(key);
        }
        let asked = now;
        self.base
            .dial(Dial::Reconnect(Reconnect { user, key, asked }));
    }

    /// The time limit counts from here, not from the start of the wait in the connect queue.
    fn reopen(&mut self, dial: Reconnect) {
        let Reconnect { user, key, asked } = dial;
        let now = self.base.clock.now();
        let Some(endpoint) = self.base.net.conns.get(key).map(|conn| conn.endpoint) else {
            // The stream was closed while it was queued.
            return;
        };
        let Some((_, stream, state)) = self.event_stream(key) else {
            return self
                .base
                .inconsistent("a socket that is not a stream was reconnected");
        };
        // The time limit may have passed in the queue. Then the stream waits again, for another connection.
        let its = |opening: &&mut Opening| opening.asked == asked;
        let Some(opening) = state.opening.as_mut().filter(its) else {
            return;
        };
        opening.asked = now;
        opening.until = now + opening.limit;
        let (until, url) = (opening.until, stream.url().clone());
        let cookies = self.base.cookies_for(user, &url);
        let source = self.base.source_of(user);
        let connecting = self.base.net.connector.connect(endpoint, source);
        let Some((_, stream, _)) = self.event_stream(key) else {
            return self
                .base
                .inconsistent("a stream is gone that was being reconnected");
        };
        let connected =
            connecting.and_then(|connecting| stream.connect(connecting, cookies.as_deref()));
        match connected.and_then(|()| self.base.attach(key)) {
            Ok(()) => {
                self.base.net.watch_limit(until);
                self.base.tell(News::Added(key));
            }
            Err(fault) => self.base.socket_broke(key, &fault),
        }
    }

    fn is_over(&mut self, over: &Over) {
        let Over { user, endpoint, .. } = *over;
        if over.link.wire.is_shared() {
            Http { base: self.base }.cancel_request(Asker::Events(over.key), user, endpoint);
        }
    }
}

impl Awaits for Box<EventStream> {
    type Awaited = Infallible;
}

#[cfg(test)]
mod tests;
