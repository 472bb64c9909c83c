//! The truth server as its clients meet it: the standard library's sockets for HTTP, tungstenite for
//! WebSocket; nothing of the server's own code but `start`.
//!
//! Nothing may ever leave early. How late is asserted loosely, because the machine may be busy.

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
