use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kit::fault::Faults;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::config::{Config, Limits};
use crate::line::{End, Lines};
use crate::metrics::Counters;
use crate::refusal::Refusal;
use crate::room::{self, Hall, Listener, Member, Room, Shut, State, merge};
use crate::store::{Behind, Done, Log, Writer};

/// Bytes of a room's name or a user's, at most.
pub(crate) const NAME: usize = 256;
/// A room that everybody left is kept in memory so long.
const KEPT: Duration = Duration::from_secs(10);
/// Before a document that could not be loaded is asked for again.
const AGAIN: Duration = Duration::from_secs(1);
/// What Yjs sends when there is nothing to say.
const NOTHING: [u8; 2] = [0, 0];

/// What all requests and connections share.
#[derive(Debug)]
pub(crate) struct Editor {
    pub(crate) limits: Limits,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) counters: Counters,
    pub(crate) lines: Arc<Lines>,
    hall: Hall,
    log: Log,
    writer: Writer,
    visits: AtomicU64,
}

impl Editor {
    pub(crate) fn new(config: &Config, faults: Option<Arc<Faults>>, log: Log) -> Arc<Self> {
        let counters = Counters::default();
        let limits = room::Limits {
            rooms: config.limits.max_rooms as usize,
            members: config.limits.max_members as usize,
        };
        let (writer, _) = Writer::start(log.clone(), counters.clone());
        Arc::new(Self {
            hall: Hall::new(limits, counters.clone()),
            limits: config.limits.clone(),
            faults,
            counters,
            lines: Arc::default(),
            log,
            writer,
            visits: AtomicU64::new(0),
        })
    }

    /// A number that no other visit of this process has.
    pub(crate) fn visit(&self) -> u64 {
        self.visits.fetch_add(1, Ordering::Relaxed)
    }

    /// Somebody comes into a room by Socket.IO.
    pub(crate) fn join(
        self: &Arc<Self>,
        name: &str,
        member: &Member,
    ) -> Result<Arc<Room>, Refusal> {
        let most = self.hall.limits.members;
        self.enter(name, |room| room.join(member.clone(), most, &self.counters))
    }

    /// Somebody comes into a room by Yjs.
    pub(crate) fn listen(
        self: &Arc<Self>,
        name: &str,
        listener: &Listener,
    ) -> Result<Arc<Room>, Refusal> {
        if name.is_empty() || name.len() > NAME {
            return Err(Refusal::Length("room", NAME));
        }
        let most = self.hall.limits.members;
        self.enter(name, |room| room.listen(listener.clone(), most))
    }

    fn enter(
        self: &Arc<Self>,
        name: &str,
        come: impl Fn(&Arc<Room>) -> Result<(), Shut>,
    ) -> Result<Arc<Room>, Refusal> {
        loop {
            let (room, fresh) = self.hall.enter(name).map_err(|_| Refusal::TooManyRooms)?;
            if fresh {
                tokio::spawn(self.clone().load(room.clone()));
            }
            match come(&room) {
                Ok(()) => return Ok(room),
                Err(Shut::Full) => return Err(Refusal::RoomFull),
                // It was taken out of the hall before it was closed: the next is another.
                Err(Shut::Closed) => {}
            }
        }
    }

    /// Somebody leaves a room.
    pub(crate) fn leave(self: &Arc<Self>, room: &Arc<Room>, visit: u64) {
        if room.leave(visit, &self.counters) {
            tokio::spawn(self.clone().close(room.clone()));
        }
    }

    /// A whole text takes the place of the document's. `done` is called once it is saved.
    pub(crate) fn write(
        &self,
        room: &Arc<Room>,
        state: &mut State,
        text: &str,
        done: Option<Done>,
    ) -> Result<(), Behind> {
        let slot = self.writer.slot()?;
        let update = match &state.shown {
            // Its writer could not know what Yjs clients did since.
            Some(shown) => {
                let merged = merge(shown, text, state.document.text());
                state.document.write(&merged)
            }
            None => state.document.write(text),
        };
        if let Some(update) = update {
            state.tell_listeners(&update, None, &self.counters);
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
    ) -> Result<(), End> {
        if update == NOTHING {
            return Ok(());
        }
        if state.document.len() + update.len() > 2 * self.limits.max_document as usize {
            return Err(End::Closed(1009, "the document is too large"));
        }
        let slot = self
            .writer
            .slot()
            .map_err(|Behind| End::Closed(1013, "it cannot be saved now"))?;
        room.show_soon(state, &self.counters);
        state
            .document
            .apply(&update)
            .map_err(|_| End::Closed(1003, "not an update"))?;
        state.tell_listeners(&update, Some(visit), &self.counters);
        slot.save(&room.name, update, None);
        Ok(())
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
        loop {
            match self.log.load(&room.name).await {
                Ok(rows) => {
                    room.load(&rows);
                    self.writer.found(&room.name, rows.len());
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
        self.saved().await;
        self.hall.close(&room);
    }
}
