//! A WebSocket whose client can neither fill memory with control frames nor keep other clients waiting.

use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::task::Poll;

use axum::extract::ws::{Message, WebSocket};
use futures_util::{SinkExt, StreamExt};
use tokio::task::yield_now;

/// Number of messages that are taken in one go before other tasks run. Some clients send without pause, and a health check
/// waits for a turn of each.
const BURST: u8 = 16;

/// A WebSocket that does not read while a pong is waiting to be written. A client that sends pings without reading
/// fills the kernel's buffers and must then wait. Otherwise all pongs would pile up in memory.
#[derive(Debug)]
pub struct Socket {
    inner: WebSocket,
    /// Whether a pong may still be unwritten.
    owes: bool,
    /// Number of messages that were taken without waiting.
    burst: u8,
}

impl Socket {
    /// Takes over an open WebSocket.
    #[must_use]
    pub fn new(inner: WebSocket) -> Self {
        Self {
            inner,
            owes: false,
            burst: 0,
        }
    }

    /// The next message. `None` if the connection has ended. Cancel safe.
    pub async fn recv(&mut self) -> Option<Result<Message, axum::Error>> {
        if self.owes {
            if let Err(error) = self.inner.flush().await {
                return Some(Err(error));
            }
            self.owes = false;
        }
        if self.burst >= BURST {
            self.burst = 0;
            yield_now().await;
        }
        let Self { inner, burst, .. } = self;
        let message = poll_fn(|context| {
            let message = inner.poll_next_unpin(context);
            *burst = match message {
                Poll::Ready(_) => *burst + 1,
                Poll::Pending => 0,
            };
            message
        })
        .await;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::extract::WebSocketUpgrade;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::serve::bind;

    const HANDSHAKE: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    #[tokio::test]
    async fn a_client_that_sends_without_pause_is_served_in_turn_with_other_tasks() {
        const MESSAGES: usize = 4000;
        let taken = Arc::new(AtomicUsize::new(0));
        let counter = taken.clone();
        let handler = get(async move |upgrade: WebSocketUpgrade| {
            upgrade.on_upgrade(async move |socket| {
                let mut socket = Socket::new(socket);
                while let Some(Ok(_)) = socket.recv().await {
                    counter.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let listener = bind(([127, 0, 0, 1], 0).into()).unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, Router::new().route("/", handler)).await });
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(HANDSHAKE.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        client.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 101");
        // A masked text of one byte; the mask is 0.
        let message = [0x81, 0x81, 0, 0, 0, 0, b'x'];
        client.write_all(&message.repeat(MESSAGES)).await.unwrap();
        let (mut last, mut most) = (0, 0);
        while last < MESSAGES {
            yield_now().await;
            let now = taken.load(Ordering::Relaxed);
            most = most.max(now - last);
            last = now;
        }
        // The runtime interrupts a task only after 128.
        assert!(most <= usize::from(BURST), "{most} messages in one turn");
    }
}
