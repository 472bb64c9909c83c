//! One HTTP/1.1 connection, with at most one request in flight.

mod call;

use model::{Fault, FaultKind, Nanos};
use wire::Stream;
use wire::http::{Connection, Response};

pub(crate) use call::Call;

use super::Opening;

/// The HTTP protocol on a connection. `T` is what the client attaches to a request.
#[derive(Debug)]
pub(crate) struct HttpLink<T> {
    wire: Connection,
    call: Option<Box<Call<T>>>,
    /// `None` once the connection is open.
    opening: Option<Opening>,
}

/// The result of bytes, or of their end, on an HTTP connection.
#[derive(Debug)]
pub(crate) enum HttpEvent<T> {
    /// More bytes are needed.
    Incomplete,
    /// The response is complete.
    Responded {
        call: Box<Call<T>>,
        response: Response,
        /// Whether the connection can carry another request.
        reusable: bool,
        /// A fault for data that followed the response and belongs to no request.
        unasked: Option<Fault>,
    },
    /// The peer closed an idle connection.
    Closed,
    /// The connection cannot be used any longer. [`HttpLink::end`] has the request in flight.
    Broke {
        fault: Fault,
        /// Whether the peer sent data that belongs to no request.
        unasked: bool,
    },
}

/// The end of a connection that broke.
#[derive(Debug)]
pub(crate) struct HttpEnd<T> {
    /// The request in flight.
    pub(crate) call: Option<Box<Call<T>>>,
    /// The opening, if the connection never opened.
    pub(crate) opening: Option<Opening>,
    /// Whether the server probably closed the connection while it was idle. Most likely it did not process the request
    /// (RFC 9110 §9.2.2).
    pub(crate) was_idle: bool,
}

impl<T> HttpLink<T> {
    /// Creates the connection on a stream that is being opened. With `discards`, bodies are counted and not stored.
    pub(crate) fn new(stream: Stream, body_limit: usize, discards: bool, opening: Opening) -> Self {
        let mut wire = Connection::with_body_limit(stream, body_limit);
        if discards {
            wire.discard();
        }
        Self {
            wire,
            call: None,
            opening: Some(opening),
        }
    }

    pub(crate) fn stream(&self) -> &Stream {
        self.wire.stream()
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream {
        self.wire.stream_mut()
    }

    /// The request in flight.
    pub(crate) fn call(&self) -> Option<&Call<T>> {
        self.call.as_deref()
    }

    /// Takes the request in flight. The connection must then be closed, because a response may still arrive.
    pub(crate) fn take_call(&mut self) -> Option<Box<Call<T>>> {
        self.call.take()
    }

    /// Takes the opening of a connection that is now open, or is given up.
    pub(crate) fn take_opening(&mut self) -> Option<Opening> {
        self.opening.take()
    }

    /// The number of responses received.
    pub(crate) fn responses(&self) -> u32 {
        self.wire.answered()
    }

    /// The time at which the earliest time limit of the connection or its request ends.
    pub(crate) fn limit(&self) -> Nanos {
        let opening = self.opening.map_or(Nanos::MAX, |opening| opening.until);
        let call = self.call.as_ref().map_or(Nanos::MAX, |call| call.limit());
        opening.min(call)
    }

    /// Sends an encoded request. A connection that is not open yet sends it as soon as TCP and TLS are established. After
    /// a fault, also one of the encoding, [`HttpLink::end`] has the request.
    pub(crate) fn send(
        &mut self,
        call: Box<Call<T>>,
        encoded: Result<&[u8], Fault>,
    ) -> Result<(), Fault> {
        let call = self.call.insert(call);
        let encoded = encoded?;
        call.bytes_out += encoded.len() as u64;
        self.wire.send(encoded, call.request.expects_body())
    }

    /// Handles bytes that were received at `at`.
    pub(crate) fn on_bytes(&mut self, bytes: &[u8], at: Nanos) -> HttpEvent<T> {
        if let Some(call) = &mut self.call {
            // Data received before the request was sent, such as a 408 on an idle connection, is not the response.
            if !call.began && at < call.started {
                let early = "the server sent data before the request: the connection is unusable";
                return HttpEvent::broke(Fault::target(FaultKind::Closed, early));
            }
            call.began = true;
        }
        match self.wire.on_bytes(bytes) {
            Ok(Some(response)) => self.responded(response),
            Ok(None) => HttpEvent::Incomplete,
            // A 408 announces that the server closes an idle connection. This is not a fault.
            Err(fault) => HttpEvent::Broke {
                fault,
                unasked: self.call.is_none() && !bytes.starts_with(b"HTTP/1.1 408"),
            },
        }
    }

    /// Handles the end of the peer's data, which may complete a response.
    pub(crate) fn on_close(&mut self) -> HttpEvent<T> {
        match self.wire.on_close() {
            Ok(Some(response)) => self.responded(response),
            Ok(None) => HttpEvent::Closed,
            Err(fault) => HttpEvent::broke(fault),
        }
    }

    fn responded(&mut self, response: Response) -> HttpEvent<T> {
        let unasked = self.wire.take_unasked();
        let Some(call) = self.call.take() else {
            let detail = "the server sent a response without a request";
            return HttpEvent::Broke {
                fault: Fault::target(FaultKind::Protocol, detail),
                unasked: true,
            };
        };
        HttpEvent::Responded {
            call,
            response,
            reusable: self.wire.reusable(),
            unasked,
        }
    }

    /// The fault of the connection or its request, if a time limit has passed. `connect` is the limit for opening.
    pub(crate) fn timed_out(&self, now: Nanos, connect: Nanos) -> Option<Fault> {
        let detail = match (&self.opening, &self.call) {
            (Some(opening), _) if opening.until <= now => no_connection(connect),
            (_, Some(call)) if call.limit() <= now => call.what_took_too_long(),
            (_, _) => return None,
        };
        Some(Fault::target(FaultKind::TimedOut, detail))
    }

    /// Ends the connection.
    pub(crate) fn end(&mut self) -> HttpEnd<T> {
        HttpEnd {
            call: self.call.take(),
            opening: self.opening.take(),
            was_idle: self.wire.is_stale_close(),
        }
    }
}

impl<T> HttpEvent<T> {
    fn broke(fault: Fault) -> Self {
        Self::Broke {
            fault,
            unasked: false,
        }
    }
}

/// Describes a connection that did not open within its time limit.
pub(super) fn no_connection(limit: Nanos) -> String {
    format!("no connection within {limit}")
}

#[cfg(test)]
mod tests;
