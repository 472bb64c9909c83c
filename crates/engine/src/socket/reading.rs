use wire::websocket::Event;

use crate::arrival::Arrival;
use crate::trace;

/// Data that a socket has just received, while it is handled.
pub(crate) struct Reading<'a> {
    pub(crate) arrival: Arrival<'a>,
    pub(super) messages: usize,
    /// Lines for the trace, if the run is traced.
    pub(super) traced: Option<Vec<String>>,
}

impl Reading<'_> {
    /// Counts a message, or a signal of the protocol. `line` is its line in the trace.
    pub(crate) fn count(&mut self, line: impl FnOnce() -> Option<String>) {
        self.messages += 1;
        if let Some(traced) = &mut self.traced {
            traced.extend(line());
        }
    }

    /// Passes a message of a WebSocket, or of a session that replaces one, to its consumers.
    pub(crate) fn frame(&mut self, event: Event<'_>) {
        self.count(|| trace::received(&event));
        self.arrival.on(event);
    }
}
