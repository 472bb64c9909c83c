//! Streams of server-sent events over HTTP/2. The request of a stream is one of the requests on the user's connection, so
//! it waits for the connection and for a free stream like any other. The socket itself has no connection.

use model::{Fault, Nanos, UserId};
use wire::http::Response;

use super::Streams;
use crate::http::{Asked, Asker, FOR_EVER, Http, InFlight};
use crate::level_state::level_over;
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::socket::{EventStream, Wire};
use crate::socket::{SocketLink, SocketState};

impl Streams<'_> {
    /// Opens a stream on the user's HTTP/2 connection.
    pub(super) fn open_shared_events(
        &mut self,
        (user, endpoint): (UserId, EndpointIndex),
        stream: Box<EventStream>,
        state: SocketState,
    ) -> Result<(), Fault> {
        self.base.level.users.get(user).ok_or_else(level_over)?;
        let until = state.opening.map_or(Nanos::MAX, |opening| opening.until);
        let wire = Wire::Events(stream);
        let link = Link::Socket(Box::new(SocketLink { wire, state }));
        let key = self.base.admit(user, endpoint, link)?;
        if let Some(owner) = self.base.level.users.get(user) {
            owner.sockets.push(key);
        }
        self.base.net.watch_limit(until);
        self.ask_for_events(key);
        Ok(())
    }

    /// Requests the stream, or its continuation.
    pub(super) fn ask_for_events(&mut self, key: u32) {
        let now = self.base.clock.now();
        let Some(endpoint) = self.base.net.conns.get(key).map(|conn| conn.endpoint) else {
            return self
                .base
                .inconsistent("a stream that is not in the table is requested");
        };
        let Some((user, stream, _)) = self.event_stream(key) else {
            return self
                .base
                .inconsistent("a socket that is not a stream is requested as one");
        };
        let request = stream.share();
        let mut timeouts = self.base.config.options.timeouts;
        // The socket has the time limit for the opening, and a stream may last for ever.
        (timeouts.first_byte, timeouts.total) = (FOR_EVER, FOR_EVER);
        let asked = Asked::by(Asker::Events(key), user, now);
        let flight = InFlight::new((request, endpoint), now, timeouts, asked);
        Http { base: self.base }.dispatch(Box::new(flight));
    }

    /// Handles the end of a stream's request.
    pub(super) fn ended(&mut self, key: u32, outcome: Result<Response, Fault>) {
        let Some((_, stream, _)) = self.event_stream(key) else {
            return self.base.inconsistent("a stream ended before its request");
        };
        match outcome {
            Ok(_) => {
                stream.end_response();
                self.base.socket_closed(key);
            }
            Err(fault) => self.base.socket_broke(key, &fault),
        }
    }
}
