use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::background::in_background;
use super::budget::{Behind, Budget, Held};
use super::error::StoreError;
use super::found::Found;
use super::log::Log;
use super::pack;
use crate::metrics::Counters;

/// Maximum number of updates that wait to be saved. Further edits are refused.
const QUEUE: usize = 65_536;
/// Maximum number of updates saved together.
const BATCH: usize = 8192;
/// Time for which updates are collected if no client waits for an acknowledgement.
const GATHERED: Duration = Duration::from_millis(100);
/// Pause before a failed write is retried.
const AGAIN: Duration = Duration::from_millis(500);
/// Approximate maximum size of a row in bytes. Further updates go into the next row.
const ROW: usize = 1 << 20;
/// A log with this many rows is compacted into a single row. A log with this many bytes is also compacted, if it is at
/// least twice as large as its last single row.
const LONG_ROWS: usize = 1000;
const LONG_BYTES: usize = 4 << 20;

/// A callback for when everything queued before it is saved.
pub(crate) type Done = Box<dyn FnOnce() + Send>;

enum Job {
    /// Save an update of a room.
    Save(Arc<str>, Vec<u8>, Option<Done>, Held),
    /// Call this when everything queued before it is saved.
    Tell(Done),
    /// A room was loaded whose log has this length.
    Found(Arc<str>, Length),
    /// A room was closed.
    Forget(Arc<str>),
}

/// The known length of a room's log.
#[derive(Clone, Copy, Debug, Default)]
struct Length {
    rows: usize,
    bytes: usize,
    /// The log's size in bytes when it was last a single row. 0 if unknown.
    least: usize,
}

impl Length {
    fn of(rows: usize, bytes: usize) -> Self {
        let least = if rows == 1 { bytes } else { 0 };
        Self { rows, bytes, least }
    }

    fn is_long(self) -> bool {
        let large = self.bytes >= LONG_BYTES.max(2 * self.least);
        self.rows >= LONG_ROWS || (self.rows > 1 && large)
    }
}

/// Queues updates for the task that saves them.
#[derive(Clone)]
pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
    budget: Budget,
}

/// A reserved place in the queue.
pub(crate) struct Slot<'a>(mpsc::Permit<'a, Job>, &'a Budget);

impl Slot<'_> {
    /// Queues an update. Calls `done` when the update is saved.
    pub(crate) fn save(self, room: &Arc<str>, update: Vec<u8>, done: Option<Done>) {
        let held = self.1.hold_anyway(update.len());
        self.0.send(Job::Save(room.clone(), update, done, held));
    }

    /// Calls `done` when everything queued before this call is saved.
    pub(crate) fn tell(self, done: Done) {
        self.0.send(Job::Tell(done));
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer(..)")
    }
}

impl Writer {
    /// Starts the task. When the last writer is dropped, the task saves everything and ends.
    pub(crate) fn start(log: Log, counters: Counters) -> (Self, JoinHandle<()>) {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let task = Task {
            log,
            counters,
            queue,
            lengths: HashMap::new(),
            long: Vec::new(),
        };
        let writer = Self {
            jobs,
            budget: Budget::default(),
        };
        (writer, tokio::spawn(task.run()))
    }

    /// Reserves a place for one update. Call this before changing the document, because a change that cannot be saved
    /// must not be made.
    pub(crate) fn slot(&self) -> Result<Slot<'_>, Behind> {
        if self.budget.is_full() {
            return Err(Behind);
        }
        let permit = self.jobs.try_reserve().map_err(|_| Behind)?;
        Ok(Slot(permit, &self.budget))
    }

    /// Counts bytes that wait until they can be queued.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Held, Behind> {
        self.budget.hold(bytes)
    }

    /// Records the length of a loaded room's log. A long log is compacted.
    pub(crate) fn found(&self, room: &Arc<str>, found: &Found) {
        let length = Length::of(found.ids.len(), found.bytes);
        // If the queue is full, the next load reports the length again.
        let _ = self.jobs.try_send(Job::Found(room.clone(), length));
    }

    /// Forgets the length of a closed room's log.
    pub(crate) async fn forget(&self, room: &Arc<str>) {
        // An error means that the task has ended and no longer stores any lengths.
        let _ = self.jobs.send(Job::Forget(room.clone())).await;
    }
}

struct Task {
    log: Log,
    counters: Counters,
    queue: mpsc::Receiver<Job>,
    /// The length of each open room's log, keyed by the room's name.
    lengths: HashMap<Arc<str>, Length>,
    /// Rooms whose log must be compacted.
    long: Vec<Arc<str>>,
}

impl Task {
    async fn run(mut self) {
        let mut jobs = Vec::new();
        while self.queue.recv_many(&mut jobs, BATCH).await > 0 {
            let gathered = Instant::now() + GATHERED;
            // Do not delay a batch when a client waits for one of its updates.
            while jobs.len() < BATCH && !jobs.iter().any(Job::is_awaited) {
                let room_left = BATCH - jobs.len();
                tokio::select! {
                    more = self.queue.recv_many(&mut jobs, room_left) => if more == 0 { break },
                    () = sleep_until(gathered) => break,
                }
            }
            self.save(&mut jobs).await;
            self.compact().await;
        }
        self.log.close().await;
    }

    async fn save(&mut self, jobs: &mut Vec<Job>) {
        let mut rows: Vec<(Arc<str>, Vec<u8>)> = Vec::new();
        let mut places: HashMap<Arc<str>, usize> = HashMap::new();
        let (mut awaited, mut all_held) = (Vec::new(), Vec::new());
        for job in jobs.drain(..) {
            match job {
                Job::Save(room, update, done, held) => {
                    let place = places.entry(room.clone()).or_insert(usize::MAX);
                    if rows
                        .get(*place)
                        .is_none_or(|(_, row)| row.len() + update.len() > ROW)
                    {
                        *place = rows.len();
                        rows.push((room, Vec::new()));
                    }
                    if let Some((_, row)) = rows.get_mut(*place) {
                        pack::push(row, &update);
                    }
                    awaited.extend(done);
                    all_held.push(held);
                }
                Job::Tell(done) => awaited.push(done),
                Job::Found(room, length) => self.measure(room, length),
                Job::Forget(room) => {
                    self.lengths.remove(&room);
                }
            }
        }
        while !rows.is_empty() {
            match self.log.append(&rows).await {
                Ok(()) => break,
                Err(error) => {
                    tracing::error!(%error, rows = rows.len(), "cannot save; retrying, and not acknowledging edits \
                                                                until saving succeeds");
                    self.counters.store_failures.inc();
                    sleep(AGAIN).await;
                }
            }
        }
        self.counters.saved.inc_by(all_held.len() as u64);
        for (room, row) in rows {
            let mut length = self.lengths.get(&room).copied().unwrap_or_default();
            length.rows += 1;
            length.bytes += row.len();
            self.measure(room, length);
        }
        for done in awaited {
            done();
        }
    }

    fn measure(&mut self, room: Arc<str>, length: Length) {
        if length.is_long() && !self.long.contains(&room) {
            self.long.push(room.clone());
        }
        self.lengths.insert(room, length);
    }

    /// Compacts one log, and further logs while the queue is empty.
    async fn compact(&mut self) {
        while let Some(room) = self.long.pop() {
            match self.shorten(&room).await {
                Ok(bytes) => {
                    self.lengths.insert(room, Length::of(1, bytes));
                    self.counters.compactions.inc();
                }
                Err(error) => {
                    self.lengths.remove(&room);
                    tracing::warn!(%error, %room, "cannot compact the log of a room");
                }
            }
            if !self.queue.is_empty() {
                return;
            }
        }
    }

    /// Replaces all rows of a room with a single row. Returns that row's size in bytes.
    async fn shorten(&self, room: &Arc<str>) -> Result<usize, StoreError> {
        let found = self.log.load(room).await?;
        let broken = || StoreError::Broken(room.to_string());
        if found.broken > 0 {
            return Err(broken());
        }
        let (ids, document) = (found.ids, found.document);
        let encoded = in_background(move || document.whole()).await;
        let update = encoded.map_err(|_| broken())?;
        self.log.replace(room, &ids, &update).await?;
        Ok(update.len())
    }
}

impl Job {
    fn is_awaited(&self) -> bool {
        matches!(self, Self::Save(_, _, Some(_), _) | Self::Tell(_))
    }
}
