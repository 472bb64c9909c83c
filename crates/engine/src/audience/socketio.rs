//! Socket.IO sessions of members of passive audiences. Each has a WebSocket of its own.

use wire::socketio::Signal;
use wire::websocket::Event;

use super::arrival::MemberArrival;
use crate::socket::Came;
use crate::socketio::{Heartbeat, Talk};

impl MemberArrival<'_> {
    /// Passes a message of the WebSocket to the session. Messages after a fault are ignored.
    pub(super) fn frame(&mut self, event: Event<'_>) {
        // Take the session out while it parses, because handling its signals borrows `self`.
        let Some(mut talk) = self.state.talk.take() else {
            return;
        };
        if self.fault.is_none() {
            let Talk {
                session, heartbeat, ..
            } = &mut *talk;
            let mut sink = |signal: Signal<'_>| self.signal(signal, heartbeat);
            let taken = match event {
                Event::Text(text) => session.on_text(text, &mut sink),
                Event::Binary(bytes) => session.on_binary(bytes, &mut sink),
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
