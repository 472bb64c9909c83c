//! The lines of `run --trace` about streams of server-sent events.

use wire::sse::{Event, Signal};

use crate::trace::with_content;

pub(super) fn received(signal: &Signal<'_>) -> String {
    let event = match signal {
        Signal::Opened => return "← stream opened".to_owned(),
        Signal::Event(event) => event,
    };
    match event {
        Event::Message(message) => {
            with_content(format!("← event {}", message.name), message.data.as_bytes())
        }
        Event::Retry(ms) => format!("← retry: {ms} ms"),
        Event::Comment(text) => with_content("← comment".to_owned(), text),
        Event::Ignored { reason, text } => with_content(format!("← ignored ({reason:?})"), text),
    }
}
