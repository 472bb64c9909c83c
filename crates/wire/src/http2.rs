//! HTTP/2 (RFC 9113): many requests in flight on one connection, their answers in any order.
//!
//! Frames, HPACK and flow control are the `h2` crate's. It is polled by hand over two buffers in memory, after each
//! batch of bytes and each request, so that nothing here needs a runtime. `h2` reads a clock of its own for one
//! purpose: how long it remembers streams that this side has reset.

mod connection;
mod driver;
mod exchange;
mod failure;
mod flag;
mod head;
mod pipe;
mod session;

pub use connection::Connection;
pub use session::{Finished, Repeatable, Session, StreamId};

use model::Fault;

use crate::http::Request;

/// Whether a request can be sent at all; else it is the script's fault.
pub fn check(request: &Request) -> Result<(), Fault> {
    head::encode(request, None).map(|_| ())
}

#[cfg(test)]
mod tests;
