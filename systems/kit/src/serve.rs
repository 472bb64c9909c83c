//! Serving HTTP/1.1 on tokio: bind, accept, and stop without losing what was accepted.
//!
//! As many connections may be open as the configuration and the limit of open files allow; further ones are told so
//! at once. Health and metrics are answered then, too.
//!
//! A stop has an order: no new connections; requests that were begun are answered and their
//! connections closed ([`Server::run`] returns then, or at the time limit); what was upgraded to
//! `WebSocket`s is the system's to close, because only it knows what is still queued there.

mod beyond;
mod connections;
mod listen;
mod runtime;
mod server;

pub use connections::{Connections, Place};
pub use listen::{BACKLOG, bind};
pub use runtime::{block_on, stop_signal};
pub use server::{BODY_LIMIT, Server};
