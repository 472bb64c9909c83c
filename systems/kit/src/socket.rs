//! A WebSocket whose client cannot fill the memory with control frames.

use std::ops::{Deref, DerefMut};

use axum::extract::ws::{Message, WebSocket};
use futures_util::SinkExt;

/// A WebSocket that reads nothing more while the answer to a ping waits to be written: one who sends pings and
/// takes no answers fills the system's buffers, and then waits. Without it every answer would be kept in memory.
#[derive(Debug)]
pub struct Socket {
    inner: WebSocket,
    /// The answer to a ping may still be unwritten.
    owes: bool,
}

impl Socket {
    /// Takes over a WebSocket that was opened.
    #[must_use]
    pub fn new(inner: WebSocket) -> Self {
        Self { inner, owes: false }
    }

    /// The next message; `None` when the connection is over. Cancelling it loses nothing.
    pub async fn recv(&mut self) -> Option<Result<Message, axum::Error>> {
        if self.owes {
            if let Err(error) = self.inner.flush().await {
                return Some(Err(error));
            }
            self.owes = false;
        }
        let message = self.inner.recv().await;
        self.owes = matches!(message, Some(Ok(Message::Ping(_))));
        message
    }
}

impl Deref for Socket {
    type Target = WebSocket;

    fn deref(&self) -> &WebSocket {
        &self.inner
    }
}

impl DerefMut for Socket {
    fn deref_mut(&mut self) -> &mut WebSocket {
        &mut self.inner
    }
}
