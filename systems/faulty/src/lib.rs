//! Faulty: a server that misbehaves on request and logs its actions, to judge the verdicts of a load tester.
//!
//! `POST /cells` opens a port with one fault. The port serves HTTP/1.1, HTTP/2, WebSocket and Socket.IO. Many ports may
//! be open at the same time. `DELETE /cells/N` closes one and returns its log: every request, every message and its
//! copies, with the times.
//!
//! It shares no code with the load tester, and judges nothing.

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
