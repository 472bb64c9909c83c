use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisResult};
use tokio::sync::mpsc;

use super::config::SharedConfig;
use super::keys::Keys;
use super::record::Shown;
use super::scripts::Scripts;
use crate::sessions::view::Past;

/// Time limit for a response of Redis.
const PATIENCE: Duration = Duration::from_secs(2);
/// Attempts to connect again before a request fails. Later requests try again.
const ATTEMPTS: usize = 2;
const LONGEST_PAUSE: Duration = Duration::from_millis(300);
/// Maximum number of ended sessions that wait to be removed from Redis. The next comparison removes the others.
const ENDED: usize = 10_000;
/// Maximum number of sessions that a worker is asked to end at a time. The others follow with the next renewal.
const ENDS: usize = 1000;
/// Maximum number of changes in one request.
const BATCH: usize = 500;
/// Number of leases for which Redis keeps the sessions of a worker that has none. A lease that lasts keeps them.
const LEASES: u32 = 10;
/// Time for which Redis keeps a request to end a session, and the mark of a recovered one. A worker that is cut off from
/// Redis for longer does not learn of them.
const KEPT: Duration = Duration::from_hours(1);

/// Whether a session may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    Admitted,
    Full,
    /// The lease of this worker has ended: it has to join again.
    Lapsed,
    /// Redis does not respond.
    Unknown,
}

/// A session that ended, and its figures if it can be recovered.
pub(crate) type Ended = (String, Option<Past>);

/// The live sessions of a worker by their names. The records of those that are not admitted yet are `None`: Redis counts
/// them only when it admits them.
pub(crate) type Live = Vec<(String, Option<Shown>)>;

/// The result of a renewal.
#[derive(Debug)]
pub(crate) struct Renewed {
    /// Whether the lease lasts. If not, the worker has to join again.
    pub(crate) lasts: bool,
    /// Sessions that other nodes want to end. They are returned until they are acknowledged.
    pub(crate) ends: Vec<String>,
}

/// The shared session table, as one worker uses it.
pub(crate) struct Shared {
    link: ConnectionManager,
    keys: Keys,
    scripts: Scripts,
    worker: String,
    /// Time for which the worker is known to live.
    pub(crate) lease: Duration,
    limit: u32,
    ended: mpsc::Sender<Ended>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("worker", &self.worker)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// Connects to Redis. `None` if none is configured. `worker` is the name in the table, which no other process may
    /// have. Ended sessions arrive at the receiver.
    pub(crate) async fn open(
        config: &SharedConfig,
        worker: String,
    ) -> RedisResult<Option<(Self, mpsc::Receiver<Ended>)>> {
        let Some(url) = &config.redis else {
            return Ok(None);
        };
        let settings = ConnectionManagerConfig::new()
            .set_response_timeout(Some(PATIENCE))
            .set_connection_timeout(Some(PATIENCE))
            .set_number_of_retries(ATTEMPTS)
            .set_max_delay(LONGEST_PAUSE);
        let client = Client::open(url.reveal())?;
        let link = ConnectionManager::new_with_config(client, settings).await?;
        let (ended, queue) = mpsc::channel(ENDED);
        let shared = Self {
            link,
            keys: Keys::new(&config.redis_prefix),
            scripts: Scripts::new(),
            worker,
            lease: Duration::from_secs_f64(config.worker_lease),
            limit: config.max_global_sessions,
            ended,
        };
        Ok(Some((shared, queue)))
    }

    /// Maximum number of sessions of all workers.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// Counts a new session, unless all workers together have too many.
    pub(crate) async fn admit(&self, id: &str, shown: &Shown) -> Admission {
        let mut invocation = self.scripts.admit.key(&self.keys.leases);
        invocation
            .arg(&self.keys.sessions)
            .arg(&self.worker)
            .arg(id)
            .arg(shown.write())
            .arg(self.limit);
        match invocation.invoke_async(&mut self.link.clone()).await {
            Ok(1) => Admission::Admitted,
            Ok(-1) => Admission::Lapsed,
            Ok(_) => Admission::Full,
            Err(error) => {
                tracing::warn!(%error, "the session table cannot be reached");
                Admission::Unknown
            }
        }
    }

    /// Removes a session that ended. `past` are its figures if it can be recovered.
    pub(crate) fn forget(&self, id: &str, past: Option<Past>) {
        // If too many wait, the next comparison with Redis removes it.
        let _ = self.ended.try_send((id.to_owned(), past));
    }

    /// The number of sessions of all workers.
    pub(crate) async fn count(&self) -> RedisResult<u64> {
        let workers = self.workers().await?;
        if workers.is_empty() {
            return Ok(0);
        }
        let mut lengths = redis::pipe();
        for worker in workers {
            lengths.cmd("HLEN").arg(self.keys.sessions_of(&worker));
        }
        let lengths: Vec<u64> = lengths.query_async(&mut self.link.clone()).await?;
        Ok(lengths.iter().sum())
    }

    /// Up to `most` sessions of the other workers, and the number of all of them.
    pub(crate) async fn others(&self, most: usize) -> RedisResult<(Vec<Shown>, usize)> {
        // A scan can return a session twice.
        let mut found = HashMap::new();
        let mut count = 0;
        for worker in self.workers().await? {
            if worker == self.worker {
                continue;
            }
            let own = self.keys.sessions_of(&worker);
            let mut length = redis::cmd("HLEN");
            length.arg(&own);
            count += length.query_async::<usize>(&mut self.link.clone()).await?;
            let mut cursor = 0;
            while found.len() < most {
                let mut scan = redis::cmd("HSCAN");
                scan.arg(&own).arg(cursor).arg("COUNT").arg(BATCH);
                let (next, pairs): (u64, Vec<(String, String)>) =
                    scan.query_async(&mut self.link.clone()).await?;
                let read = |(id, text): (String, String)| Some((id, Shown::read(&text)?));
                found.extend(pairs.into_iter().filter_map(read));
                if next == 0 {
                    break;
                }
                cursor = next;
            }
        }
        Ok((found.into_values().take(most).collect(), count))
    }

    /// Asks the worker of a session to end it. Returns whether another worker has it.
    pub(crate) async fn end(&self, id: &str) -> RedisResult<bool> {
        let mut invocation = self.scripts.end.key(&self.keys.leases);
        invocation
            .arg(&self.keys.sessions)
            .arg(&self.keys.ends)
            .arg(&self.worker)
            .arg(id)
            .arg(millis(KEPT));
        invocation.invoke_async(&mut self.link.clone()).await
    }

    /// Takes a session for a recovery: one that lost its connection, or one that is still open, which another worker then
    /// ends. Returns `None` if it is unknown or was taken before. Otherwise returns its figures as far as Redis has them:
    /// this worker may have newer ones (`is_known`).
    pub(crate) async fn recover(
        &self,
        id: &str,
        is_known: bool,
    ) -> RedisResult<Option<Option<Past>>> {
        let mut invocation = self.scripts.recover.key(&self.keys.leases);
        invocation
            .key(format!("{}{id}", self.keys.taken))
            .key(format!("{}{id}", self.keys.past))
            .arg(&self.keys.sessions)
            .arg(&self.keys.ends)
            .arg(&self.worker)
            .arg(id)
            .arg(u8::from(is_known))
            .arg(millis(KEPT));
        let (is_taken, past, shown): (bool, String, String) =
            invocation.invoke_async(&mut self.link.clone()).await?;
        if !is_taken {
            return Ok(None);
        }
        let past = serde_json::from_str(&past).ok();
        Ok(Some(past.or_else(|| Some(Shown::read(&shown)?.past))))
    }

    /// Writes the sessions of this worker, and removes those that it no longer has. `live` is called after the stored
    /// ones are known: each session is live here before it is stored.
    pub(crate) async fn compare(&self, live: impl FnOnce() -> Live + Send) -> RedisResult<()> {
        let own = self.keys.sessions_of(&self.worker);
        let mut stored = redis::cmd("HKEYS");
        stored.arg(&own);
        let stored: Vec<String> = stored.query_async(&mut self.link.clone()).await?;
        let live = live();
        let known: HashSet<&str> = live.iter().map(|(id, _)| id.as_str()).collect();
        let gone: Vec<&String> = stored
            .iter()
            .filter(|id| !known.contains(id.as_str()))
            .collect();
        for batch in gone.chunks(BATCH) {
            let mut remove = redis::cmd("HDEL");
            remove.arg(&own).arg(batch);
            remove.query_async::<()>(&mut self.link.clone()).await?;
        }
        self.write(&live).await
    }

    /// Writes all sessions of this worker, and then begins its lease. While a lease lasts, Redis has all sessions of its
    /// worker, so that they count.
    pub(crate) async fn join(&self, live: &Live) -> RedisResult<()> {
        self.write(live).await?;
        self.beat(true, &[]).await.map(drop)
    }

    async fn write(&self, live: &Live) -> RedisResult<()> {
        let own = self.keys.sessions_of(&self.worker);
        let admitted = live
            .iter()
            .filter_map(|(id, shown)| Some((id, shown.as_ref()?.write())));
        let records: Vec<(&String, String)> = admitted.collect();
        for batch in records.chunks(BATCH) {
            let mut set = redis::pipe();
            set.cmd("HSET").arg(&own).arg(batch).ignore();
            // If this worker ends before its lease begins, nobody else removes these.
            let most = millis(LEASES * self.lease);
            set.cmd("PEXPIRE").arg(&own).arg(most).ignore();
            set.query_async::<()>(&mut self.link.clone()).await?;
        }
        Ok(())
    }

    /// Renews the lease of this worker, and acknowledges the sessions that it was asked to end.
    pub(crate) async fn renew(&self, acknowledged: &[String]) -> RedisResult<Renewed> {
        self.beat(false, acknowledged).await
    }

    async fn beat(&self, begin: bool, acknowledged: &[String]) -> RedisResult<Renewed> {
        let mut invocation = self.scripts.beat.key(&self.keys.leases);
        invocation
            .key(self.keys.sessions_of(&self.worker))
            .key(format!("{}{}", self.keys.ends, self.worker))
            .arg(&self.keys.sessions)
            .arg(&self.worker)
            .arg(millis(self.lease))
            .arg(millis(LEASES * self.lease))
            .arg(u8::from(begin))
            .arg(ENDS)
            .arg(acknowledged);
        let (lasts, removed, ends): (bool, u64, Vec<String>) =
            invocation.invoke_async(&mut self.link.clone()).await?;
        if removed > 0 {
            tracing::info!(removed, "sessions of ended workers removed");
        }
        Ok(Renewed { lasts, ends })
    }

    /// Removes sessions that ended. Those with figures can be recovered for the given time.
    pub(crate) async fn remove(&self, ended: &[Ended], recovery: Duration) -> RedisResult<()> {
        let mut invocation = self.scripts.remove.key(self.keys.sessions_of(&self.worker));
        invocation
            .arg(&self.keys.past)
            .arg(&self.keys.taken)
            .arg(millis(recovery).max(1));
        for (id, past) in ended {
            let past = past.as_ref().map(serde_json::to_string);
            let past = past.and_then(Result::ok).unwrap_or_default();
            invocation.arg(id).arg(past);
        }
        invocation.invoke_async(&mut self.link.clone()).await
    }

    /// Removes this worker and its sessions.
    pub(crate) async fn leave(&self) -> RedisResult<()> {
        let mut changes = redis::pipe();
        let lease = changes.cmd("ZREM").arg(&self.keys.leases).arg(&self.worker);
        let own = self.keys.sessions_of(&self.worker);
        lease.ignore().cmd("DEL").arg(own).ignore();
        changes.query_async(&mut self.link.clone()).await
    }

    async fn workers(&self) -> RedisResult<Vec<String>> {
        let mut range = redis::cmd("ZRANGE");
        range.arg(&self.keys.leases).arg(0).arg(-1);
        range.query_async(&mut self.link.clone()).await
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
