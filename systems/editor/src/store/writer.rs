use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::log::Log;
use super::pack;
use crate::metrics::Counters;
use crate::room::merge_rows;

/// Updates that may wait to be saved; then edits are refused.
const QUEUE: usize = 65_536;
/// Updates saved together.
const BATCH: usize = 8192;
/// Nobody waits for the answer: so long more are gathered.
const GATHERED: Duration = Duration::from_millis(100);
/// Before what the store refused is tried again.
const AGAIN: Duration = Duration::from_millis(500);
/// A room with so many rows gets one instead.
const ROWS: usize = 1000;

/// Called once what came before is saved.
pub(crate) type Done = Box<dyn FnOnce() + Send>;

enum Job {
    /// An update of a room.
    Save(Arc<str>, Vec<u8>, Option<Done>),
    /// Tell when everything before is saved.
    Tell(Done),
    /// A room was found with so many rows.
    Found(Arc<str>, usize),
}

/// Hands updates to the one task that saves.
#[derive(Clone)]
pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
}

/// The store does not keep up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind;

/// A place in the queue.
pub(crate) struct Slot<'a>(mpsc::Permit<'a, Job>);

impl Slot<'_> {
    /// Saves an update; `done` is called then.
    pub(crate) fn save(self, room: &Arc<str>, update: Vec<u8>, done: Option<Done>) {
        self.0.send(Job::Save(room.clone(), update, done));
    }

    /// Calls `done` once everything before is saved.
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
    /// Starts the task. It ends, everything saved, when the last writer is dropped.
    pub(crate) fn start(log: Log, counters: Counters) -> (Self, JoinHandle<()>) {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let task = Task {
            log,
            counters,
            queue,
            rows: HashMap::new(),
        };
        (Self { jobs }, tokio::spawn(task.run()))
    }

    /// A place for one update, to be had before the update is made: what cannot be saved is not done.
    pub(crate) fn slot(&self) -> Result<Slot<'_>, Behind> {
        self.jobs.try_reserve().map(Slot).map_err(|_| Behind)
    }

    /// A room was loaded and has so many rows; where that is many, they become one.
    pub(crate) fn found(&self, room: &Arc<str>, rows: usize) {
        // Where even this does not fit, the next load says it again.
        let _ = self.jobs.try_send(Job::Found(room.clone(), rows));
    }
}

struct Task {
    log: Log,
    counters: Counters,
    queue: mpsc::Receiver<Job>,
    /// Rows of each room, as far as they are known.
    rows: HashMap<Arc<str>, usize>,
}

impl Task {
    async fn run(mut self) {
        let mut jobs = Vec::new();
        while self.queue.recv_many(&mut jobs, BATCH).await > 0 {
            let gathered = Instant::now() + GATHERED;
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
        let mut awaited = Vec::new();
        let mut updates = 0;
        for job in jobs.drain(..) {
            match job {
                Job::Save(room, update, done) => {
                    let place = *places.entry(room.clone()).or_insert_with(|| {
                        rows.push((room, Vec::new()));
                        rows.len() - 1
                    });
                    if let Some((_, row)) = rows.get_mut(place) {
                        pack::push(row, &update);
                    }
                    updates += 1;
                    awaited.extend(done);
                }
                Job::Tell(done) => awaited.push(done),
                Job::Found(room, rows) => {
                    self.rows.insert(room, rows);
                }
            }
        }
        while !rows.is_empty() {
            match self.log.append(&rows).await {
                Ok(()) => break,
                Err(error) => {
                    tracing::error!(%error, rooms = rows.len(), "nothing is acknowledged until this is saved");
                    self.counters.store_failures.inc();
                    sleep(AGAIN).await;
                }
            }
        }
        self.counters.saved.inc_by(updates);
        for (room, _) in rows {
            *self.rows.entry(room).or_default() += 1;
        }
        for done in awaited {
            done();
        }
    }

    async fn compact(&mut self) {
        let long = self.rows.iter().filter(|(_, rows)| **rows >= ROWS);
        let long: Vec<Arc<str>> = long.map(|(room, _)| room.clone()).take(1).collect();
        for room in long {
            self.rows.remove(&room);
            match self.log.compact(&room, merge_rows).await {
                Ok(()) => {
                    self.counters.compactions.inc();
                }
                Err(error) => tracing::warn!(%error, %room, "the log of a room stays long"),
            }
        }
    }
}

impl Job {
    fn is_awaited(&self) -> bool {
        matches!(self, Self::Save(_, _, Some(_)) | Self::Tell(_))
    }
}
