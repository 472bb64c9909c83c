//! Reading stored messages in their order, also after a restart of the NATS server.

use std::time::Duration;

use async_nats::Message;
use async_nats::jetstream::consumer::push::{Config, Messages};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use futures_util::StreamExt as _;
use tokio::time::sleep;

use crate::error::FleetError;
use crate::nats::Link;

/// The server shows that it is there after this time without a message. After twice this time without it, the reader is created again.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// Pause between two attempts to be a reader again.
const PAUSE: Duration = Duration::from_millis(100);

/// The messages on some subjects, from the first one.
pub(crate) struct Inbox {
    link: Link,
    filter: String,
    /// The reader on the server. It is temporary: after a restart, the server does not know it.
    messages: Option<Messages>,
    /// Number of messages from this reader.
    delivered: u64,
    /// Number of the last message within the stream.
    last: u64,
}

impl Inbox {
    /// Begins to read. `filter` is a subject, possibly with wildcards.
    pub(crate) async fn open(link: &Link, filter: String) -> Result<Self, FleetError> {
        let mut inbox = Self {
            link: link.clone(),
            filter,
            messages: None,
            delivered: 0,
            last: 0,
        };
        let read = inbox.read_on().await;
        read.map_err(FleetError::nats("read the messages of the run"))?;
        Ok(inbox)
    }

    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> Message {
        loop {
            let Some(messages) = &mut self.messages else {
                if self.read_on().await.is_err() {
                    sleep(PAUSE).await; // the server is not ready yet
                }
                continue;
            };
            let message = messages.next().await;
            let message = message.and_then(Result::ok);
            match message.filter(|message| self.follows(message)) {
                Some(message) => return message.message,
                None => self.messages = None,
            }
        }
    }

    /// Whether the reader has missed no message before this one.
    fn follows(&mut self, message: &async_nats::jetstream::Message) -> bool {
        let Ok(info) = message.info() else {
            return false;
        };
        self.delivered += 1;
        let follows = info.consumer_sequence == self.delivered;
        if follows {
            self.last = info.stream_sequence;
        }
        follows
    }

    /// Creates a reader that begins after the last message.
    async fn read_on(&mut self) -> Result<(), String> {
        let stream = self.link.runs().await.map_err(|why| why.to_string())?;
        let config = Config {
            deliver_subject: self.link.client.new_inbox(),
            filter_subject: self.filter.clone(),
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: self.last + 1,
            },
            ack_policy: AckPolicy::None,
            idle_heartbeat: HEARTBEAT,
            ..Config::default()
        };
        let consumer = stream.create_consumer(config).await;
        let consumer = consumer.map_err(|why| why.to_string())?;
        let messages = consumer.messages().await;
        self.messages = Some(messages.map_err(|why| why.to_string())?);
        self.delivered = 0;
        Ok(())
    }
}
