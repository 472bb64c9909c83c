//! Protocol clients for an event loop that somebody else runs: TCP and TLS streams, HTTP/1.1,
//! HTTP/2, WebSocket, Socket.IO.
//!
//! The caller owns the epoll set, the timers and the read buffer. It reads with [`Stream::read`] into one
//! buffer that all connections of a thread share, takes the time, and hands the bytes to a connection,
//! which parses them where they lie. An idle connection therefore holds no buffers at all.
//!
//! This crate never blocks (but for [`resolve`]), never waits, never retries, starts no thread and knows
//! nothing of scripts, users or metrics. It reads no clock: a time stamp that it hands out is the
//! kernel's. Every failure is a [`model::Fault`].

mod arrival;
mod dial;
mod fault;
pub mod http;
pub mod http2;
mod outbox;
pub mod socketio;
mod source;
mod stream;
mod tls;
pub mod websocket;

pub use arrival::StampingOn;
pub use dial::{Endpoint, is_allowed, may_hold_credentials, resolve};
pub use source::{Loopback, Source};
pub use stream::{Phase, Read, Stream};
pub use tls::TlsSettings;
