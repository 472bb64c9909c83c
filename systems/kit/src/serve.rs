//! HTTP/1.1 servers on tokio: bind, accept, and stop without losing accepted work.
//!
//! The configuration and the limit on open files bound the number of open connections. Further ones are refused at
//! once, but still get responses for health and metrics.
//!
//! A stop proceeds in this order:
//!
//! - no new connections are accepted;
//! - requests in progress get their responses, and their connections are closed; then, or at the time limit,
//!   [`Server::run`] returns;
//! - the system closes its upgraded connections (`WebSocket`s), because only the system has their queues.

mod beyond;
mod connections;
mod listen;
mod runtime;
mod server;

pub use connections::{Connections, Place};
pub use listen::{BACKLOG, bind};
pub use runtime::{block_on, stop_signal};
pub use server::{BODY_LIMIT, Server};
