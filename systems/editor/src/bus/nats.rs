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

use super::news::News;
use super::parts::{Came, Parts, split};
use super::{Bus, Letter, Receive};
use crate::store::{Budget, Held};

/// Subjects: `headcount.editor.room.NAME` in base64, and one where nodes say that they live.
const ROOMS: &str = "headcount.editor.room";
const NODES: &str = "headcount.editor.nodes";
/// Letters that may wait for the connection; what is too much is asked for again. So many may wait in the
/// client on top.
const QUEUE: usize = 65_536;
const CLIENT_QUEUE: usize = 128;
/// What NATS takes for the head of a message.
const NATS_HEAD: usize = 1024;
/// Rooms in doubt that are asked for with one beat.
const ASKED: usize = 1000;
/// How often a node says that it lives, and after how long without it is gone.
const BEAT: Duration = Duration::from_secs(1);
const GONE: Duration = Duration::from_secs(5);

/// Why there is no bus.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// NATS is not there, or refuses.
    #[error("cannot connect to NATS at {0}: {1}")]
    Connect(String, async_nats::ConnectError),
    /// NATS refuses a subscription.
    #[error("cannot listen to NATS: {0}")]
    Listen(async_nats::SubscribeError),
    /// The system has no random numbers to give.
    #[error("cannot number this node: {0}")]
    Number(std::io::Error),
}

/// A letter that waits for the connection.
type Posted = (Arc<str>, Letter, Held);

/// Rooms of which something may be lost.
#[derive(Clone, Debug, Default)]
struct Doubts(Arc<Mutex<HashSet<Arc<str>>>>);

impl Doubts {
    fn add(&self, room: Arc<str>) {
        self.rooms().insert(room);
    }

    /// Some of them, which are then in doubt no more.
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

/// When other nodes were heard last; `None`: they are gone.
#[derive(Clone, Debug, Default)]
struct Others(Arc<Mutex<HashMap<u64, Option<Instant>>>>);

impl Others {
    /// A node lives. One that was silent and is not dead was missed, though NATS may never have been away: who
    /// is there is asked.
    fn heard<R: Receive>(&self, node: u64, receiver: &Arc<R>) {
        let before = self.nodes().insert(node, Some(Instant::now()));
        if before == Some(None) {
            receiver.missed();
        }
    }

    /// Those that are gone now.
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

/// The other nodes, over NATS.
pub(crate) struct Nats<R> {
    node: u64,
    client: Client,
    letters: mpsc::Sender<Posted>,
    budget: Budget,
    doubts: Doubts,
    others: Others,
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
    /// Begins to listen, for `receiver`.
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
            // The first is the connection that there is already.
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
            tracing::debug!(%room, "the other nodes are told later: too much waits");
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
                    return tracing::error!(%error, room = %name, "cannot hear the other nodes");
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

/// Sends what is posted, one letter after the other.
async fn send(client: Client, node: u64, mut posted: mpsc::Receiver<Posted>, doubts: Doubts) {
    let mut number = 0;
    while let Some((room, letter, _held)) = posted.recv().await {
        number += 1;
        let most = client.max_payload().saturating_sub(NATS_HEAD);
        for part in split(&letter, node, number, most) {
            if let Err(error) = client.publish(subject(&room), part).await {
                tracing::warn!(%error, %room, "the other nodes are told later");
                doubts.add(room);
                break;
            }
        }
    }
}

/// Where NATS is, without what is secret in it.
fn address(url: &str) -> String {
    let (_, address) = url.rsplit_once('@').unwrap_or(("", url));
    address.to_owned()
}

fn subject(room: &str) -> String {
    format!("{ROOMS}.{}", BASE64_URL_SAFE_NO_PAD.encode(room))
}

/// Says that this node lives, notices others that do not any more, and asks about rooms in doubt.
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
                    // While there is no connection, and what is sent waits, this does not.
                    if timeout(BEAT, client.publish(NODES, beat)).await.is_err() {
                        tracing::debug!("the other nodes were not told that this one lives");
                    }
                    for room in doubts.take() {
                        receiver.doubtful(&room);
                    }
                    for gone in others.gone(now) {
                        tracing::warn!(node = gone, "a node is gone");
                        receiver.node_gone(gone);
                    }
                }
            }
        }
    });
    Ok(())
}
