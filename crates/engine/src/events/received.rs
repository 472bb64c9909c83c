//! Handles what the streams of server-sent events receive.

use script::host::{Message, ServerEvent};
use wire::sse::{self, Event, Signal};

use super::trace;
use crate::arrival::Arrival;
use crate::socket::{Came, EventName, Reading};

/// Passes an event to its consumers, like a message of a WebSocket.
pub(super) fn hear(reading: &mut Reading<'_>, signal: Signal<'_>) {
    reading.count(|| Some(trace::received(&signal)));
    streamed(&mut reading.arrival, signal);
}

pub(crate) fn streamed(arrival: &mut Arrival<'_>, signal: Signal<'_>) {
    let event = match signal {
        Signal::Opened => return arrival.opened(None),
        Signal::Event(event) => event,
    };
    match event {
        Event::Message(message) => {
            let event = || ServerEvent {
                event: message.name.to_owned(),
                id: message.id.to_owned(),
                data: message.data.to_owned(),
            };
            arrival.offer(came(&message), || Message::Event(event()));
        }
        // `net` handles the time to wait. The standard gives the others no effect.
        Event::Retry(_) | Event::Comment(_) | Event::Ignored { .. } => {}
    }
}

/// The data of an event, as channels see it.
pub(crate) fn came<'a>(message: &sse::Message<'a>) -> Came<'a> {
    Came::event(EventName::Plain(message.name), message.data.as_bytes())
}
