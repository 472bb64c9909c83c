//! Tests the truth server from outside, with the standard library's sockets for HTTP and tungstenite for WebSocket. The
//! only code of the server that the tests use is `start`.
//!
//! No response may be early. The limits on lateness are loose, because the machine may be busy.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

mod breaks;
mod client;
mod flaws;
mod rooms;
mod slow;
mod threads;
mod timing;
