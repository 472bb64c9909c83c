use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, interval};

use super::news::News;
use super::{Bus, Letter, Receive};

/// Subjects: `headcount.editor.room.NAME` in base64, and one where nodes say that they live.
const ROOMS: &str = "headcount.editor.room";
const NODES: &str = "headcount.editor.nodes";
/// Letters that may wait for the connection; what is too much is asked for again.
const QUEUE: usize = 65_536;
/// How often a node says that it lives, and after how long without it is gone.
const BEAT: Duration = Duration::from_secs(1);
const GONE: Duration = Duration::from_secs(5);

/// Why there is no bus.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// NATS is not there, or refuses.
    #[error("cannot connect to NATS: {0}")]
    Connect(#[from] async_nats::ConnectError),
    /// NATS refuses a subscription.
    #[error("cannot listen to NATS: {0}")]
    Listen(#[from] async_nats::SubscribeError),
    /// The system has no random numbers to give.
    #[error("cannot number this node: {0}")]
    Number(#[from] std::io::Error),
}

/// The other nodes, over NATS.
pub(crate) struct Nats<R> {
    node: u64,
    client: Client,
    letters: mpsc::Sender<(String, Letter)>,
    receiver: Weak<R>,
    /// Who reads what is said of each room.
    rooms: Mutex<HashMap<Arc<str>, AbortHandle>>,
}

impl<R> std::fmt::Debug for Nats<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nats")
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

/// A connection to NATS that nobody listens on yet.
#[derive(Debug)]
pub(crate) struct Line {
    client: Client,
    events: mpsc::Receiver<()>,
}

impl Line {
    /// Connects; what is lost later is connected again without end.
    pub(crate) async fn open(url: &str) -> Result<Self, BusError> {
        let (tell, events) = mpsc::channel(1);
        let told = move |event: Event| {
            let tell = tell.clone();
            async move {
                match event {
                    Event::Connected | Event::SlowConsumer(_) => {
                        // One that waits says it for all.
                        let _ = tell.try_send(());
                    }
                    other => tracing::warn!(%other, "NATS"),
                }
            }
        };
        let options = ConnectOptions::new().no_echo().event_callback(told);
        let client = options.connect(url).await?;
        Ok(Self { client, events })
    }
}

impl<R: Receive> Nats<R> {
    /// Begins to listen, for `receiver`.
    pub(crate) async fn start(line: Line, receiver: &Weak<R>) -> Result<Self, BusError> {
        let number = kit::token::Token::random()?.to_string();
        let node = u64::from_str_radix(&number[..16], 16).unwrap_or_default();
        let Line { client, mut events } = line;
        let (letters, mut waiting) = mpsc::channel::<(String, Letter)>(QUEUE);
        let sender = client.clone();
        tokio::spawn(async move {
            while let Some((subject, letter)) = waiting.recv().await {
                if let Err(error) = sender.publish(subject, letter).await {
                    tracing::warn!(%error, "the other nodes were not told");
                }
            }
        });
        let heard = receiver.clone();
        tokio::spawn(async move {
            // The first is the connection that there is already.
            events.recv().await;
            while events.recv().await.is_some() {
                let Some(receiver) = heard.upgrade() else {
                    return;
                };
                receiver.missed();
            }
        });
        watch_nodes(&client, node, receiver.clone()).await?;
        Ok(Self {
            node,
            client,
            letters,
            receiver: receiver.clone(),
            rooms: Mutex::default(),
        })
    }
}

impl<R: Receive> Bus for Nats<R> {
    fn is_shared(&self) -> bool {
        true
    }

    fn tell(&self, room: &str, news: &News<'_>) {
        let letter = (subject(room), news.write(self.node));
        if self.letters.try_send(letter).is_err() {
            tracing::warn!(room, "the other nodes were not told: too much waits");
        }
    }

    fn enter(&self, room: &Arc<str>) {
        let (client, receiver, name) = (self.client.clone(), self.receiver.clone(), room.clone());
        let task = tokio::spawn(async move {
            let mut heard = match client.subscribe(subject(&name)).await {
                Ok(heard) => heard,
                Err(error) => {
                    return tracing::error!(%error, room = %name, "cannot hear the other nodes");
                }
            };
            if let Some(receiver) = receiver.upgrade() {
                receiver.heard(&name);
            }
            while let Some(message) = heard.next().await {
                let Some(receiver) = receiver.upgrade() else {
                    return;
                };
                if let Some((node, news)) = News::read(&message.payload) {
                    receiver.receive(&name, node, news);
                }
            }
        });
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(older) = rooms.insert(room.clone(), task.abort_handle()) {
            older.abort();
        }
    }

    fn leave(&self, room: &str) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = rooms.remove(room) {
            task.abort();
        }
    }
}

fn subject(room: &str) -> String {
    format!("{ROOMS}.{}", BASE64_URL_SAFE_NO_PAD.encode(room))
}

/// Says that this node lives, and notices others that do not any more.
async fn watch_nodes<R: Receive>(
    client: &Client,
    node: u64,
    receiver: Weak<R>,
) -> Result<(), BusError> {
    let mut heard = client.subscribe(NODES).await?;
    let client = client.clone();
    tokio::spawn(async move {
        let mut others: HashMap<u64, Instant> = HashMap::new();
        let mut beats = interval(BEAT);
        loop {
            tokio::select! {
                message = heard.next() => {
                    let Some(message) = message else { return };
                    if let Some(number) = message.payload.first_chunk() {
                        others.insert(u64::from_le_bytes(*number), Instant::now());
                    }
                }
                now = beats.tick() => {
                    let Some(receiver) = receiver.upgrade() else { return };
                    let beat = Letter::copy_from_slice(&node.to_le_bytes());
                    if let Err(error) = client.publish(NODES, beat).await {
                        tracing::debug!(%error, "the other nodes were not told that this one lives");
                    }
                    for (gone, _) in others.extract_if(|_, heard| now.saturating_duration_since(*heard) > GONE) {
                        tracing::warn!(node = gone, "a node is gone");
                        receiver.node_gone(gone);
                    }
                }
            }
        }
    });
    Ok(())
}
