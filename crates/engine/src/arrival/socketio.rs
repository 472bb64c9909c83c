use script::host::{Heard, SocketId, Value, Wake};
use wire::socketio::{Event, Signal};
use wire::websocket::Event as Message;

use super::Arrival;
use crate::socket::{Own, Waiting, Wanted as Awaited};
use crate::socketio::{Heartbeat, Talk, Wanted, came};
use crate::tickers::WAKES_LIMIT;

impl Arrival<'_> {
    /// Passes a message of the transport to the session. Messages after a fault are ignored.
    pub(super) fn frame(&mut self, talk: &mut Talk, frame: Message<'_>) {
        if let Message::Close { code, reason } = frame {
            self.state.ending.frame = Some((code, reason.to_owned()));
        }
        if self.talked.fault.is_some() {
            return;
        }
        let Talk {
            session,
            heartbeat,
            opened,
            handled,
            ..
        } = talk;
        let mut sink = |signal: Signal<'_>| match signal {
            Signal::Opened(open) => {
                *heartbeat = Some(Heartbeat::of(&open, self.now));
                *opened = Some(open);
                self.talked.begun = true;
            }
            other => self.signal(other, heartbeat, handled),
        };
        let taken = match frame {
            Message::Text(text) => session.on_text(text, &mut sink),
            Message::Binary(bytes) => session.on_binary(bytes, &mut sink),
            _ => Ok(()),
        };
        self.talked.fault = taken.err();
    }

    /// Handles an event of a WebSocket that will replace polling if its probe succeeds.
    pub(super) fn probe(&mut self, event: Message<'_>) {
        match event {
            Message::Open { .. } => {
                self.talked.says.push("2probe".to_owned());
                self.opened(None);
            }
            Message::Text("3probe") => self.talked.probed = true,
            Message::Close { code, reason } => {
                self.state.ending.frame = Some((code, reason.to_owned()));
            }
            _ => {}
        }
    }

    fn signal(
        &mut self,
        signal: Signal<'_>,
        heartbeat: &mut Option<Heartbeat>,
        handled: &[Box<str>],
    ) {
        match signal {
            Signal::Say(text) => self.talked.says.push(text),
            Signal::Alive => {
                if let Some(heartbeat) = heartbeat {
                    heartbeat.beats(self.now);
                }
            }
            Signal::Connected(sid) => self.opened(sid.as_deref()),
            Signal::Event {
                event,
                id,
                attachments,
            } => {
                self.event(&event, id, attachments, handled);
            }
            Signal::Ack {
                id,
                arguments,
                attachments,
            } => {
                let heard = || Heard {
                    arguments: arguments.to_owned(),
                    attachments: attachments.to_vec(),
                };
                self.answer(
                    heard,
                    |wanted| matches!(wanted, Wanted::Ack(number) if *number == id),
                );
            }
            Signal::Opened(_) | Signal::Probed | Signal::Noop => {}
        }
    }

    /// Passes an event to all consumers: channels, a call that awaits it, and the script's handler.
    fn event(
        &mut self,
        event: &Event<'_>,
        ack: Option<u64>,
        attachments: &[Vec<u8>],
        handled: &[Box<str>],
    ) {
        self.receipts(came(event));
        let heard = || Heard {
            arguments: format!("[{}]", event.arguments),
            attachments: attachments.to_vec(),
        };
        self.answer(
            heard,
            |wanted| matches!(wanted, Wanted::Event(name) if event.is(name)),
        );
        let Some(name) = handled.iter().find(|name| event.is(name)) else {
            return;
        };
        if self.state.ending.closing.is_some() {
            return;
        }
        if self.wakes.len() >= WAKES_LIMIT {
            self.recorder.monitoring.dropped += 1;
            return;
        }
        self.wakes.push_back(Wake::Event {
            socket: SocketId(self.key),
            event: name.to_string(),
            heard: heard(),
            ack,
        });
    }

    fn answer(&mut self, heard: impl FnOnce() -> Heard, wants: impl Fn(&Wanted) -> bool) {
        let waiting = &mut self.state.waiting;
        let is_wanted = |waiting: &Waiting| match &waiting.wanted {
            Awaited::Own(Own::SocketIo(wanted)) => wants(wanted),
            _ => false,
        };
        let at = waiting.iter().position(is_wanted);
        if let Some(waiting) = at.and_then(|at| waiting.remove(at)) {
            self.replied(&waiting, Value::Heard(heard()));
        }
    }
}
