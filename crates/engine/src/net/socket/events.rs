//! A stream of server-sent events, which outlives its connections.

use model::{Fault, FaultKind, Nanos, Side};
use url::Url;
use wire::Stream;
use wire::http::Request;
use wire::http2::Content;
use wire::sse::{self, Connection, DEFAULT_RETRY_MS, SharedStream, Signal};

use super::transport::Transport;

/// Maximum time to wait before reconnecting, whatever the server asks for.
const MAX_RETRY_MS: u64 = 24 * 3600 * 1000;

/// A stream of server-sent events.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | connecting | waits for its first connection, or for one that is due | [`EventStream::connect`], [`EventStream::share`] |
/// | connected | `carrier` is set | its end: [`EventStream::wait_from`], or the end of the stream |
/// | waiting | `due` is set | [`EventStream::take_due`] |
#[derive(Debug)]
pub(crate) struct EventStream {
    request: Request,
    /// Time limit for opening a connection.
    pub(crate) limit: Nanos,
    max_event: usize,
    /// Whether the script wants the stream to reconnect.
    reconnects: bool,
    carrier: Option<Carrier>,
    /// The id of the last event on earlier connections.
    last_event_id: String,
    seen: Seen,
    /// The time at which the next connection is due; `Nanos::MAX` unless the stream waits for it.
    due: Nanos,
    /// Whether the server ended the last connection as the protocol intends.
    ended_in_order: bool,
}

/// What carries the events now.
#[derive(Debug)]
enum Carrier {
    /// An HTTP/1.1 connection of its own.
    Own(Connection),
    /// A request on the HTTP/2 connection of the user.
    Shared(SharedStream),
}

/// What the server said on all connections.
#[derive(Debug)]
struct Seen {
    /// The time to wait before reconnecting.
    retry: Nanos,
    /// Number of connections that the server accepted.
    accepted: u32,
}

impl Seen {
    fn note(&mut self, signal: Signal<'_>) {
        match signal {
            Signal::Opened => self.accepted += 1,
            Signal::Event(sse::Event::Retry(ms)) => {
                self.retry = Nanos::from_millis(ms.min(MAX_RETRY_MS));
            }
            Signal::Event(_) => {}
        }
    }
}

impl Carrier {
    fn own(&self) -> Option<&Connection> {
        match self {
            Self::Own(connection) => Some(connection),
            Self::Shared(_) => None,
        }
    }

    fn last_event_id(&self) -> &str {
        match self {
            Self::Own(connection) => connection.last_event_id(),
            Self::Shared(shared) => shared.last_event_id(),
        }
    }

    fn is_done(&self) -> bool {
        match self {
            Self::Own(connection) => connection.is_done(),
            Self::Shared(shared) => shared.is_done(),
        }
    }

    fn is_stopped(&self) -> bool {
        match self {
            Self::Own(connection) => connection.is_stopped(),
            Self::Shared(shared) => shared.is_stopped(),
        }
    }

    fn holds_a_part(&self) -> bool {
        match self {
            Self::Own(connection) => connection.holds_a_part(),
            Self::Shared(shared) => shared.holds_a_part(),
        }
    }

    fn on_close(&self) -> Result<(), Fault> {
        match self {
            Self::Own(connection) => connection.on_close(),
            Self::Shared(shared) => shared.on_close(),
        }
    }
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
            carrier: None,
            last_event_id,
            seen: Seen {
                retry: Nanos::from_millis(DEFAULT_RETRY_MS),
                accepted: 0,
            },
            due: Nanos::MAX,
            ended_in_order: false,
        }
    }

    pub(crate) fn url(&self) -> &Url {
        &self.request.url
    }

    /// The id of the last event that had one; empty if there was none.
    pub(crate) fn last_event_id(&self) -> &str {
        match &self.carrier {
            Some(carrier) => carrier.last_event_id(),
            None => &self.last_event_id,
        }
    }

    /// The number of times that the stream was reconnected.
    pub(crate) fn reconnects(&self) -> u32 {
        self.seen.accepted.saturating_sub(1)
    }

    /// Sends the request on a connection that is being opened.
    pub(crate) fn connect(&mut self, stream: Stream, cookies: Option<&str>) -> Result<(), Fault> {
        let (request, id) = (self.request.clone(), self.last_event_id.as_str());
        let connection = Connection::open(stream, request, cookies, id, self.max_event)?;
        self.carrier = Some(Carrier::Own(connection));
        Ok(())
    }

    /// Begins to wait for the response on an HTTP/2 connection. Returns the request to send there.
    pub(crate) fn share(&mut self) -> Request {
        let shared = SharedStream::new(&self.last_event_id, self.max_event);
        self.carrier = Some(Carrier::Shared(shared));
        sse::request(self.request.clone(), &self.last_event_id)
    }

    /// Handles the end of the response on an HTTP/2 connection.
    pub(crate) fn end_response(&mut self) {
        if let Some(Carrier::Shared(shared)) = &mut self.carrier {
            shared.on_end();
        }
    }

    pub(crate) fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let (carrier, seen) = (&mut self.carrier, &mut self.seen);
        let Some(Carrier::Own(connection)) = carrier else {
            return Ok(());
        };
        connection.on_bytes(bytes, &mut |signal| {
            seen.note(signal);
            sink(signal);
        })
    }

    pub(crate) fn on_part(
        &mut self,
        part: &Content,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let (carrier, seen) = (&mut self.carrier, &mut self.seen);
        let Some(Carrier::Shared(shared)) = carrier else {
            return Ok(());
        };
        shared.on_part(part, &mut |signal| {
            seen.note(signal);
            sink(signal);
        })
    }

    pub(crate) fn ended_in_order(&self) -> bool {
        self.ended_in_order
    }

    /// Whether a request on an HTTP/2 connection carries the stream.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.carrier, Some(Carrier::Shared(_)))
    }

    /// Whether the stream continues on another connection after this end of its connection. The standard forbids to
    /// reconnect after a response that is not a stream, and other faults would only repeat.
    pub(crate) fn continues_after(&self, fault: &Fault) -> bool {
        let of_network = matches!(
            fault.kind,
            FaultKind::Closed | FaultKind::Reset | FaultKind::Refused | FaultKind::TimedOut
        );
        let is_stopped = self.carrier.as_ref().is_some_and(Carrier::is_stopped);
        let is_target = fault.side == Side::Target;
        self.reconnects && self.seen.accepted > 0 && !is_stopped && is_target && of_network
    }

    /// Drops the connection, and begins to wait for the next. Returns the time at which it is due.
    pub(crate) fn wait_from(&mut self, now: Nanos) -> Nanos {
        if let Some(carrier) = self.carrier.take() {
            carrier.last_event_id().clone_into(&mut self.last_event_id);
        }
        // An attempt that finds nobody is another end, and not in order.
        self.ended_in_order = false;
        self.due = now + self.seen.retry;
        self.due
    }

    /// Ends the wait. Returns the time at which the connection was due.
    pub(crate) fn take_due(&mut self) -> Nanos {
        std::mem::replace(&mut self.due, Nanos::MAX)
    }
}

impl Transport for Box<EventStream> {
    type Opener = Self;

    fn open(
        mut opener: Self,
        stream: Stream,
        _: usize,
        cookies: Option<&str>,
    ) -> Result<Self, Fault> {
        opener.connect(stream, cookies)?;
        Ok(opener)
    }

    fn cookies_for(opener: &Self) -> Option<&Url> {
        Some(opener.url())
    }

    fn stream(&self) -> Option<&Stream> {
        self.carrier
            .as_ref()
            .and_then(Carrier::own)
            .map(Connection::stream)
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        match &mut self.carrier {
            Some(Carrier::Own(connection)) => Some(connection.stream_mut()),
            Some(Carrier::Shared(_)) | None => None,
        }
    }

    fn on_close(&mut self) -> Result<(), Fault> {
        let Some(carrier) = &self.carrier else {
            return Ok(());
        };
        let ended = carrier.on_close();
        // A 204 at the first connection means that there is no stream. Later it ends the stream.
        self.ended_in_order = ended.is_ok() || self.seen.accepted > 0 && carrier.is_stopped();
        ended
    }

    fn holds_a_part(&self) -> bool {
        self.carrier.as_ref().is_some_and(Carrier::holds_a_part)
    }

    fn is_done(&self) -> bool {
        self.carrier.as_ref().is_some_and(Carrier::is_done)
    }

    fn ended_in_order(&self) -> bool {
        (**self).ended_in_order()
    }

    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }

    fn reconnect_due(&self) -> Nanos {
        self.due
    }
}

#[cfg(test)]
mod tests;
