//! Faulty: a server that misbehaves on order and logs what it did, so that the verdicts of a load tester
//! can be judged.
//!
//! `POST /cells` with an order opens a port of its own, on which HTTP/1.1, HTTP/2, WebSocket and
//! Socket.IO are served with one fault; `DELETE /cells/N` closes it and returns the log: every request,
//! every message and its copies, with the times. Many ports are served at the same time.
//!
//! It shares no code with the load tester, and never judges.

mod cell;
mod cells;
mod config;
mod flood;
mod frame;
mod http1;
mod http2;
mod log;
mod order;
mod outbox;
mod request;
mod rooms;
mod serve;
mod socketio;
mod websocket;

pub use config::{Config, PORT};
pub use serve::serve;
