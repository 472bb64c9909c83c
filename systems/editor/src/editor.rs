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
use crate::line::Lines;
use crate::metrics::Counters;
use crate::recipient::Recipient;
use crate::refusal::Refusal;
use crate::room::{self, Listener, Member, Room, RoomRegistry, Shut, State, UpdateError, merge};
use crate::run::OnDemand;
use crate::store::{Behind, Done, Held, Log, Writer};

/// Bytes of a room's name or a user's, at most.
pub(crate) const NAME: usize = 256;
/// A room that everybody left is kept in memory so long.
const KEPT: Duration = Duration::from_secs(10);
/// So long a room waits for the answers of other nodes.
const ANSWERS: Duration = Duration::from_millis(150);
/// Before a document that could not be loaded is asked for again.
const AGAIN: Duration = Duration::from_secs(1);
/// What Yjs sends when there is nothing to say.
const NOTHING: [u8; 2] = [0, 0];

/// Why an update of a Yjs client is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It cannot be saved now.
    Behind,
    /// There is no room in the document for it.
    TooLarge,
    /// It is none.
    Malformed,
    /// It is nested too deeply.
    TooNested,
    /// Integrating it takes too long.
    TooCostly,
}

impl From<UpdateError> for Refused {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Malformed => Self::Malformed,
            UpdateError::TooNested => Self::TooNested,
            UpdateError::TooCostly => Self::TooCostly,
        }
    }
}

/// What all requests and connections share.
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
    /// Numbers of visits of this process, from a start that no other process has.
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

    /// Joins the other nodes.
    pub(crate) async fn connect(self: &Arc<Self>, nats: NatsLine) -> Result<(), BusError> {
        let nats = Nats::start(nats, &Arc::downgrade(self)).await?;
        // It is set once, before anybody can come in.
        let _ = self.bus.set(Box::new(nats));
        Ok(())
    }

    /// The way to the other nodes.
    pub(crate) fn bus(&self) -> &dyn Bus {
        self.bus.get().map_or(&Alone, |bus| &**bus)
    }

    /// A number that no other visit has, at this node or another.
    pub(crate) fn visit(&self) -> u64 {
        self.visits.fetch_add(1, Ordering::Relaxed)
    }

    /// Somebody comes into a room by Socket.IO.
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

    /// Somebody speaks into a room without having joined it.
    pub(crate) fn admit_guest(
        self: &Arc<Self>,
        name: &str,
        visit: u64,
    ) -> Result<Arc<Room>, Refusal> {
        self.open(name, |room, most| room.admit_guest(visit, most))
    }

    /// Somebody comes into a room by Yjs.
    pub(crate) fn listen(
        self: &Arc<Self>,
        name: &str,
        listener: &Listener,
    ) -> Result<Arc<Room>, Refusal> {
        self.open(name, |room, most| room.listen(listener.clone(), most))
    }

    /// Finds or opens a room for somebody who `comes` as one of so many at most.
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
                // It was taken out of the registry before it was closed: the next is another.
                Err(Shut::Closed) => {}
            }
        }
    }

    /// Somebody leaves a room; a member has an id.
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

    /// The way to somebody in a room that a member is not in; another one each time.
    pub(crate) fn somebody_apart_from(&self, visit: u64) -> Option<Recipient> {
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

    /// A whole text takes the place of the document's. `done` is called once it is saved. The `packet` is
    /// how members elsewhere get it.
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
            // Its writer could not know what Yjs clients did since.
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

    /// An update of a Yjs client.
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

    /// Counts bytes that wait until they can be saved.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Held, Behind> {
        self.writer.hold(bytes)
    }

    /// Calls `done` once everything before is saved.
    pub(crate) fn once_saved(&self, done: Done) -> Result<(), Behind> {
        self.writer.slot()?.tell(done);
        Ok(())
    }

    /// Waits until everything before is saved.
    pub(crate) async fn saved(&self) {
        let (tell, told) = oneshot::channel();
        let done = move || {
            let _ = tell.send(());
        };
        if self.once_saved(Box::new(done)).is_ok() {
            // An error means that the writer is gone, and with it what it had.
            let _ = told.await;
        }
    }

    async fn load(self: Arc<Self>, room: Arc<Room>) {
        self.bus().enter(&room.name);
        if self.bus().is_shared() {
            sleep(ANSWERS).await;
        }
        loop {
            match self.log.load(&room.name).await {
                Ok(found) => {
                    if found.broken > 0 {
                        tracing::error!(room = %room.name, updates = found.broken, "updates of the log are none");
                    }
                    self.writer.found(&room.name, &found);
                    room.load(found.document, &self.counters);
                    return;
                }
                Err(error) => {
                    tracing::error!(%error, room = %room.name, "the document is not here");
                }
            }
            sleep(AGAIN).await;
        }
    }

    async fn close(self: Arc<Self>, room: Arc<Room>) {
        sleep(KEPT).await;
        // What was written by somebody who is gone already waits for the document, too.
        while room.waits_alone() {
            sleep(AGAIN).await;
        }
        self.saved().await;
        if self.registry.close(&room, || self.bus().leave(&room.name)) {
            self.writer.forget(&room.name).await;
        }
    }
}
