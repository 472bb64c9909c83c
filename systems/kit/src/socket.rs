//! A WebSocket whose client cannot fill memory with control frames.

use std::ops::{Deref, DerefMut};

use axum::extract::ws::{Message, WebSocket};
use futures_util::SinkExt;

/// A WebSocket that does not read while a pong is waiting to be written. A client that sends pings without reading
/// fills the kernel's buffers and must then wait. Otherwise all pongs would pile up in memory.
#[derive(Debug)]
pub struct Socket {
    inner: WebSocket,
    /// Whether a pong may still be unwritten.
    owes: bool,
}

impl Socket {
    /// Takes over an open WebSocket.
    #[must_use]
    pub fn new(inner: WebSocket) -> Self {
        Self { inner, owes: false }
    }

    /// The next message. `None` if the connection has ended. Cancel safe.
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
