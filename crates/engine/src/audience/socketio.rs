//! Socket.IO sessions of members of passive audiences. Each has a WebSocket of its own.

use model::Fault;
use rand_pcg::Pcg64Mcg;
use script::host::{Payload, SocketIoCall};
use wire::socketio::{Kind, Session, Signal, header};
use wire::websocket::Event as Frame;

use super::arrival::MemberArrival;
use super::described::{Describe, Described};
use super::transport::MemberTransport;
use crate::base::Base;
use crate::net::socket::socketio::Polling;
use crate::socketio::{Heartbeat, Talk, came, websocket_call};

impl Describe for SocketIoCall {
    fn describe(
        self,
        base: &mut Base,
        first: Vec<Payload>,
        random: &mut Pcg64Mcg,
    ) -> Result<Described, Fault> {
        let (namespace, auth) = (self.namespace.clone(), self.auth.clone());
        let head = header(Kind::Event, 0, &namespace, None);
        let event =
            |list: &Payload| Payload::Text(head.clone() + &String::from_utf8_lossy(list.bytes()));
        let first = first.iter().map(event).collect();
        let session = Session::new(namespace, auth, base.config.options.max_message);
        let described = websocket_call(self).describe(base, first, random)?;
        Ok(Described {
            talk: Some(Box::new(Talk::new(session))),
            ..described
        })
    }
}

/// Members do not poll.
impl MemberTransport for Box<Polling> {}

impl MemberArrival<'_> {
    /// Passes a message of a WebSocket to the session, if the member has one, or counts it.
    pub(super) fn came(&mut self, event: Frame<'_>) {
        match event {
            Frame::Open { .. } | Frame::Text(_) | Frame::Binary(_) if self.state.talk.is_some() => {
                self.frame(event);
            }
            event => self.received(event),
        }
    }

    /// Passes a message of the WebSocket to the session. Messages after a fault are ignored.
    fn frame(&mut self, frame: Frame<'_>) {
        // Take the session out while it parses, because handling its signals borrows `self`.
        let Some(mut talk) = self.state.talk.take() else {
            return;
        };
        if self.fault.is_none() {
            let Talk {
                session, heartbeat, ..
            } = &mut *talk;
            let mut sink = |signal: Signal<'_>| self.signal(signal, heartbeat);
            let taken = match frame {
                Frame::Text(text) => session.on_text(text, &mut sink),
                Frame::Binary(bytes) => session.on_binary(bytes, &mut sink),
                // The server opens the session with its first packet.
                _ => Ok(()),
            };
            self.fault = taken.err().or(self.fault.take());
        }
        self.state.talk = Some(talk);
    }

    fn signal(&mut self, signal: Signal<'_>, heartbeat: &mut Option<Heartbeat>) {
        match signal {
            Signal::Opened(open) => *heartbeat = Some(Heartbeat::of(&open, self.now)),
            Signal::Say(text) => self.says.push(text),
            Signal::Alive => {
                if let Some(heartbeat) = heartbeat {
                    heartbeat.beats(self.now);
                }
            }
            Signal::Connected(_) => self.opened(),
            Signal::Event { event, .. } => self.message(came(&event)),
            // A member requests no acknowledgement, and gives none.
            Signal::Ack { .. } | Signal::Probed | Signal::Noop => {}
        }
    }
}
