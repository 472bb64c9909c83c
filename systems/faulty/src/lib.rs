//! Faulty is a server that misbehaves on request and logs what it does. The log shows whether a load tester's report is
//! right.
//!
//! `POST /cells` opens a port with one fault. The port serves HTTP/1.1, HTTP/2, WebSocket and Socket.IO. Many ports may
//! be open at the same time. `DELETE /cells/N` closes a port and returns its log: the times of every request, message
//! and copy.
//!
//! The server shares no code with the load tester, and does not evaluate its log.

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
mod reset;
mod rooms;
mod say;
mod serve;
mod socket;
mod socketio;
mod websocket;
mod writer;

pub use config::{Config, PORT};
pub use serve::serve;
