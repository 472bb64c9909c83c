//! HTTP/1.1 servers on tokio: bind, accept, and stop without losing accepted work.
//!
//! The configuration and the limit on open files bound the number of open connections. Further connections are refused
//! at once, except for requests for health and metrics.
//!
//! A stop proceeds in this order:
//!
//! - no new connections are accepted;
//! - requests in progress get their responses, and their connections are closed;
//! - [`Server::run`] returns, at the latest when the time limit has passed;
//! - the system closes its upgraded connections (`WebSocket`s), because only the system can send their queued messages.

mod beyond;
mod connections;
mod listen;
mod outgoing;
mod protocol;
mod runtime;
mod server;

pub use connections::{Connections, Place};
pub use listen::{BACKLOG, bind, listen};
pub use runtime::{start, stop_signal};
pub use server::{BODY_LIMIT, Server};
