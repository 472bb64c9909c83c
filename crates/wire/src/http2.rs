//! HTTP/2 (RFC 9113): many requests in flight on one connection, with responses in any order.
//!
//! The `h2` crate implements frames, HPACK and flow control. This module polls `h2` by hand over two buffers in memory,
//! after each batch of bytes and each request. This needs no async runtime. `h2` reads a clock only to forget the
//! streams that this side has reset some time ago.

mod connection;
mod driver;
mod exchange;
mod failure;
mod flag;
mod head;
mod part;
mod pipe;
mod session;
mod stream_id;

pub use connection::Connection;
pub use part::{Content, Part};
pub use session::{Finished, Repeatable, Session};
pub use stream_id::StreamId;

use model::Fault;

use crate::http::Request;

/// Checks that a request can be sent over HTTP/2. If not, it is a fault of the script.
pub fn check(request: &Request) -> Result<(), Fault> {
    head::encode(request, None).map(|_| ())
}

#[cfg(test)]
mod tests;
