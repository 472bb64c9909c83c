//! Replaces polling by a WebSocket. The WebSocket is probed while polling continues, and takes over when no polling
//! request is in flight.

use model::UserId;

use super::polling::Polled;
use crate::dial::Opener;
use crate::link::Link;
use crate::net::Conn;
use crate::net::socket::{Carrier, Polling, Wire};
use crate::owner::Owner;
use crate::socket::{Opening, Purpose, SocketState};
use crate::world::World;

impl World {
    /// Tries a WebSocket for the session.
    pub(super) fn probe(&mut self, key: u32, user: UserId) {
        let now = self.clock.now();
        let Some(Polled {
            endpoint,
            polling,
            state,
            ..
        }) = self.polled_socket(key)
        else {
            return;
        };
        let open = state.talk.as_ref().and_then(|talk| talk.opened.as_ref());
        let url = polling.url_of("websocket", open.map(|open| open.sid.as_str()));
        let (limit, headers) = (polling.limit, polling.headers.clone());
        let name = format!("{} (upgrade)", state.name);
        let opening = Opening::new(None, now, now, limit);
        let state = SocketState {
            opening: Some(opening),
            name,
            purpose: Purpose::Probe(key),
            ..SocketState::default()
        };
        match self.handshake(user, &url, &[], headers) {
            Ok((handshake, seed)) => {
                let opener = Opener::WebSocket { handshake, seed };
                self.dial_socket((user, endpoint), opener, state);
            }
            Err(fault) => self.socket_broke(key, &fault),
        }
    }

    /// Whether the session for which a WebSocket is being opened still exists.
    pub(crate) fn is_wanted(&mut self, probes: Option<u32>) -> bool {
        probes.is_none_or(|key| self.polling_of(key).is_some())
    }

    pub(crate) fn probe_is_on_its_way(&mut self, probe: u32, probes: Option<u32>) {
        if let Some(polling) = probes.and_then(|key| self.polling_of(key)) {
            polling.state = Carrier::Probing { probe };
        }
    }

    /// Called when the server has accepted the probe, and is ready to continue on this WebSocket.
    pub(crate) fn probe_answered(&mut self, probe: u32) {
        let of = match self.link(probe) {
            Some(Link::Socket(socket)) => socket.state.probes(),
            _ => None,
        };
        let Some(key) = of else {
            return self.inconsistent("the server accepted a probe that does not exist");
        };
        if let Some(polling) = self.polling_of(key) {
            polling.state = Carrier::Pausing { probe };
            self.go_on_polling(key);
        }
    }

    fn polling_of(&mut self, key: u32) -> Option<&mut Polling> {
        self.polled_socket(key).map(|polled| polled.polling)
    }

    /// Replaces polling by the WebSocket. No polling request may be in flight.
    pub(super) fn upgrade(&mut self, key: u32, probe: u32) {
        let Some(Conn {
            owner: Owner::User(user),
            link: Link::Socket(fresh),
            ..
        }) = self.take_out(probe)
        else {
            return self.inconsistent("the WebSocket that replaces polling does not exist");
        };
        if let Some(owner) = self.level.users.get(user) {
            owner.sockets.retain(|&open| open != probe);
        }
        let Some(Link::Socket(socket)) = self.link(key) else {
            return self.inconsistent("a WebSocket replaced the polling of no session");
        };
        let Wire::Polling(polling) = std::mem::replace(&mut socket.wire, fresh.wire) else {
            return self.inconsistent("a WebSocket replaced another WebSocket");
        };
        // "5" is the upgrade packet. Queued messages may be sent only after it.
        let sent = socket
            .wire
            .send_text("5")
            .and_then(|()| socket.wire.send_all(polling.queued()));
        // The stream was registered with the key of the probe. From now on its events belong to the session.
        self.net.adopt_stream(key);
        if let Err(fault) = sent {
            self.socket_broke(key, &fault);
        }
    }

    /// Handles the end of a socket: removes the probe of its session, or notes that the session's probe has failed.
    pub(crate) fn polling_is_over(&mut self, wire: &Wire, probes: Option<u32>) {
        if let Wire::Polling(polling) = wire
            && let Some(probe) = polling.state.probe()
        {
            self.take_out(probe);
        }
        // The session continues by polling, and does not try a WebSocket again.
        if let Some(key) = probes
            && let Some(polling) = self.polling_of(key)
        {
            polling.state = Carrier::Polling;
            self.go_on_polling(key);
        }
    }
}
