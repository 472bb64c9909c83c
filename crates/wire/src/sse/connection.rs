use model::Fault;

use super::open;
use super::reader::{Reader, Signal};
use crate::http::Request;
use crate::stream::Stream;

/// One HTTP/1.1 connection that carries one stream of events.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    reader: Reader,
}

impl Connection {
    /// Sends the request for a stream of events over a stream in any phase. `request` is a GET, to which this adds the
    /// headers that it does not have. `last_event_id` is the id after which the stream continues, or empty. `cookies` is
    /// the jar's `Cookie` value. A line or an event above `limit` bytes is a fault.
    pub fn open(
        mut stream: Stream,
        request: Request,
        cookies: Option<&str>,
        last_event_id: &str,
        limit: usize,
    ) -> Result<Self, Fault> {
        let request = open::request(request, last_event_id);
        let mut encoded = Vec::new();
        request.encode_into(cookies, &mut encoded)?;
        stream.write(&encoded)?;
        Ok(Self {
            stream,
            reader: Reader::new(limit, last_event_id),
        })
    }

    /// The underlying stream, for registration with epoll.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The underlying stream, for [`Stream::read`] and [`Stream::advance`].
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The id of the last complete event, which the request for a later connection repeats.
    pub fn last_event_id(&self) -> &str {
        self.reader.last_event_id()
    }

    /// Whether a response's head or an event has begun to arrive and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.reader.holds_a_part()
    }

    /// Whether the response is complete. Nothing more will arrive.
    pub fn is_done(&self) -> bool {
        self.reader.is_done()
    }

    /// Whether the server asked the client not to reconnect, with status 204.
    pub fn is_stopped(&self) -> bool {
        self.reader.is_stopped()
    }

    /// Parses bytes that were read and calls `sink` for everything that they complete, in order.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        self.reader.on_bytes(bytes, sink)
    }

    /// Handles the end of the response or of the peer's data. It is a fault unless the stream was open and ended between
    /// two events.
    pub fn on_close(&self) -> Result<(), Fault> {
        self.reader.on_close()
    }
}
