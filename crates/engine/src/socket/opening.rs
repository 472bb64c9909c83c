use delivery::{Documents, Framing, RECORD_SEPARATOR};
use model::{Fault, UserId};
use rand_core::RngCore;
use script::host::{DocumentsIn, OpId, SocketCall};
use url::Url;
use wire::websocket::Handshake;

use super::{Opening, SocketLink, SocketState, Sockets};
use crate::dial::{Dial, Opener, SocketDial};
use crate::level_state::level_over;
use crate::link::Link;
use crate::net::socket::Upgrade;
use crate::net::{EndpointIndex, Located};
use crate::news::News;
use crate::registry::Talk;
use crate::trace;

impl Sockets<'_> {
    pub(crate) fn start(
        &mut self,
        op: OpId,
        user: UserId,
        call: SocketCall,
        talk: Option<Box<Talk>>,
    ) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let Located { url, endpoint, .. } = self.base.net.connector.locate(&call.url)?;
        self.base.trace(user, || trace::opening(&url));
        let limit = self.base.opening_limit(call.timeout);
        let (handshake, seed) = self.handshake(user, &url, &call.subprotocols, call.headers)?;
        let opening = Opening::new(Some(op), call.planned.unwrap_or(now), now, limit);
        let state = SocketState {
            opening: Some(opening),
            name: call.name,
            documents: Documents::new(
                framing_of(call.documents),
                self.base.config.options.max_message,
            ),
            talk,
            ..SocketState::default()
        };
        let opener = Opener::WebSocket(Upgrade { handshake, seed });
        self.dial((user, endpoint), opener, state);
        Ok(())
    }

    /// Opens a socket now, or queues it.
    pub(crate) fn dial(
        &mut self,
        (user, endpoint): (UserId, EndpointIndex),
        opener: Opener,
        state: SocketState,
    ) {
        let epoch = self.base.level.users.get(user).map_or(0, |user| user.epoch);
        self.base.dial(Dial::Socket(Box::new(SocketDial {
            user,
            epoch,
            endpoint,
            opener,
            state,
        })));
    }

    /// The upgrade request with the user's headers and cookies, and the seed of the socket's frame masks.
    pub(crate) fn handshake(
        &mut self,
        user: UserId,
        url: &Url,
        subprotocols: &[String],
        mut headers: Vec<(String, String)>,
    ) -> Result<(Handshake, u64), Fault> {
        let cookies = self.base.cookies_for(user, url);
        let owner = self.base.level.users.get(user).ok_or_else(level_over)?;
        headers.extend(owner.standing.headers.iter().cloned());
        headers.extend(cookies.map(|cookies| ("Cookie".to_owned(), cookies)));
        let mut nonce = [0; 16];
        owner.random.fill_bytes(&mut nonce);
        let seed = owner.random.next_u64();
        let handshake = Handshake::new(url, subprotocols, &headers, nonce)?;
        Ok((handshake, seed))
    }

    /// Starts to connect. The time limit counts from here, not from the start of the wait in the connect queue.
    pub(crate) fn open(&mut self, dial: SocketDial) {
        let SocketDial {
            user,
            epoch,
            endpoint,
            opener,
            mut state,
        } = dial;
        let owner = self.base.level.users.get(user);
        // The user's iteration may have ended too.
        let Some(opening) = state
            .opening
            .as_mut()
            .filter(|_| owner.is_some_and(|owner| owner.epoch == epoch))
        else {
            return self.base.leave_dial(&state);
        };
        opening.asked = self.base.clock.now();
        opening.until = opening.asked + opening.limit;
        let opening = *opening;
        let (what, name) = (state.failing(), state.name.clone());
        let serves = state.purpose.serves;
        let source = self.base.source_of(user);
        let cookies = opener.cookies_for();
        let cookies = cookies.and_then(|url| self.base.cookies_for(user, url));
        let stream = self.base.net.connector.connect(endpoint, source);
        let max_message = self.base.config.options.max_message;
        let opened = stream.and_then(|stream| {
            let wire = opener.open_on(stream, max_message, cookies.as_deref())?;
            let link = Link::Socket(Box::new(SocketLink { wire, state }));
            self.base.admit(user, endpoint, link)
        });
        match opened {
            Ok(key) => {
                if let Some(owner) = self.base.level.users.get(user) {
                    owner.sockets.push(key);
                }
                self.base.net.watch_limit(opening.until);
                if let Some(of) = serves {
                    let helper = key;
                    self.base.tell(News::HelperAdded { of, helper });
                }
                self.base.tell(News::Added(key));
            }
            Err(fault) => {
                self.base
                    .never_opened(user, (&what, &name), opening, fault.clone());
                if let Some(of) = serves {
                    self.base.tell(News::HelperLost { of, name, fault });
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
