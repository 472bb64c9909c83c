mod other_nodes;
mod running;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kit::fault::Faults;
use tokio::sync::oneshot;
use tokio::time::sleep;
use yrs::updates::encoder::Encode;

use crate::bus::{Alone, Bus, BusError, Nats, NatsLine, News};
use crate::config::{Config, Limits, RunConfig};
use crate::document::{UpdateError, merge};
use crate::line::Lines;
use crate::metrics::Counters;
use crate::recipient::{Directory, Recipient};
use crate::refusal::Refusal;
use crate::room::{self, Listener, Member, Room, RoomRegistry, Shut, State};
use crate::run::OnDemand;
use crate::store::{Behind, Done, Held, Log, Writer};

/// Maximum length of a room name or user name, in bytes.
pub(crate) const NAME: usize = 256;
/// Time for which an empty room stays in memory after its last client has left.
const KEPT: Duration = Duration::from_secs(10);
/// Time for which a new room waits for the other nodes' replies before it loads its document.
const ANSWERS: Duration = Duration::from_millis(150);
/// Pause before retrying a failed load, and between checks whether an empty room can be closed.
const AGAIN: Duration = Duration::from_secs(1);
/// The empty Yjs update, without blocks and deletions.
const NOTHING: [u8; 2] = [0, 0];

/// Reason why an update of a Yjs client was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The store's queue is full, so the update cannot be saved now.
    Behind,
    /// The document would exceed its maximum size.
    TooLarge,
    /// The bytes are not a Yjs update.
    Malformed,
    /// The update is nested too deeply.
    TooNested,
    /// Integrating the update would take too long.
    TooCostly,
    /// The document would have more blocks than its limit.
    TooManyBlocks,
}

impl From<UpdateError> for Refused {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Malformed => Self::Malformed,
            UpdateError::TooNested => Self::TooNested,
            UpdateError::TooCostly => Self::TooCostly,
            UpdateError::TooManyBlocks => Self::TooManyBlocks,
        }
    }
}

/// State that all requests and connections share.
#[derive(Debug)]
pub(crate) struct Editor {
    pub(crate) limits: Limits,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) counters: Counters,
    pub(crate) lines: Arc<Lines>,
    registry: RoomRegistry,
    log: Log,
    writer: Writer,
    bus: OnceLock<Box<dyn Bus>>,
    config: RunConfig,
    runner: OnDemand,
    /// The number of the next session. It starts at a random value, so that the session numbers of different nodes do
    /// not overlap.
    visits: AtomicU64,
}

impl Editor {
    pub(crate) fn new(
        config: &Config,
        faults: Option<Arc<Faults>>,
        log: Log,
        first: u64,
    ) -> Arc<Self> {
        let counters = Counters::default();
        let limits = room::Limits {
            rooms: config.limits.max_rooms as usize,
            members: config.limits.max_members as usize,
        };
        let (writer, _) = Writer::start(log.clone(), counters.clone());
        let lines: Arc<Lines> = Arc::default();
        let flush = lines.flush.clone();
        tokio::spawn(async move { flush.run().await });
        Arc::new(Self {
            registry: RoomRegistry::new(limits, counters.clone()),
            limits: config.limits.clone(),
            faults,
            counters,
            lines,
            log,
            writer,
            bus: OnceLock::new(),
            config: config.run.clone(),
            runner: running::runner(&config.run),
            visits: AtomicU64::new(first),
        })
    }

    /// Connects this node to the other nodes.
    pub(crate) async fn connect(self: &Arc<Self>, nats: NatsLine) -> Result<(), BusError> {
        let nats = Nats::start(nats, &Arc::downgrade(self)).await?;
        // This cannot fail, because `connect` is called only once, before the first client connects.
        let _ = self.bus.set(Box::new(nats));
        Ok(())
    }

    /// The bus to the other nodes.
    pub(crate) fn bus(&self) -> &dyn Bus {
        self.bus.get().map_or(&Alone, |bus| &**bus)
    }

    /// Returns a session number that is unique across all nodes.
    pub(crate) fn visit(&self) -> u64 {
        self.visits.fetch_add(1, Ordering::Relaxed)
    }

    /// Lets a member join a room by Socket.IO, and announces it to the other nodes.
    pub(crate) fn join(
        self: &Arc<Self>,
        name: &str,
        member: &Member,
    ) -> Result<Arc<Room>, Refusal> {
        let room = self.open(name, |room, most| {
            room.join(member.clone(), most, &self.counters)
        })?;
        self.bus().tell(
            &room.name,
            &News::Joined {
                visitor: member.who.clone(),
            },
        );
        Ok(room)
    }

    /// Admits a Socket.IO client that writes to a room without having joined it.
    pub(crate) fn admit_guest(
        self: &Arc<Self>,
        name: &str,
        visit: u64,
    ) -> Result<Arc<Room>, Refusal> {
        self.open(name, |room, most| room.admit_guest(visit, most))
    }

    /// Lets a Yjs client enter a room.
    pub(crate) fn listen(
        self: &Arc<Self>,
        name: &str,
        listener: &Listener,
    ) -> Result<Arc<Room>, Refusal> {
        self.open(name, |room, most| room.listen(listener.clone(), most))
    }

    /// Finds or creates a room. Calls `comes` with the maximum number of members to admit a client.
    fn open(
        self: &Arc<Self>,
        name: &str,
        comes: impl Fn(&Arc<Room>, usize) -> Result<(), Shut>,
    ) -> Result<Arc<Room>, Refusal> {
        if name.is_empty() || name.len() > NAME {
            return Err(Refusal::Length("roomId", NAME));
        }
        loop {
            let (room, fresh) = self
                .registry
                .enter(name)
                .map_err(|_| Refusal::TooManyRooms)?;
            if fresh {
                tokio::spawn(self.clone().load(room.clone()));
            }
            match comes(&room, self.registry.limits.members) {
                Ok(()) => return Ok(room),
                Err(Shut::Full) => return Err(Refusal::RoomFull),
                Err(Shut::Behind) => return Err(Refusal::StoreBehind),
                // A closed room is no longer in the registry, so the next attempt finds or creates another room.
                Err(Shut::Closed) => {}
            }
        }
    }

    /// Removes a session from a room. `id` is set for Socket.IO members and is sent to the other nodes.
    pub(crate) fn leave(self: &Arc<Self>, room: &Arc<Room>, visit: u64, id: Option<&str>) {
        let left = room.leave(visit, &self.counters);
        if let Some(id) = id {
            self.bus().tell(&room.name, &News::Left { id });
        }
        if let Some(gone) = left.gone {
            self.bus().tell(
                &room.name,
                &News::Presence {
                    update: &gone.encode_v1(),
                },
            );
        }
        if left.nobody {
            tokio::spawn(self.clone().close(room.clone()));
        }
    }

    /// Replaces the whole text of the document, and calls `done` when the change is saved. `packet` is the event for
    /// members on other nodes.
    pub(crate) fn write(
        &self,
        room: &Arc<Room>,
        state: &mut State,
        text: &str,
        packet: Option<&str>,
        done: Option<Done>,
    ) -> Result<(), Behind> {
        let slot = self.writer.slot()?;
        let finely = !state.listeners.is_empty();
        let update = match &state.shown {
            // The writer has not seen the edits that Yjs clients made after `shown`. Replacing the text would undo
            // these edits.
            Some(shown) => {
                let merged = merge(shown, text, state.document.text());
                state.document.write(&merged, finely)
            }
            None => state.document.write(text, finely),
        };
        if let Some(update) = update {
            state.tell_listeners(&update, None, &self.counters);
            let news = match packet {
                Some(packet) => News::Code {
                    packet,
                    update: &update,
                },
                None => News::Update { update: &update },
            };
            self.bus().tell(&room.name, &news);
            slot.save(&room.name, update, done);
        } else if let Some(done) = done {
            slot.tell(done);
        }
        Ok(())
    }

    /// Applies an update of a Yjs client.
    pub(crate) fn apply(
        &self,
        room: &Arc<Room>,
        state: &mut State,
        update: Vec<u8>,
        visit: u64,
    ) -> Result<(), Refused> {
        if update == NOTHING {
            return Ok(());
        }
        let most = self.limits.max_document as usize;
        if !state.document.has_room_for(&update, most)? {
            return Err(Refused::TooLarge);
        }
        let slot = self.writer.slot().map_err(|Behind| Refused::Behind)?;
        let before = state.wants_text().then(|| state.document.text().to_owned());
        state.document.apply(&update)?;
        if let Some(before) = before {
            room.show_soon(state, before, &self.counters);
        }
        state.tell_listeners(&update, Some(visit), &self.counters);
        self.bus()
            .tell(&room.name, &News::Update { update: &update });
        slot.save(&room.name, update, None);
        Ok(())
    }

    /// Reserves bytes of the memory budget for data that waits to be saved.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Held, Behind> {
        self.writer.hold(bytes)
    }

    /// Calls `done` when everything queued before this call is saved.
    pub(crate) fn once_saved(&self, done: Done) -> Result<(), Behind> {
        self.writer.slot()?.tell(done);
        Ok(())
    }

    /// Waits until everything queued before this call is saved.
    pub(crate) async fn saved(&self) {
        let (tell, told) = oneshot::channel();
        let done = move || {
            let _ = tell.send(());
        };
        if self.once_saved(Box::new(done)).is_ok() {
            // An error means that the writer has stopped, so nothing more will be saved.
            let _ = told.await;
        }
    }

    async fn load(self: Arc<Self>, room: Arc<Room>) {
        self.bus().enter(&room.name);
        // Subscribe before loading, so that an update saved after the load still arrives over the bus. The pause also
        // lets the other nodes list their members before the first `joined` event.
        if self.bus().is_shared() {
            sleep(ANSWERS).await;
        }
        loop {
            match self.log.load(&room.name).await {
                Ok(found) => {
                    if found.broken > 0 {
                        tracing::error!(room = %room.name, updates = found.broken, "the log contains invalid updates, which were skipped");
                    }
                    self.writer.found(&room.name, &found);
                    room.load(found.document);
                    let turns = &self.lines.turns;
                    while !turns.take(true, || room.run_waiting(&self.counters)).await {}
                    return;
                }
                Err(error) => {
                    tracing::error!(%error, room = %room.name, "cannot load the document; retrying");
                }
            }
            sleep(AGAIN).await;
        }
    }

    async fn close(self: Arc<Self>, room: Arc<Room>) {
        sleep(KEPT).await;
        // An edit may still be waiting for the document after its author has left.
        while room.waits_alone() {
            sleep(AGAIN).await;
        }
        self.saved().await;
        if self.registry.close(&room, || self.bus().leave(&room.name)) {
            self.writer.forget(&room.name).await;
        }
    }
}

impl Directory for Editor {
    fn somebody_apart_from(&self, visit: u64) -> Option<Recipient> {
        let turn = usize::try_from(self.visit()).unwrap_or_default();
        let wrong = self
            .registry
            .all()
            .into_iter()
            .filter(|room| room.state().member(visit).is_none());
        let all: Vec<Recipient> = wrong.flat_map(|room| room.state().recipients()).collect();
        let nth = turn.checked_rem(all.len())?;
        all.into_iter().nth(nth)
    }

    fn count_too_slow(&self) {
        self.counters.too_slow.inc();
    }
}
