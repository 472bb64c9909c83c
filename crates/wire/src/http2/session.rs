use std::collections::VecDeque;
use std::fmt;
use std::task::Poll;

use model::{Fault, FaultKind};

use super::driver::Driver;
use super::exchange::{Bodies, Exchange};
use super::failure::Failure;
use super::head;
use crate::http::{Request, Response};

/// One request on its connection; never used twice there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(u32);

/// How a request ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Which.
    pub stream: StreamId,
    /// The answer, whole, or why there is none.
    pub outcome: Result<Response, Fault>,
    /// Whether it may be sent once more, on a new connection.
    pub repeatable: Repeatable,
}

/// Whether a request that got no response may be sent once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeatable {
    /// The peer may have acted on it, or it was answered.
    No,
    /// The peer closed a connection that had served others before one byte more came: most likely it did nothing about
    /// the request, but that is not certain (RFC 9110 §9.2.2).
    IfIdempotent,
    /// The peer says that it did nothing about the request (RFC 9113 §8.7).
    Yes,
}

/// The client's side of one connection, without the connection: bytes in, bytes out.
pub struct Session {
    driver: Driver,
    in_flight: Vec<Exchange>,
    finished: VecDeque<Finished>,
    bodies: Bodies,
    received: u64,
    answered: bool,
    usable: bool,
}

impl Session {
    /// Refuses bodies, compressed or not, above `body_limit` bytes.
    pub fn new(body_limit: usize) -> Result<Self, Fault> {
        Ok(Self {
            driver: Driver::new()?,
            in_flight: Vec::new(),
            finished: VecDeque::new(),
            bodies: Bodies {
                limit: body_limit,
                discarded: false,
            },
            received: 0,
            answered: false,
            usable: true,
        })
    }

    /// From now on bodies are counted and not kept, nor the heads of answers below 400.
    pub fn discard(&mut self) {
        self.bodies.discarded = true;
    }

    /// Puts a request on its way; what is to be sent comes out of [`Session::take_output`]. At most
    /// [`Session::may_send`] at a time. `cookies` is the jar's `Cookie` value. Connection, Keep-Alive, Upgrade and
    /// the like, which HTTP/2 does not have, are left out; a Host becomes the authority.
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
        let id = StreamId(response.stream_id().as_u32());
        let exchange = Exchange::new(id, self.received, response, stream);
        self.in_flight.push(exchange);
        if let Err(fault) = self.drive() {
            self.finished.retain(|finished| finished.stream != id);
            return Err(fault);
        }
        Ok(id)
    }

    /// Bytes came. A fault ends the connection and with it every request in flight: [`Session::next_finished`]
    /// hands them out, as it does the answers.
    pub fn on_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.received += bytes.len() as u64;
        if let Err(fault) = self.driver.feed(bytes) {
            self.fail(&fault);
            return Err(fault);
        }
        self.drive()
    }

    /// The peer sent its last byte: what is in flight gets no answer.
    pub fn on_close(&mut self) {
        self.stop();
        for exchange in std::mem::take(&mut self.in_flight) {
            let detail = if exchange.has_begun() {
                format!("closed after {} bytes of the body", exchange.body_size())
            } else {
                "closed before the answer".to_owned()
            };
            self.lose(&exchange, Fault::target(FaultKind::Closed, detail));
        }
    }

    /// The connection broke: what is in flight ends with `fault`.
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
            repeatable: if self.answered && exchange.received_before == self.received {
                Repeatable::IfIdempotent
            } else {
                Repeatable::No
            },
        });
    }

    /// The request that ended longest ago and was not handed out yet.
    pub fn next_finished(&mut self) -> Option<Finished> {
        self.finished.pop_front()
    }

    /// Resets a stream whose answer nobody wants any more; it is never handed out. Nothing when it has ended already.
    pub fn cancel(&mut self, stream: StreamId) -> Result<(), Fault> {
        self.finished.retain(|finished| finished.stream != stream);
        if let Some(at) = self.position(stream) {
            self.in_flight.swap_remove(at).cancel();
            self.drive()?;
        }
        Ok(())
    }

    /// The head of the answer has come, or all of it.
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

    /// Requests without a whole answer.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// How many requests may be sent now: what the peer allows at a time without those in flight. One until its
    /// settings have come; 0 for ever once [`Session::is_usable`] is false.
    pub fn may_send(&self) -> usize {
        if !self.is_usable() {
            return 0;
        }
        let limit = self.driver.stream_limit();
        limit.saturating_sub(self.in_flight.len())
    }

    /// Neither side wants to leave. When false, what is in flight may still be answered.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// Hands the bytes to be sent to `send` and says how many they were.
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

    /// Until `h2` has nothing more to do: an answer taken out may let it send a window update.
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
            let Poll::Ready(end) = exchange.poll(self.bodies) else {
                at += 1;
                continue;
            };
            self.answered |= end.is_ok();
            let repeatable = match &end {
                Err(failure) if failure.unprocessed => Repeatable::Yes,
                _ => Repeatable::No,
            };
            self.finished.push_back(Finished {
                stream: exchange.id,
                outcome: end.map_err(|failure| failure.fault),
                repeatable,
            });
            // What is left of the stream, such as a body that the peer did not wait for, is reset with it.
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
