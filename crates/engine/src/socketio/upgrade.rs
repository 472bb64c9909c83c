//! Replaces polling by a WebSocket. The WebSocket is probed while polling continues, and takes over when no polling
//! request is in flight.

use model::UserId;

use super::Sessions;
use super::polled::{Polled, polled_socket};
use crate::dial::Opener;
use crate::link::Link;
use crate::net::Conn;
use crate::net::socket::socketio::{Carrier, Polling};
use crate::net::socket::{Upgrade, Wire};
use crate::news::News;
use crate::owner::Owner;
use crate::socket::{Opening, Purpose, SocketState, Sockets};

impl Sessions<'_> {
    /// Tries a WebSocket for the session.
    pub(super) fn probe(&mut self, key: u32, user: UserId) {
        let now = self.base.clock.now();
        let Some(Polled {
            endpoint,
            polling,
            state,
            ..
        }) = polled_socket(self.base, key)
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
            purpose: Purpose::probe(key),
            ..SocketState::default()
        };
        match (Sockets { base: self.base }).handshake(user, &url, &[], headers) {
            Ok((handshake, seed)) => {
                let opener = Opener::WebSocket(Upgrade { handshake, seed });
                Sockets { base: self.base }.dial((user, endpoint), opener, state);
            }
            Err(fault) => self.base.socket_broke(key, &fault),
        }
    }

    /// Notes that the probe of a session is being opened.
    pub(super) fn probes(&mut self, session: u32, probe: u32) {
        if let Some(polling) = self.polling_of(session) {
            polling.state = Carrier::Probing { probe };
        }
    }

    /// Called when the server has accepted the probe, and is ready to continue on this WebSocket.
    pub(super) fn probe_answered(&mut self, probe: u32) {
        let of = match self.base.link(probe) {
            Some(Link::Socket(socket)) => socket.state.probes(),
            _ => None,
        };
        let Some(key) = of else {
            return self
                .base
                .inconsistent("the server accepted a probe that does not exist");
        };
        if let Some(polling) = self.polling_of(key) {
            polling.state = Carrier::Pausing { probe };
            self.base.tell(News::GoesOn(key));
        }
    }

    pub(super) fn polling_of(&mut self, key: u32) -> Option<&mut Polling> {
        polled_socket(self.base, key).map(|polled| polled.polling)
    }

    /// Replaces polling by the WebSocket. No polling request may be in flight.
    pub(super) fn upgrade(&mut self, key: u32, probe: u32) {
        let Some(Conn {
            owner: Owner::User(user),
            link: Link::Socket(fresh),
            ..
        }) = self.base.take_out(probe)
        else {
            return self
                .base
                .inconsistent("the WebSocket that replaces polling does not exist");
        };
        if let Some(owner) = self.base.level.users.get(user) {
            owner.sockets.retain(|&open| open != probe);
        }
        let Some(Link::Socket(socket)) = self.base.link(key) else {
            return self
                .base
                .inconsistent("a WebSocket replaced the polling of no session");
        };
        let Wire::SocketIo(polling) = std::mem::replace(&mut socket.wire, fresh.wire) else {
            return self
                .base
                .inconsistent("a WebSocket replaced another WebSocket");
        };
        // "5" is the upgrade packet. Queued messages may be sent only after it.
        let sent = socket
            .wire
            .send_text("5")
            .and_then(|()| socket.wire.send_all(polling.queued()));
        // The stream was registered with the key of the probe. From now on its events belong to the session.
        self.base.net.adopt_stream(key);
        if let Err(fault) = sent {
            self.base.socket_broke(key, &fault);
        }
    }
}
