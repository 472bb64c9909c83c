use std::collections::VecDeque;
use std::fmt;
use std::task::Poll;

use model::{Fault, FaultKind};

use super::driver::Driver;
use super::exchange::{Bodies, Exchange};
use super::failure::Failure;
use super::head;
use super::part::Part;
use super::stream_id::StreamId;
use crate::http::{Request, Response};

/// A finished request and its outcome.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The request.
    pub stream: StreamId,
    /// The complete response, or the reason why there is none.
    pub outcome: Result<Response, Fault>,
    /// Whether the request may be sent again, on a new connection.
    pub repeatable: Repeatable,
}

/// Whether a request that got no response may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeatable {
    /// The peer may have processed the request, or there was a response.
    No,
    /// The connection had served other requests, and no byte arrived after this request was sent. Most likely the peer
    /// closed the connection while it was idle and did not process the request, but this is not certain (RFC 9110
    /// §9.2.2).
    IfIdempotent,
    /// The peer stated that it did not process the request (RFC 9113 §8.7).
    Yes,
}

/// The client side of one HTTP/2 connection, without I/O: bytes in, bytes out.
pub struct Session {
    driver: Driver,
    in_flight: Vec<Exchange>,
    finished: VecDeque<Finished>,
    /// Parts of responses that are returned as they arrive.
    parts: VecDeque<Part>,
    bodies: Bodies,
    received: u64,
    answered: u32,
    usable: bool,
}

impl Session {
    /// A body above `body_limit` bytes is a fault, whether compressed or decompressed.
    pub fn new(body_limit: usize) -> Result<Self, Fault> {
        Ok(Self {
            driver: Driver::new()?,
            in_flight: Vec::new(),
            finished: VecDeque::new(),
            parts: VecDeque::new(),
            bodies: Bodies {
                limit: body_limit,
                discarded: false,
            },
            received: 0,
            answered: 0,
            usable: true,
        })
    }

    /// From now on, drops the heads of responses with a status below 400, and counts the bytes of their bodies without
    /// storing them. Other responses are kept, because their bodies usually state the reason.
    pub fn discard(&mut self) {
        self.bodies.discarded = true;
    }

    /// Begins a request. [`Session::take_output`] then returns the bytes to send. Call it at most [`Session::may_send`]
    /// times; a further request is a fault. `cookies` is the jar's `Cookie` value.
    ///
    /// Headers that HTTP/2 does not have, such as Connection, Keep-Alive and Upgrade, are dropped. A Host header
    /// becomes the authority.
    pub fn send(&mut self, request: &Request, cookies: Option<&str>) -> Result<StreamId, Fault> {
        if self.may_send() == 0 {
            return Err(Fault::generator(
                FaultKind::Protocol,
                "no stream is free on this HTTP/2 connection",
            ));
        }
        let head = head::encode(request, cookies)?;
        let sent = self.driver.send(head, &request.body.bytes);
        let (response, stream) = sent.map_err(|error| {
            self.usable = self.driver.is_open();
            Failure::from(error).fault
        })?;
        let exchange = Exchange::new(self.received, response, stream);
        let id = exchange.id;
        self.in_flight.push(exchange);
        if let Err(fault) = self.drive() {
            // The result already reports this request's failure, so `finished` must not list the request too.
            self.finished.retain(|finished| finished.stream != id);
            return Err(fault);
        }
        Ok(id)
    }

    /// Returns the response to a request in parts, as they arrive: see [`Session::next_part`]. Call it right after
    /// [`Session::send`], for a response without a known end.
    pub fn pass_parts(&mut self, stream: StreamId) {
        if let Some(at) = self.position(stream) {
            self.in_flight[at].pass_parts();
        }
    }

    /// Parses bytes that were read. A fault ends the connection and every request in flight. [`Session::next_finished`]
    /// returns these requests like requests with a response.
    pub fn on_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.received += bytes.len() as u64;
        if let Err(fault) = self.driver.feed(bytes) {
            self.fail(&fault);
            return Err(fault);
        }
        self.drive()
    }

    /// Handles the end of the peer's data: requests in flight get no response.
    pub fn on_close(&mut self) {
        self.stop();
        for exchange in std::mem::take(&mut self.in_flight) {
            let detail = if exchange.has_begun() {
                format!("closed after {} bytes of the body", exchange.body_size())
            } else {
                "closed before the response".to_owned()
            };
            self.lose(&exchange, Fault::target(FaultKind::Closed, detail));
        }
    }

    /// Ends all requests in flight with `fault`. Called when the connection broke.
    pub fn fail(&mut self, fault: &Fault) {
        self.stop();
        for exchange in std::mem::take(&mut self.in_flight) {
            self.lose(&exchange, fault.clone());
        }
    }

    fn stop(&mut self) {
        self.driver.stop();
        self.usable = false;
    }

    fn lose(&mut self, exchange: &Exchange, fault: Fault) {
        self.finished.push_back(Finished {
            stream: exchange.id,
            outcome: Err(fault),
            repeatable: if self.answered > 0 && exchange.received_before == self.received {
                Repeatable::IfIdempotent
            } else {
                Repeatable::No
            },
        });
    }

    /// The earliest part of a response that was not returned yet. Take all parts before [`Session::next_finished`], which
    /// returns the end of their response, whose body is then empty.
    pub fn next_part(&mut self) -> Option<Part> {
        self.parts.pop_front()
    }

    /// The earliest finished request that was not returned yet.
    pub fn next_finished(&mut self) -> Option<Finished> {
        self.finished.pop_front()
    }

    /// Resets a stream whose response is no longer needed. Neither [`Session::next_part`] nor [`Session::next_finished`]
    /// returns it then. Does nothing if the request has finished and was already returned.
    pub fn cancel(&mut self, stream: StreamId) -> Result<(), Fault> {
        self.finished.retain(|finished| finished.stream != stream);
        self.parts.retain(|part| part.stream != stream);
        if let Some(at) = self.position(stream) {
            self.in_flight.swap_remove(at).cancel();
            self.drive()?;
        }
        Ok(())
    }

    /// Whether at least the head of the response has arrived. Also true for a request that finished without a response
    /// and was not returned yet.
    pub fn has_begun(&self, stream: StreamId) -> bool {
        match self.position(stream) {
            Some(at) => self.in_flight[at].has_begun(),
            None => self
                .finished
                .iter()
                .any(|finished| finished.stream == stream),
        }
    }

    fn position(&self, stream: StreamId) -> Option<usize> {
        self.in_flight
            .iter()
            .position(|exchange| exchange.id == stream)
    }

    /// The number of complete responses.
    pub fn answered(&self) -> u32 {
        self.answered
    }

    /// The number of requests without a complete response.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The number of requests that may be sent now: the peer's limit minus the requests in flight. The limit is 1 until
    /// the peer's settings arrive. The result stays 0 once [`Session::is_usable`] is false.
    pub fn may_send(&self) -> usize {
        if !self.is_usable() {
            return 0;
        }
        let limit = self.driver.stream_limit();
        limit.saturating_sub(self.in_flight.len())
    }

    /// Whether neither side has announced the end of the connection. If false, requests in flight may still get a
    /// response.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// Passes all unsent bytes to `send`, and returns their number.
    pub fn take_output(
        &mut self,
        send: impl FnOnce(&[u8]) -> Result<(), Fault>,
    ) -> Result<u64, Fault> {
        let bytes = self.driver.pipe().take();
        if bytes.is_empty() {
            return Ok(0);
        }
        let sent = send(&bytes);
        let count = bytes.len() as u64;
        self.driver.pipe().reuse(bytes);
        sent.map(|()| count)
    }

    /// Runs `h2` until it has nothing more to do. This may take several rounds, because reading response data may make
    /// `h2` send a window update.
    fn drive(&mut self) -> Result<(), Fault> {
        loop {
            let ran = self.driver.run();
            self.collect();
            if let Err(failure) = ran {
                self.fail(&failure.fault);
                return Err(failure.fault);
            }
            if !self.driver.is_woken() {
                self.usable = self.driver.is_open();
                return Ok(());
            }
        }
    }

    fn collect(&mut self) {
        let mut at = 0;
        while let Some(exchange) = self.in_flight.get_mut(at) {
            let Poll::Ready(end) = exchange.poll(self.bodies, &mut self.parts) else {
                at += 1;
                continue;
            };
            self.answered += u32::from(end.is_ok());
            let repeatable = match &end {
                Err(failure) if failure.unprocessed => Repeatable::Yes,
                _ => Repeatable::No,
            };
            self.finished.push_back(Finished {
                stream: exchange.id,
                outcome: end.map_err(|failure| failure.fault),
                repeatable,
            });
            // Dropping the exchange resets what is left of the stream, such as a request body that the peer did not
            // wait for.
            self.in_flight.remove(at);
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("in_flight", &self.in_flight.len())
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}
