//! Socket.IO sessions of members of passive audiences. Each has a WebSocket of its own.

use wire::socketio::Signal;
use wire::websocket::Event as Frame;

use super::arrival::MemberArrival;
use crate::net::socket::Event;
use crate::socket::Came;
use crate::socketio::{Heartbeat, Talk};

impl MemberArrival<'_> {
    /// Passes what the wire found to the session, if the member has one, or counts it.
    pub(super) fn came(&mut self, event: Event<'_>) {
        match event {
            Event::WebSocket(frame @ (Frame::Open { .. } | Frame::Text(_) | Frame::Binary(_)))
                if self.state.talk.is_some() =>
            {
                self.frame(frame);
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
            Signal::Event { event, .. } => self.message(Came::event(&event)),
            // A member requests no acknowledgement, and gives none.
            Signal::Ack { .. } | Signal::Probed | Signal::Noop => {}
        }
    }
}
