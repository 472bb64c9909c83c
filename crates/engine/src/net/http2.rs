//! One HTTP/2 connection, whose streams carry the requests of several owners.

use model::{Fault, FaultKind, Nanos};
use wire::Stream;
use wire::http2::{Connection, Content, Finished, Part, StreamId};

use super::Opening;
use super::http::{Call, no_connection};

/// The HTTP/2 protocol on a connection. `T` is what the client attaches to a request.
#[derive(Debug)]
pub(crate) struct Http2Link<T> {
    wire: Connection,
    calls: Vec<(StreamId, Box<Call<T>>)>,
    /// The streams whose responses are returned in parts.
    in_parts: Vec<StreamId>,
    /// `None` once the connection is open.
    opening: Option<Opening>,
    /// The number of sent bytes that have been attributed to a request.
    counted: u64,
}

/// A request whose time limit has passed, with its fault and, if the connection broke at the same time, the fault of
/// the connection.
#[derive(Debug)]
pub(crate) struct TimedOut<T> {
    pub(crate) call: Box<Call<T>>,
    pub(crate) fault: Fault,
    pub(crate) broke: Option<Fault>,
}

impl<T> Http2Link<T> {
    /// Creates the connection on a stream that is being opened. With `discards`, bodies are counted and not stored.
    pub(crate) fn new(
        stream: Stream,
        body_limit: usize,
        discards: bool,
        opening: Opening,
    ) -> Result<Self, Fault> {
        let mut wire = Connection::new(stream, body_limit)?;
        if discards {
            wire.discard();
        }
        Ok(Self {
            wire,
            calls: Vec::new(),
            in_parts: Vec::new(),
            opening: Some(opening),
            counted: 0,
        })
    }

    pub(crate) fn stream(&self) -> &Stream {
        self.wire.stream()
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream {
        self.wire.stream_mut()
    }

    /// Takes the opening of a connection that is now open, or is given up.
    pub(crate) fn take_opening(&mut self) -> Option<Opening> {
        self.opening.take()
    }

    /// The time at which the earliest time limit of the connection or its requests ends.
    pub(crate) fn limit(&self) -> Nanos {
        let calls = self.calls.iter().map(|(stream, call)| {
            let begun = self.wire.has_begun(*stream);
            call.limit_if(begun)
        });
        let opening = self.opening.map_or(Nanos::MAX, |opening| opening.until);
        calls.fold(opening, Nanos::min)
    }

    /// The number of complete responses.
    pub(crate) fn responses(&self) -> u32 {
        self.wire.answered()
    }

    /// The requests in flight.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call<T>> {
        self.calls.iter().map(|(_, call)| &**call)
    }

    /// Takes the requests in flight.
    pub(crate) fn into_calls(self) -> impl Iterator<Item = Box<Call<T>>> {
        self.calls.into_iter().map(|(_, call)| call)
    }

    /// The number of responses that are awaited as a whole.
    pub(crate) fn awaited(&self) -> usize {
        self.calls.len() - self.in_parts.len()
    }

    /// Whether the connection accepts requests, now or when a stream ends.
    pub(crate) fn is_usable(&self) -> bool {
        self.wire.is_usable()
    }

    /// Whether a stream is free.
    pub(crate) fn has_free_stream(&self) -> bool {
        self.wire.may_send() > 0
    }

    /// Whether the connection accepts no more requests, and none is in flight.
    pub(crate) fn is_spent(&self) -> bool {
        !self.wire.is_usable() && self.calls.is_empty()
    }

    /// Sends a request on a free stream. With `in_parts`, its response is returned as it arrives. Returns the request with
    /// the fault if that fails.
    pub(crate) fn send(
        &mut self,
        call: Box<Call<T>>,
        cookies: Option<&str>,
        in_parts: bool,
    ) -> Result<(), (Box<Call<T>>, Fault)> {
        match self.wire.send(&call.request, cookies) {
            Ok(stream) => {
                if in_parts {
                    self.wire.pass_parts(stream);
                    self.in_parts.push(stream);
                }
                self.calls.push((stream, call));
                Ok(())
            }
            Err(fault) => Err((call, fault)),
        }
    }

    /// Handles received bytes. Call [`Http2Link::next_ended`] then. Returns the fault of all requests in flight if the
    /// server does not speak HTTP/2.
    pub(crate) fn on_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let failed = self.wire.on_bytes(bytes).is_err();
        // A server without HTTP/2 responds to the first frames in HTTP/1. Report this instead of a broken frame.
        if failed && bytes.starts_with(b"HTTP/1.") {
            let other = "headcount began in HTTP/2 (prior knowledge), and it responded in HTTP/1";
            return Err(no_http2(other, "HTTP/2 without TLS (h2c)"));
        }
        Ok(())
    }

    /// Handles the end of the peer's data. Call [`Http2Link::next_ended`] then.
    pub(crate) fn on_close(&mut self) {
        self.wire.on_close();
    }

    /// Ends all requests in flight with this fault. Call [`Http2Link::next_ended`] then.
    pub(crate) fn fail(&mut self, fault: &Fault) {
        self.wire.fail(fault);
    }

    /// Takes a part of a response, with the request.
    pub(crate) fn next_part(&mut self) -> Option<(&Call<T>, Content)> {
        loop {
            let Part { stream, content } = self.wire.next_part()?;
            // The streams of requests that were given up are unknown.
            if let Some(at) = self.calls.iter().position(|(known, _)| *known == stream) {
                return Some((&*self.calls[at].1, content));
            }
        }
    }

    /// Gives up the request for which `is_it` holds, and resets its stream. `None` if no such request is in flight; a
    /// fault if the connection broke at the same time.
    pub(crate) fn cancel(&mut self, is_it: impl Fn(&T) -> bool) -> Option<Result<(), Fault>> {
        let mut calls = self.calls.iter();
        let &(stream, _) = calls.find(|(_, call)| is_it(&call.context))?;
        let cancelled = self.wire.cancel(stream);
        self.take(stream);
        Some(cancelled)
    }

    /// Takes a request that has ended, with its outcome.
    pub(crate) fn next_ended(&mut self) -> Option<(Box<Call<T>>, Finished)> {
        loop {
            let end = self.wire.next_finished()?;
            // The streams of requests that timed out are unknown.
            if let Some(call) = self.take(end.stream) {
                return Some((call, end));
            }
        }
    }

    /// Takes a request in flight.
    pub(crate) fn take_first(&mut self) -> Option<Box<Call<T>>> {
        let &(stream, _) = self.calls.first()?;
        self.take(stream)
    }

    /// Takes the request of a stream that has ended. All bytes sent since the previous request ended are attributed to
    /// this request. The exact number is unknown, because the peer's flow-control windows split bodies.
    fn take(&mut self, stream: StreamId) -> Option<Box<Call<T>>> {
        let at = self.calls.iter().position(|(known, _)| *known == stream)?;
        let (_, mut call) = self.calls.swap_remove(at);
        self.in_parts.retain(|known| *known != stream);
        let sent = self.wire.bytes_sent();
        call.bytes_out += sent - std::mem::replace(&mut self.counted, sent);
        Some(call)
    }

    /// The fault of the connection if it did not open within its time limit `connect`.
    pub(crate) fn never_opened(&self, now: Nanos, connect: Nanos) -> Option<Fault> {
        let is_over = self.opening.is_some_and(|opening| opening.until <= now);
        is_over.then(|| Fault::target(FaultKind::TimedOut, no_connection(connect)))
    }

    /// Takes a request whose time limit has passed, and resets only its stream. The connection stays open.
    pub(crate) fn next_timed_out(&mut self, now: Nanos) -> Option<TimedOut<T>> {
        let over = self.calls.iter_mut().find_map(|(stream, call)| {
            call.began = self.wire.has_begun(*stream);
            (call.limit() <= now).then_some(*stream)
        });
        let stream = over?;
        let broke = self.wire.cancel(stream).err();
        let call = self.take(stream)?;
        let fault = Fault::target(FaultKind::TimedOut, call.what_took_too_long());
        Some(TimedOut { call, fault, broke })
    }
}

/// Checks that both sides agreed on HTTP/2. Without TLS there is no negotiation.
pub(crate) fn check_agreed(stream: &Stream) -> Result<(), Fault> {
    let chosen = stream.agreed_protocol();
    if !stream.is_secured() || chosen == Some(b"h2") {
        return Ok(());
    }
    let chosen = chosen.map_or("none of them".into(), String::from_utf8_lossy);
    let offered = "headcount offered h2 and http/1.1 in the TLS handshake (ALPN)";
    let detail = format!("{offered}, and it chose {chosen}");
    Err(no_http2(&detail, "HTTP/2"))
}

fn no_http2(why: &str, missing: &str) -> Fault {
    let remedy = format!("enable {missing} in the server, or remove `http2` (`--http2`)");
    let detail = format!("the server does not speak HTTP/2 here: {why}; {remedy}");
    Fault::target(FaultKind::Protocol, detail)
}
