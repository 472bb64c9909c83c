//! The truth server from outside: the standard library's sockets for HTTP, tungstenite for WebSocket. Of the server's
//! own code, the tests only use `start`.
//!
//! No response may be early. The limits on lateness are loose, because the machine may be busy.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

mod breaks;
mod client;
mod rooms;
mod slow;
mod threads;
mod timing;
