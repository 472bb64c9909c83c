use delivery::{Documents, Framing, RECORD_SEPARATOR};
use model::{Fault, Nanos, Timing, UserId};
use rand_core::RngCore;
use script::host::{DocumentsIn, OpId, SocketCall, SocketId, Wake};
use url::Url;
use wire::websocket::Handshake;

use super::{Opening, Purpose, SocketLink, SocketState};
use crate::dial::{Dial, Opener, SocketDial};
use crate::level_state::level_over;
use crate::link::Link;
use crate::net::{EndpointIndex, Located};
use crate::recorder::{Ending, ending_of};
use crate::socketio::Talk;
use crate::trace;
use crate::world::World;

impl World {
    pub(crate) fn start_socket(
        &mut self,
        op: OpId,
        user: UserId,
        call: SocketCall,
        talk: Option<Box<Talk>>,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let Located { url, endpoint, .. } = self.net.connector.locate(&call.url)?;
        self.trace(user, || trace::opening(&url));
        let limit = self.opening_limit(call.timeout);
        let (handshake, seed) = self.handshake(user, &url, &call.subprotocols, call.headers)?;
        let opening = Opening::new(Some(op), call.planned.unwrap_or(now), now, limit);
        let state = SocketState {
            opening: Some(opening),
            name: call.name,
            documents: Documents::new(framing_of(call.documents), self.config.options.max_message),
            talk,
            ..SocketState::default()
        };
        let opener = Opener::WebSocket { handshake, seed };
        self.dial_socket((user, endpoint), opener, state);
        Ok(())
    }

    /// Opens a socket now, or queues it.
    pub(crate) fn dial_socket(
        &mut self,
        (user, endpoint): (UserId, EndpointIndex),
        opener: Opener,
        state: SocketState,
    ) {
        let epoch = self.level.users.get(user).map_or(0, |user| user.epoch);
        self.dial(Dial::Socket(Box::new(SocketDial {
            user,
            epoch,
            endpoint,
            opener,
            state,
        })));
    }

    /// Time limit for opening a socket: the stated limit or, without one, the shorter of the limits for its connection
    /// and for the response to its handshake.
    pub(crate) fn opening_limit(&self, stated: Option<Nanos>) -> Nanos {
        let timeouts = &self.config.options.timeouts;
        stated.unwrap_or(timeouts.connect.min(timeouts.total))
    }

    pub(crate) fn count_opening(&mut self, key: u32, opening: Opening, now: Nanos, ending: Ending) {
        let Ok((_, socket)) = self.socket(SocketId(key)) else {
            return self.inconsistent("a socket that is not in the table opened");
        };
        if !socket.state.measures_opening() || !socket.wire.measures_opening() {
            return;
        }
        let name = socket.state.name_of(&opening).into_owned();
        self.time_opening(&name, opening, now, ending);
    }

    fn time_opening(&mut self, name: &str, opening: Opening, now: Nanos, ending: Ending) {
        let timing = Timing {
            planned: opening.planned,
            started: opening.asked,
            ended: now,
        };
        self.level.recorder.time_opening(name, timing, ending);
    }

    /// Counts a socket that could not be connected, or was refused at once.
    pub(crate) fn never_opened(
        &mut self,
        user: UserId,
        (what, name): (&str, &str),
        opening: Opening,
        fault: Fault,
    ) {
        let now = self.clock.now();
        self.trace(user, || trace::socket_ended(&fault));
        self.time_opening(name, opening, now, ending_of(&fault, opening.limit));
        self.count_socket_failure(user, what, Some(opening), &fault);
        self.wakes.extend(opening.op.map(|op| Wake::Done {
            op,
            result: Err(fault),
        }));
    }

    /// The upgrade request with the user's headers and cookies, and the seed of the socket's frame masks.
    pub(crate) fn handshake(
        &mut self,
        user: UserId,
        url: &Url,
        subprotocols: &[String],
        mut headers: Vec<(String, String)>,
    ) -> Result<(Handshake, u64), Fault> {
        let cookies = self.cookies_for(user, url);
        let owner = self.level.users.get(user).ok_or_else(level_over)?;
        headers.extend(owner.standing.headers.iter().cloned());
        headers.extend(cookies.map(|cookies| ("Cookie".to_owned(), cookies)));
        let mut nonce = [0; 16];
        owner.random.fill_bytes(&mut nonce);
        let seed = owner.random.next_u64();
        let handshake = Handshake::new(url, subprotocols, &headers, nonce)?;
        Ok((handshake, seed))
    }

    /// The user's `Cookie` value for this URL.
    pub(crate) fn cookies_for(&mut self, user: UserId, url: &Url) -> Option<String> {
        self.level.users.get(user)?.standing.cookies.header_for(url)
    }

    /// Starts to connect. The time limit counts from here, not from the start of the wait in the connect queue.
    pub(crate) fn open_socket(&mut self, dial: SocketDial) {
        let SocketDial {
            user,
            epoch,
            endpoint,
            opener,
            mut state,
        } = dial;
        // The session may have ended while its WebSocket was queued.
        if !self.is_wanted(state.probes()) {
            return;
        }
        let (owner, probes) = (self.level.users.get(user), state.probes());
        // The user's iteration may have ended too.
        let Some(opening) = state
            .opening
            .as_mut()
            .filter(|_| owner.is_some_and(|owner| owner.epoch == epoch))
        else {
            return self.leave_dial(&state);
        };
        opening.asked = self.clock.now();
        opening.until = opening.asked + opening.limit;
        let opening = *opening;
        let (what, name, purpose) = (state.failing(), state.name.clone(), state.purpose);
        let source = self.source_of(user);
        let cookies = match &opener {
            Opener::Events(events) => self.cookies_for(user, events.url()),
            _ => None,
        };
        let stream = self.net.connector.connect(endpoint, source);
        let max_message = self.config.options.max_message;
        let opened = stream.and_then(|stream| {
            let wire = opener.open_on(stream, max_message, cookies.as_deref())?;
            let link = Link::Socket(Box::new(SocketLink { wire, state }));
            self.admit(user, endpoint, link)
        });
        match opened {
            Ok(key) => {
                if let Some(owner) = self.level.users.get(user) {
                    owner.sockets.push(key);
                }
                self.net.watch_limit(opening.until);
                self.probe_is_on_its_way(key, probes);
                self.look_if_open(key);
            }
            Err(fault) => {
                self.never_opened(user, (&what, &name), opening, fault.clone());
                if let Purpose::Node(cluster) = purpose {
                    self.node_is_over(cluster, &name, &fault);
                }
            }
        }
    }
}

pub(crate) fn framing_of(documents: DocumentsIn) -> Framing {
    match documents {
        DocumentsIn::Auto => Framing::Auto,
        DocumentsIn::Whole => Framing::Whole,
        DocumentsIn::Array => Framing::Array,
        DocumentsIn::Lines => Framing::EndedBy(b'\n'),
        DocumentsIn::Records => Framing::EndedBy(RECORD_SEPARATOR),
    }
}
