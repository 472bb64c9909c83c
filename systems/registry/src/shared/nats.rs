use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use async_nats::client::traits::Publisher as _;
use async_nats::connection::State;
use async_nats::message::OutboundMessage;
use async_nats::{Client, ConnectError, ConnectOptions, Event, ServerAddr};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::name::Name;

/// Maximum number of messages that one subscription buffers. The client drops further ones, and reports that.
const SUBSCRIPTION: usize = 65_536;
/// Maximum number of commands that one connection buffers. A multicast waits while they are full.
const COMMANDS: usize = 8192;
/// Time limit for handing a message to the client.
const PATIENCE: Duration = Duration::from_secs(2);

/// Connections to NATS. All messages of one identity use the same connection, which keeps their order. A connection does
/// not receive its own messages: the inboxes here have them already.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    clients: Vec<Client>,
    prefix: String,
}

impl Lines {
    /// Opens `count` connections. Each connects again by itself, to any of the servers. After that, and after lost
    /// messages, `interrupted` gets a notice.
    pub(super) async fn open(
        urls: &[ServerAddr],
        count: u16,
        prefix: &str,
        interrupted: &mpsc::Sender<()>,
    ) -> Result<Self, ConnectError> {
        let mut clients = Vec::new();
        for _ in 0..count.max(1) {
            let interrupted = interrupted.clone();
            let options = ConnectOptions::new()
                .name("headcount-registry")
                .no_echo()
                .subscription_capacity(SUBSCRIPTION)
                .client_capacity(COMMANDS)
                .event_callback(move |event| {
                    let interrupted = interrupted.clone();
                    async move { note(&event, &interrupted) }
                });
            clients.push(options.connect(urls).await?);
        }
        Ok(Self {
            clients,
            prefix: prefix.to_owned(),
        })
    }

    /// The subject of an identity, on which other programs may subscribe too.
    pub(super) fn subject(&self, space: &Name, identity: &Name) -> String {
        format!("{}{space}/{identity}", self.prefix)
    }

    /// The connection for what instances tell each other.
    pub(super) fn control(&self) -> Option<&Client> {
        self.clients.first()
    }

    /// All connections, by their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &Client)> {
        self.clients.iter().enumerate()
    }

    /// The connection for messages from and to an identity, and its number.
    pub(super) fn of(&self, identity: &Name) -> Option<(usize, &Client)> {
        let mut hasher = DefaultHasher::new();
        identity.hash(&mut hasher);
        let count = u64::try_from(self.clients.len()).ok()?;
        let number = usize::try_from(hasher.finish().checked_rem(count)?).ok()?;
        Some((number, self.clients.get(number)?))
    }

    pub(super) fn is_connected(&self) -> bool {
        let mut clients = self.clients.iter();
        clients.all(|client| client.connection_state() == State::Connected)
    }

    /// Publishes on a connection, unless it is interrupted or stays blocked. Returns whether the client accepted the
    /// message.
    pub(super) async fn publish(client: &Client, message: OutboundMessage) -> bool {
        client.connection_state() == State::Connected
            && matches!(
                timeout(PATIENCE, client.publish_message(message)).await,
                Ok(Ok(()))
            )
    }

    /// Tells other instances something. What is lost is made good by the next comparison with Redis.
    pub(super) async fn tell(&self, subject: String, text: String) {
        if let Some(client) = self.control()
            && !matches!(
                timeout(PATIENCE, client.publish(subject, text.into())).await,
                Ok(Ok(()))
            )
        {
            tracing::debug!("a change could not be told to other instances");
        }
    }

    /// Waits until the server has processed everything that was sent before. The request has no responder, and the server
    /// says so after it has processed the earlier commands.
    pub(super) async fn settle(&self) {
        for client in &self.clients {
            let asked = client.request("headcount.registry.nobody", "".into());
            // Every outcome but a response means the same: nothing more can be done.
            drop(timeout(PATIENCE, asked).await);
        }
    }
}

fn note(event: &Event, interrupted: &mpsc::Sender<()>) {
    match event {
        Event::Connected | Event::SlowConsumer(_) => {
            // One pending notice is enough for any number of events, so ignore a full channel.
            let _ = interrupted.try_send(());
        }
        other => tracing::warn!(%other, "NATS"),
    }
}
