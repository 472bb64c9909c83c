//! Streams of server-sent events over HTTP/2. The request of a stream is one of the requests on the user's connection, so
//! it waits for the connection and for a free stream like any other. The socket itself has no connection.

use model::{Fault, Nanos, UserId};
use wire::http::Response;

use crate::http::{Asked, Asker, FOR_EVER, InFlight};
use crate::level_state::level_over;
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::socket::{EventStream, Wire};
use crate::socket::{SocketLink, SocketState};
use crate::world::World;

impl World {
    /// Opens a stream on the user's HTTP/2 connection.
    pub(super) fn open_shared_events(
        &mut self,
        (user, endpoint): (UserId, EndpointIndex),
        stream: Box<EventStream>,
        state: SocketState,
    ) -> Result<(), Fault> {
        self.level.users.get(user).ok_or_else(level_over)?;
        let until = state.opening.map_or(Nanos::MAX, |opening| opening.until);
        let wire = Wire::Events(stream);
        let link = Link::Socket(Box::new(SocketLink { wire, state }));
        let key = self.admit(user, endpoint, link)?;
        if let Some(owner) = self.level.users.get(user) {
            owner.sockets.push(key);
        }
        self.net.watch_limit(until);
        self.ask_for_events(key);
        Ok(())
    }

    /// Requests the stream, or its continuation.
    pub(super) fn ask_for_events(&mut self, key: u32) {
        let now = self.clock.now();
        let Some(endpoint) = self.net.conns.get(key).map(|conn| conn.endpoint) else {
            return self.inconsistent("a stream that is not in the table is requested");
        };
        let Some((user, stream, _)) = self.event_stream(key) else {
            return self.inconsistent("a socket that is not a stream is requested as one");
        };
        let request = stream.share();
        let mut timeouts = self.config.options.timeouts;
        // The socket has the time limit for the opening, and a stream may last for ever.
        (timeouts.first_byte, timeouts.total) = (FOR_EVER, FOR_EVER);
        let asked = Asked::by(Asker::Events(key), user, now);
        let flight = InFlight::new((request, endpoint), now, timeouts, asked);
        self.dispatch(Box::new(flight));
    }

    /// Handles the end of a stream's request.
    pub(crate) fn events_ended(&mut self, key: u32, outcome: Result<Response, Fault>) {
        let Some((_, stream, _)) = self.event_stream(key) else {
            return self.inconsistent("a stream ended before its request");
        };
        match outcome {
            Ok(_) => {
                stream.end_response();
                self.socket_closed(key);
            }
            Err(fault) => self.socket_broke(key, &fault),
        }
    }
}
