use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use sqlx::{Sqlite, SqlitePool, Transaction};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::message::{Message, MessageId};
use crate::metrics::Counters;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::Registration;
use crate::time::Time;

/// Maximum number of writes that wait.
const QUEUE: usize = 65_536;
/// Maximum number of writes in one transaction.
const BATCH: usize = 4096;
/// Pause before a failed transaction is repeated.
const AGAIN: Duration = Duration::from_millis(500);

/// A message for identities that must not lose it.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) message: Arc<Message>,
    pub(crate) identities: Arc<Vec<Name>>,
    pub(crate) until: Time,
}

#[derive(Debug)]
enum Job {
    Put(Name, Arc<Registration>),
    Remove(Name, Name, u64),
    Keep(Kept),
    /// The receiver acknowledged messages.
    Settle(Name, Name, Arc<[MessageId]>),
    /// An identity unregistered: forget its messages.
    Clear(Name, Name),
    /// Forget messages whose retention ended.
    Forget(Time),
}

type Queued = (Job, oneshot::Sender<()>);

/// Queues writes for the task.
#[derive(Debug)]
pub(super) struct Writer {
    /// `None` after the end.
    jobs: Mutex<Option<mpsc::Sender<Queued>>>,
}

/// A reserved place in the queue. Reserve it before changing the view, because a change that cannot be saved must not be
/// made.
#[derive(Debug)]
pub(crate) struct Slot(mpsc::OwnedPermit<Queued>);

/// Resolves when a write is on disk.
#[derive(Debug)]
#[must_use = "an acknowledgement must wait for the write"]
pub(crate) struct Saved(oneshot::Receiver<()>);

impl Saved {
    pub(crate) async fn wait(self) -> Result<(), Refusal> {
        self.0.await.map_err(|_| Refusal::Stopping)
    }
}

impl Slot {
    pub(crate) fn put(self, namespace: &Name, registration: &Arc<Registration>) -> Saved {
        self.send(Job::Put(namespace.clone(), registration.clone()))
    }

    pub(crate) fn remove(self, namespace: &Name, identity: &Name, generation: u64) -> Saved {
        self.send(Job::Remove(namespace.clone(), identity.clone(), generation))
    }

    pub(crate) fn keep(self, kept: Kept) -> Saved {
        self.send(Job::Keep(kept))
    }

    pub(crate) fn settle(self, namespace: &Name, identity: &Name, ids: &[MessageId]) -> Saved {
        self.send(Job::Settle(namespace.clone(), identity.clone(), ids.into()))
    }

    pub(crate) fn clear(self, namespace: &Name, identity: &Name) -> Saved {
        self.send(Job::Clear(namespace.clone(), identity.clone()))
    }

    pub(crate) fn forget(self, now: Time) -> Saved {
        self.send(Job::Forget(now))
    }

    fn send(self, job: Job) -> Saved {
        let (done, saved) = oneshot::channel();
        self.0.send((job, done));
        Saved(saved)
    }
}

impl Writer {
    /// Starts the task. It ends after [`Self::finish`], when everything is saved.
    pub(super) fn start(pool: SqlitePool, counters: Counters) -> (Self, JoinHandle<()>) {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let task = tokio::spawn(run(pool, queue, counters));
        let jobs = Mutex::new(Some(jobs));
        (Self { jobs }, task)
    }

    pub(super) fn slot(&self) -> Result<Slot, Refusal> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = jobs.clone().ok_or(Refusal::Stopping)?;
        jobs.try_reserve_owned()
            .map(Slot)
            .map_err(|_| Refusal::Busy)
    }

    /// Accepts no further writes.
    pub(super) fn finish(&self) {
        *self.jobs.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

async fn run(pool: SqlitePool, mut queue: mpsc::Receiver<Queued>, counters: Counters) {
    let mut queued = Vec::new();
    while queue.recv_many(&mut queued, BATCH).await > 0 {
        let (jobs, waiting): (Vec<_>, Vec<_>) = queued.drain(..).unzip();
        let batch = Batch::of(jobs);
        while let Err(error) = batch.commit(&pool).await {
            tracing::error!(%error, "cannot save; retrying, and not acknowledging changes until saving succeeds");
            counters.store_failures.inc();
            sleep(AGAIN).await;
        }
        for done in waiting {
            // The caller may have gone away.
            let _ = done.send(());
        }
    }
    pool.close().await;
}

/// The writes of one transaction, grouped so that each kind is one statement.
#[derive(Debug, Default)]
struct Batch {
    /// The last write of each identity.
    registrations: HashMap<(Name, Name), Last>,
    kept: Vec<Kept>,
    settled: Vec<(Name, Name, Arc<[MessageId]>)>,
    cleared: Vec<(Name, Name)>,
    forget: Option<Time>,
}

#[derive(Debug)]
enum Last {
    Put(Arc<Registration>),
    Remove(u64),
}

impl Batch {
    fn of(jobs: Vec<Job>) -> Self {
        let mut batch = Self::default();
        for job in jobs {
            match job {
                Job::Put(namespace, registration) => {
                    let key = (namespace, registration.identity.clone());
                    batch.registrations.insert(key, Last::Put(registration));
                }
                Job::Remove(namespace, identity, generation) => {
                    let key = (namespace, identity);
                    batch.registrations.insert(key, Last::Remove(generation));
                }
                Job::Keep(kept) => batch.kept.push(kept),
                Job::Settle(namespace, identity, ids) => {
                    batch.settled.push((namespace, identity, ids));
                }
                Job::Clear(namespace, identity) => batch.cleared.push((namespace, identity)),
                Job::Forget(now) => batch.forget = Some(now),
            }
        }
        batch
    }

    async fn commit(&self, pool: &SqlitePool) -> Result<(), sqlx::Error> {
        let mut transaction = pool.begin().await?;
        self.write_registrations(&mut transaction).await?;
        // An identity that unregisters and registers again at once may lose a message that was sent in between, but never
        // gets a message that was sent before.
        let cleared: Vec<_> = self
            .cleared
            .iter()
            .map(|key| json!([key.0, key.1]))
            .collect();
        let clear = "DELETE FROM pending WHERE (namespace, identity) IN \
                     (SELECT value->>0, value->>1 FROM json_each(?))";
        execute(&mut transaction, clear, cleared).await?;
        self.write_messages(&mut transaction).await?;
        transaction.commit().await
    }

    async fn write_registrations(
        &self,
        transaction: &mut Transaction<'_, Sqlite>,
    ) -> Result<(), sqlx::Error> {
        let (mut puts, mut removes) = (Vec::new(), Vec::new());
        for ((namespace, identity), last) in &self.registrations {
            match last {
                Last::Put(registration) => {
                    let (begin, end) = (registration.registered_at, registration.expires_at);
                    let metadata = json!(*registration.metadata).to_string();
                    puts.push(json!([
                        namespace,
                        identity,
                        registration.generation,
                        begin.millis(),
                        end.map(Time::millis),
                        registration.ttl_seconds,
                        metadata
                    ]));
                }
                Last::Remove(generation) => removes.push(json!([namespace, identity, generation])),
            }
        }
        let put = "INSERT OR REPLACE INTO registrations \
                   SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6 FROM json_each(?)";
        execute(transaction, put, puts).await?;
        let remove = "DELETE FROM registrations WHERE (namespace, identity) IN \
                      (SELECT value->>0, value->>1 FROM json_each(?1)) \
                      AND generation <= (SELECT value->>2 FROM json_each(?1) \
                      WHERE value->>0 = namespace AND value->>1 = identity)";
        execute(transaction, remove, removes).await
    }

    async fn write_messages(
        &self,
        transaction: &mut Transaction<'_, Sqlite>,
    ) -> Result<(), sqlx::Error> {
        let mut pending = Vec::new();
        for kept in &self.kept {
            let message = &kept.message;
            let (namespace, id) = (message.namespace.as_str(), message.id.as_str());
            sqlx::query("INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)")
                .bind(namespace)
                .bind(id)
                .bind(&*message.content_type)
                .bind(message.mode.word())
                .bind(message.sent_at.millis())
                .bind(kept.until.millis())
                .bind(&message.payload[..])
                .execute(&mut **transaction)
                .await?;
            let identities = kept.identities.iter();
            pending.extend(identities.map(|identity| json!([namespace, identity, id])));
        }
        let keep = "INSERT OR IGNORE INTO pending \
                    SELECT value->>0, value->>1, value->>2 FROM json_each(?)";
        execute(transaction, keep, pending).await?;
        let settled = self.settled.iter().flat_map(|(space, name, ids)| {
            ids.iter().map(move |id| json!([space, name, id.as_str()]))
        });
        let settle = "DELETE FROM pending WHERE (namespace, identity, message) IN \
                      (SELECT value->>0, value->>1, value->>2 FROM json_each(?))";
        execute(transaction, settle, settled.collect()).await?;
        if let Some(now) = self.forget {
            // The ids of messages that are delivered exactly once are remembered until their retention ends.
            for statement in [
                "DELETE FROM messages WHERE delivery = 'at_least_once' AND NOT EXISTS \
                 (SELECT 1 FROM pending p WHERE p.namespace = messages.namespace AND p.message = id) AND ?1 > sent_at",
                "DELETE FROM pending WHERE (namespace, message) IN \
                 (SELECT namespace, id FROM messages WHERE kept_until <= ?)",
                "DELETE FROM messages WHERE kept_until <= ?",
            ] {
                let forget = sqlx::query(statement).bind(now.millis());
                forget.execute(&mut **transaction).await?;
            }
        }
        Ok(())
    }
}

/// Executes a statement on rows that it reads as one JSON array, which is much faster than a statement per row.
async fn execute(
    transaction: &mut Transaction<'_, Sqlite>,
    statement: &'static str,
    rows: Vec<serde_json::Value>,
) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows = serde_json::Value::Array(rows).to_string();
    let query = sqlx::query(statement).bind(rows);
    query.execute(&mut **transaction).await?;
    Ok(())
}
