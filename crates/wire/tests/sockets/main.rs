//! Tests the clients over real sockets, each against a peer that shares no code with it.

#![allow(
    clippy::unwrap_used,
    reason = "in a test a failed step is the test's failure"
)]

mod arrival;
mod drive;
mod http;
mod http2;
mod nats;
mod process;
mod redis;
mod sse;
mod tcp;
mod tls;
mod websocket;
