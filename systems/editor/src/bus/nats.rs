use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, SubscribeError};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, interval, timeout};

use super::letter::Letter;
use super::news::News;
use super::parts::{Came, Parts, split};
use super::{Bus, Receive};
use crate::store::{Budget, Held};

/// Prefix of the subjects for rooms. The full subject is `headcount.editor.room.NAME`, with the room's name in base64.
/// Heartbeats have a separate subject.
const ROOMS: &str = "headcount.editor.room";
const NODES: &str = "headcount.editor.nodes";
/// Maximum number of queued messages. If a room's message does not fit, the room is resynchronized later. The NATS
/// client buffers up to `CLIENT_QUEUE` further messages.
const QUEUE: usize = 65_536;
const CLIENT_QUEUE: usize = 128;
/// Part of the maximum payload that is reserved for NATS's own header, in bytes.
const NATS_HEAD: usize = 1024;
/// Maximum number of rooms resynchronized per heartbeat.
const ASKED: usize = 1000;
/// Interval between heartbeats, and the time without a heartbeat after which a node is considered gone.
const BEAT: Duration = Duration::from_secs(1);
const GONE: Duration = Duration::from_secs(5);

/// Reason why the bus could not start.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// NATS cannot be reached, or refuses the connection.
    #[error("cannot connect to NATS at {0}: {1}")]
    Connect(String, async_nats::ConnectError),
    /// NATS refuses a subscription.
    #[error("cannot subscribe to the other nodes over NATS: {0}")]
    Listen(async_nats::SubscribeError),
    /// The operating system provides no random numbers.
    #[error("cannot choose a random number for this node: {0}")]
    Number(std::io::Error),
}

/// A queued message: its room, its bytes, and their reservation in the memory budget.
type Posted = (Arc<str>, Letter, Held);

/// Rooms that must be resynchronized, because news about them may have been lost.
#[derive(Clone, Debug, Default)]
struct Doubts(Arc<Mutex<HashSet<Arc<str>>>>);

impl Doubts {
    fn add(&self, room: Arc<str>) {
        self.rooms().insert(room);
    }

    /// Removes and returns at most `ASKED` rooms.
    fn take(&self) -> Vec<Arc<str>> {
        let mut rooms = self.rooms();
        let some: Vec<_> = rooms.iter().take(ASKED).cloned().collect();
        for room in &some {
            rooms.remove(room);
        }
        some
    }

    fn rooms(&self) -> MutexGuard<'_, HashSet<Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time of each other node's last heartbeat, keyed by node number. `None` after the node was reported as gone.
#[derive(Clone, Debug, Default)]
struct Others(Arc<Mutex<HashMap<u64, Option<Instant>>>>);

impl Others {
    /// Records a heartbeat. If a node returns after it was reported as gone, either side may have missed news, even
    /// without losing its connection to NATS. All rooms are then resynchronized.
    fn heard<R: Receive>(&self, node: u64, receiver: &Arc<R>) {
        let before = self.nodes().insert(node, Some(Instant::now()));
        if before == Some(None) {
            receiver.missed();
        }
    }

    /// Marks the nodes that have been silent for too long as gone, and returns them.
    fn gone(&self, now: Instant) -> Vec<u64> {
        let mut nodes = self.nodes();
        let silent = nodes.iter_mut().filter(|(_, heard)| {
            heard.is_some_and(|heard| now.saturating_duration_since(heard) > GONE)
        });
        silent
            .map(|(node, heard)| {
                *heard = None;
                *node
            })
            .collect()
    }

    fn nodes(&self) -> MutexGuard<'_, HashMap<u64, Option<Instant>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bus to the other nodes over NATS.
pub(crate) struct Nats<R> {
    node: u64,
    client: Client,
    letters: mpsc::Sender<Posted>,
    budget: Budget,
    doubts: Doubts,
    others: Others,
    receiver: Weak<R>,
    /// The tasks that read the news of each room.
    rooms: Mutex<HashMap<Arc<str>, AbortHandle>>,
}

impl<R> std::fmt::Debug for Nats<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nats")
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

/// A connection to NATS that has no subscriptions yet.
#[derive(Debug)]
pub(crate) struct Line {
    client: Client,
    events: mpsc::Receiver<()>,
}

impl Line {
    /// Connects. If the connection is lost, the client reconnects by itself, without a limit on attempts.
    pub(crate) async fn open(url: &str) -> Result<Self, BusError> {
        let (tell, events) = mpsc::channel(1);
        let told = move |event: Event| {
            let tell = tell.clone();
            async move {
                match event {
                    Event::Connected | Event::SlowConsumer(_) => {
                        // One pending notification is enough for any number of events, so ignore a full channel.
                        let _ = tell.try_send(());
                    }
                    other => tracing::warn!(%other, "NATS"),
                }
            }
        };
        let options = ConnectOptions::new()
            .no_echo()
            .client_capacity(CLIENT_QUEUE)
            .event_callback(told);
        let client = options.connect(url).await;
        let client = client.map_err(|error| BusError::Connect(address(url), error))?;
        Ok(Self { client, events })
    }
}

impl<R: Receive> Nats<R> {
    /// Subscribes to heartbeats and starts the background tasks for `receiver`.
    pub(crate) async fn start(line: Line, receiver: &Weak<R>) -> Result<Self, BusError> {
        let number = kit::token::Token::random().map_err(BusError::Number)?;
        let number = number.to_string();
        let node = u64::from_str_radix(&number[..16], 16).unwrap_or_default();
        let Line { client, mut events } = line;
        let (letters, posted) = mpsc::channel(QUEUE);
        let doubts = Doubts::default();
        tokio::spawn(send(client.clone(), node, posted, doubts.clone()));
        let heard = receiver.clone();
        tokio::spawn(async move {
            // The first event is the connection that is already open; only later ones are reconnections.
            events.recv().await;
            while events.recv().await.is_some() {
                let Some(receiver) = heard.upgrade() else {
                    return;
                };
                receiver.missed();
            }
        });
        let others = Others::default();
        let watching = watch_nodes(
            &client,
            node,
            receiver.clone(),
            doubts.clone(),
            others.clone(),
        );
        watching.await.map_err(BusError::Listen)?;
        Ok(Self {
            node,
            client,
            letters,
            budget: Budget::default(),
            doubts,
            others,
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
        let (room, letter): (Arc<str>, _) = (room.into(), news.write(self.node));
        let held = self.budget.hold(letter.len()).ok();
        let sent = held.is_some_and(|held| {
            let posted = (room.clone(), letter, held);
            self.letters.try_send(posted).is_ok()
        });
        if !sent {
            tracing::debug!(%room, "the queue to the other nodes is full; the room will be resynchronized");
            self.doubts.add(room);
        }
    }

    fn enter(&self, room: &Arc<str>) {
        let (client, receiver, name) = (self.client.clone(), self.receiver.clone(), room.clone());
        let (doubts, others) = (self.doubts.clone(), self.others.clone());
        let task = tokio::spawn(async move {
            let mut heard = match client.subscribe(subject(&name)).await {
                Ok(heard) => heard,
                Err(error) => {
                    return tracing::error!(%error, room = %name, "cannot subscribe to the room's news from other nodes");
                }
            };
            if let Some(receiver) = receiver.upgrade() {
                receiver.heard(&name);
            }
            let mut parts = Parts::default();
            while let Some(message) = heard.next().await {
                let Some(receiver) = receiver.upgrade() else {
                    return;
                };
                match parts.take(message.payload) {
                    Came::Letter(letter) => {
                        if let Some((node, news)) = News::read(&letter) {
                            others.heard(node, &receiver);
                            receiver.receive(&name, node, news);
                        }
                    }
                    Came::Part => {}
                    Came::Broken => doubts.add(name.clone()),
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

    fn doubt(&self, room: &Arc<str>) {
        self.doubts.add(room.clone());
    }
}

/// Sends the queued messages in order. Splits a message that exceeds the maximum payload.
async fn send(client: Client, node: u64, mut posted: mpsc::Receiver<Posted>, doubts: Doubts) {
    let mut number = 0;
    while let Some((room, letter, _held)) = posted.recv().await {
        number += 1;
        let most = client.max_payload().saturating_sub(NATS_HEAD);
        for part in split(&letter, node, number, most) {
            if let Err(error) = client.publish(subject(&room), part).await {
                tracing::warn!(%error, %room, "cannot send to the other nodes; the room will be resynchronized");
                doubts.add(room);
                break;
            }
        }
    }
}

/// The address in a NATS URL, without credentials.
fn address(url: &str) -> String {
    let (_, address) = url.rsplit_once('@').unwrap_or(("", url));
    address.to_owned()
}

fn subject(room: &str) -> String {
    format!("{ROOMS}.{}", BASE64_URL_SAFE_NO_PAD.encode(room))
}

/// Sends heartbeats, detects nodes that are gone, and starts resynchronizations.
async fn watch_nodes<R: Receive>(
    client: &Client,
    node: u64,
    receiver: Weak<R>,
    doubts: Doubts,
    others: Others,
) -> Result<(), SubscribeError> {
    let mut heard = client.subscribe(NODES).await?;
    let client = client.clone();
    tokio::spawn(async move {
        let mut beats = interval(BEAT);
        loop {
            tokio::select! {
                message = heard.next() => {
                    let Some(message) = message else { return };
                    if let Some(number) = message.payload.first_chunk() {
                        let Some(receiver) = receiver.upgrade() else { return };
                        others.heard(u64::from_le_bytes(*number), &receiver);
                    }
                }
                now = beats.tick() => {
                    let Some(receiver) = receiver.upgrade() else { return };
                    let beat = Letter::copy_from_slice(&node.to_le_bytes());
                    // Without a connection, publishing waits for space in the buffer. Do not wait longer than one
                    // heartbeat interval.
                    if timeout(BEAT, client.publish(NODES, beat)).await.is_err() {
                        tracing::debug!("a heartbeat could not be sent in time");
                    }
                    for room in doubts.take() {
                        receiver.doubtful(&room);
                    }
                    for gone in others.gone(now) {
                        tracing::warn!(node = gone, "a node is silent and counts as gone");
                        receiver.node_gone(gone);
                    }
                }
            }
        }
    });
    Ok(())
}
