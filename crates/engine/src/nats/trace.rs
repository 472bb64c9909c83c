//! The lines of `run --trace` about NATS.

use script::host::Publication;
use wire::nats::Message;

pub(super) use crate::trace::opening;
use crate::trace::with_content;

/// A message that is being published.
pub(super) fn published(message: &Publication) -> String {
    let line = format!("→ publish {}", message.subject);
    with_content(line, message.payload.bytes())
}

/// A message that arrived with its subject.
pub(super) fn received(message: &Message<'_>) -> String {
    with_content(format!("← {}", message.subject), message.payload)
}
