//! Protocol clients for an event loop that the caller runs: TCP and TLS streams, HTTP/1.1, HTTP/2,
//! WebSocket, Socket.IO, server-sent events, NATS and Redis.
//!
//! The caller owns the epoll set, the timers and the read buffer. It calls [`Stream::read`] with one buffer that all
//! connections of a thread share, notes the time, and passes the bytes to a connection. The connection parses them in
//! place, so an idle connection holds no buffers at all.
//!
//! This crate never blocks (except in [`resolve`]), never waits, never retries and starts no thread.
//! It does not depend on scripts, users or metrics. It reads no clock: every timestamp that it returns
//! comes from the kernel. Every failure is a [`model::Fault`].

mod arrival;
mod crc16;
#[cfg(test)]
mod cuts;
mod decimal;
mod dial;
mod fault;
mod frames;
pub mod http;
pub mod http2;
pub mod nats;
mod outbox;
mod registry;
pub mod resp;
mod scheme;
pub mod socketio;
mod source;
pub mod sse;
mod stream;
mod tls;
mod transfer;
pub mod websocket;

pub use arrival::StampingOn;
pub use dial::{Endpoint, is_allowed, may_hold_credentials, resolve};
pub use source::{Loopback, Source};
pub use stream::{Phase, Stream};
pub use tls::{ClientCertificate, TlsSettings};
pub use transfer::Read;
