//! Sending messages that survive a restart of the NATS server: each frame is stored in a stream, and is sent again until the
//! server has confirmed it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::Context;
use bytes::Bytes;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::frames::Splitter;
use crate::nats::Link;

/// Pause between two looks at the connection, and before a refused frame is sent again.
const PAUSE: Duration = Duration::from_millis(50);

/// Messages on their way to one subject, in order.
#[derive(Debug)]
pub(crate) struct Outbox {
    queue: UnboundedSender<Vec<u8>>,
    sending: JoinHandle<()>,
}

impl Outbox {
    /// Starts to send. Call it within a runtime.
    pub(crate) fn open(link: &Link, subject: String) -> Self {
        let (queue, messages) = unbounded_channel();
        Self {
            queue,
            sending: tokio::spawn(send_all(link.clone(), subject, messages)),
        }
    }

    pub(crate) fn send(&self, message: Vec<u8>) {
        let _ = self.queue.send(message); // fails only if the runtime has ended
    }

    /// Waits until the server has all messages, up to the limit.
    pub(crate) async fn close(self, limit: Duration) {
        let Self { queue, mut sending } = self;
        drop(queue);
        if timeout(limit, &mut sending).await.is_err() {
            sending.abort();
        }
    }
}

async fn send_all(link: Link, subject: String, mut messages: UnboundedReceiver<Vec<u8>>) {
    let mut splitter = Splitter::default();
    while let Some(message) = messages.recv().await {
        for frame in splitter.frames(&message) {
            while !is_stored(&link, &subject, frame.clone()).await {
                sleep(PAUSE).await;
            }
        }
    }
}

/// Sends a frame once. The client waits 5 s for a confirmation. The reader ignores a frame that was stored twice.
async fn is_stored(link: &Link, subject: &str, frame: Bytes) -> bool {
    let statistics = link.client.statistics();
    let connects = || statistics.connects.load(Ordering::Relaxed);
    let connection = connects();
    let stored = store(&link.jetstream, subject.to_owned(), frame);
    // What was sent on a connection that is lost is possibly lost too, and nobody confirms it.
    let reconnected = async {
        while connects() == connection {
            sleep(PAUSE).await;
        }
    };
    tokio::select! {
        stored = stored => stored,
        () = reconnected => false,
    }
}

async fn store(jetstream: &Context, subject: String, frame: Bytes) -> bool {
    match jetstream.publish(subject, frame).await {
        Ok(confirmation) => confirmation.await.is_ok(),
        Err(_) => false,
    }
}
