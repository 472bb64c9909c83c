//! A stream of server-sent events, which outlives its connections.

use model::{Fault, FaultKind, Nanos, Side};
use url::Url;
use wire::Stream;
use wire::http::Request;
use wire::sse::{self, Connection, DEFAULT_RETRY_MS, Signal};

use super::Event;

/// Maximum time to wait before reconnecting, whatever the server asks for.
const MAX_RETRY_MS: u64 = 24 * 3600 * 1000;

/// A stream of server-sent events.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | connecting | waits for its first connection, or for one that is due | [`EventStream::connect`] |
/// | connected | `connection` is set | its end: [`EventStream::wait_from`], or the end of the stream |
/// | waiting | `due` is set | [`EventStream::take_due`] |
#[derive(Debug)]
pub(crate) struct EventStream {
    request: Request,
    /// Time limit for opening a connection.
    pub(crate) limit: Nanos,
    max_event: usize,
    /// Whether the script wants the stream to reconnect.
    reconnects: bool,
    connection: Option<Connection>,
    /// The id of the last event on earlier connections.
    last_event_id: String,
    retry: Nanos,
    /// The time at which the next connection is due; `Nanos::MAX` unless the stream waits for it.
    due: Nanos,
    /// Number of connections that the server accepted.
    accepted: u32,
    /// Whether the server ended the last connection as the protocol intends.
    ended_in_order: bool,
}

impl EventStream {
    /// `request` asks for the stream. `max_event` is the maximum size of an event, in bytes.
    pub(crate) fn new(
        request: Request,
        limit: Nanos,
        max_event: usize,
        (last_event_id, reconnects): (String, bool),
    ) -> Self {
        Self {
            request,
            limit,
            max_event,
            reconnects,
            connection: None,
            last_event_id,
            retry: Nanos::from_millis(DEFAULT_RETRY_MS),
            due: Nanos::MAX,
            accepted: 0,
            ended_in_order: false,
        }
    }

    pub(crate) fn url(&self) -> &Url {
        &self.request.url
    }

    pub(super) fn stream(&self) -> Option<&Stream> {
        self.connection.as_ref().map(Connection::stream)
    }

    pub(super) fn stream_mut(&mut self) -> Option<&mut Stream> {
        self.connection.as_mut().map(Connection::stream_mut)
    }

    /// The id of the last event that had one; empty if there was none.
    pub(crate) fn last_event_id(&self) -> &str {
        match &self.connection {
            Some(connection) => connection.last_event_id(),
            None => &self.last_event_id,
        }
    }

    /// The number of times that the stream was reconnected.
    pub(crate) fn reconnects(&self) -> u32 {
        self.accepted.saturating_sub(1)
    }

    /// Sends the request on a connection that is being opened.
    pub(crate) fn connect(&mut self, stream: Stream, cookies: Option<&str>) -> Result<(), Fault> {
        let (request, id) = (self.request.clone(), self.last_event_id.as_str());
        let connection = Connection::open(stream, request, cookies, id, self.max_event)?;
        self.connection = Some(connection);
        Ok(())
    }

    pub(super) fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        let (accepted, retry) = (&mut self.accepted, &mut self.retry);
        connection.on_bytes(bytes, &mut |signal| {
            match signal {
                Signal::Opened => *accepted += 1,
                Signal::Event(sse::Event::Retry(ms)) => {
                    *retry = Nanos::from_millis(ms.min(MAX_RETRY_MS));
                }
                Signal::Event(_) => {}
            }
            sink(Event::Sse(signal));
        })
    }

    /// Handles the end of the response or of the peer's data.
    pub(super) fn on_close(&mut self) -> Result<(), Fault> {
        let Some(connection) = &self.connection else {
            return Ok(());
        };
        let ended = connection.on_close();
        // A 204 at the first connection means that there is no stream. Later it ends the stream.
        self.ended_in_order = ended.is_ok() || self.accepted > 0 && connection.is_stopped();
        ended
    }

    pub(super) fn is_done(&self) -> bool {
        self.connection.as_ref().is_some_and(Connection::is_done)
    }

    pub(super) fn holds_a_part(&self) -> bool {
        self.connection
            .as_ref()
            .is_some_and(Connection::holds_a_part)
    }

    pub(crate) fn ended_in_order(&self) -> bool {
        self.ended_in_order
    }

    /// Whether the stream continues on another connection after this end of its connection. The standard forbids to
    /// reconnect after a response that is not a stream, and other faults would only repeat.
    pub(crate) fn continues_after(&self, fault: &Fault) -> bool {
        let of_network = matches!(
            fault.kind,
            FaultKind::Closed | FaultKind::Reset | FaultKind::Refused | FaultKind::TimedOut
        );
        let is_stopped = self.connection.as_ref().is_some_and(Connection::is_stopped);
        let is_target = fault.side == Side::Target;
        self.reconnects && self.accepted > 0 && !is_stopped && is_target && of_network
    }

    /// Drops the connection, and begins to wait for the next. Returns the time at which it is due.
    pub(crate) fn wait_from(&mut self, now: Nanos) -> Nanos {
        if let Some(connection) = self.connection.take() {
            connection
                .last_event_id()
                .clone_into(&mut self.last_event_id);
        }
        // An attempt that finds nobody is another end, and not in order.
        self.ended_in_order = false;
        self.due = now + self.retry;
        self.due
    }

    /// The time at which the next connection is due; `Nanos::MAX` unless the stream waits for it.
    pub(super) fn due(&self) -> Nanos {
        self.due
    }

    /// Ends the wait. Returns the time at which the connection was due.
    pub(crate) fn take_due(&mut self) -> Nanos {
        std::mem::replace(&mut self.due, Nanos::MAX)
    }
}

#[cfg(test)]
mod tests;
