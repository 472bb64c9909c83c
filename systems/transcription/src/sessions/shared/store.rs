use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use clap::Args;
use kit::secret::Secret;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisResult, Script};
use tokio::sync::mpsc;

use super::keys::Keys;
use super::record::Shown;
use crate::sessions::view::Past;

/// Time limit for a response of Redis.
const PATIENCE: Duration = Duration::from_secs(2);
/// Attempts to connect again before a request fails. Later requests try again.
const ATTEMPTS: usize = 2;
const LONGEST_PAUSE: Duration = Duration::from_millis(300);
/// Maximum number of ended sessions that wait to be removed from Redis. The next comparison removes the others.
const ENDED: usize = 10_000;

/// The session table that several workers share.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Several workers")]
pub struct SharedConfig {
    /// URL of Redis, for one session table over several workers and nodes [default: each worker has its own]
    #[arg(
        long,
        value_name = "URL",
        env = "ASR_REDIS_URL",
        hide_env_values = true
    )]
    pub redis: Option<Secret>,
    /// Prefix of all keys in Redis
    #[arg(
        long,
        value_name = "TEXT",
        env = "ASR_REDIS_PREFIX",
        default_value = "asr"
    )]
    pub redis_prefix: String,
    /// Maximum number of sessions of all workers that share a table
    #[arg(long, value_name = "N", env = "ASR_MAX_GLOBAL_SESSIONS", default_value_t = 2000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_global_sessions: u32,
    /// Time after which the sessions of a worker that crashed are removed, in seconds
    #[arg(long, value_name = "SECONDS", env = "ASR_WORKER_LEASE_SECONDS", default_value_t = 10.0,
          value_parser = crate::limits::positive)]
    pub worker_lease: f64,
}

impl SharedConfig {
    /// Whether Redis can be reached by this URL. Not a parser of the option: its errors would show the URL, which may
    /// contain a password.
    pub(crate) fn has_valid_url(&self) -> bool {
        let url = self.redis.as_ref();
        url.is_none_or(|url| Client::open(url.reveal()).is_ok())
    }
}

/// Whether a session may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    Admitted,
    Full,
    /// Redis does not respond.
    Unknown,
}

/// A session that ended, and its figures if it can be recovered.
pub(crate) type Ended = (String, Option<Past>);

/// The shared session table, as one worker uses it.
pub(crate) struct Shared {
    link: ConnectionManager,
    keys: Keys,
    worker: String,
    /// Time for which the worker is known to live.
    pub(crate) lease: Duration,
    limit: u32,
    admit: Script,
    beat: Script,
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
    /// Connects to Redis. `None` if none is configured. Ended sessions arrive at the receiver.
    pub(crate) async fn open(
        config: &SharedConfig,
        worker: &str,
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
            worker: worker.to_owned(),
            lease: Duration::from_secs_f64(config.worker_lease),
            limit: config.max_global_sessions,
            admit: Script::new(include_str!("../../../lua/admit.lua")),
            beat: Script::new(include_str!("../../../lua/beat.lua")),
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
        let mut invocation = self.admit.key(&self.keys.leases);
        invocation
            .arg(&self.keys.sessions)
            .arg(&self.worker)
            .arg(id)
            .arg(shown.write())
            .arg(self.limit)
            .arg(self.lease_ms());
        match invocation.invoke_async(&mut self.link.clone()).await {
            Ok(1) => Admission::Admitted,
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
        let mut count = 0;
        for worker in self.workers().await? {
            let mut length = redis::cmd("HLEN");
            length.arg(self.keys.sessions_of(&worker));
            count += length.query_async::<u64>(&mut self.link.clone()).await?;
        }
        Ok(count)
    }

    /// The sessions of the other workers.
    pub(crate) async fn others(&self) -> RedisResult<Vec<Shown>> {
        let mut found = Vec::new();
        for worker in self.workers().await? {
            if worker == self.worker {
                continue;
            }
            let mut values = redis::cmd("HVALS");
            values.arg(self.keys.sessions_of(&worker));
            let texts: Vec<String> = values.query_async(&mut self.link.clone()).await?;
            found.extend(texts.iter().filter_map(|text| Shown::read(text)));
        }
        Ok(found)
    }

    /// Asks the worker of a session to end it. Returns what is known of the session, or `None` if no other worker has it.
    pub(crate) async fn end(&self, id: &str) -> RedisResult<Option<Shown>> {
        for worker in self.workers().await? {
            if worker == self.worker {
                continue;
            }
            let mut get = redis::cmd("HGET");
            get.arg(self.keys.sessions_of(&worker)).arg(id);
            let text: Option<String> = get.query_async(&mut self.link.clone()).await?;
            if let Some(shown) = text.as_deref().and_then(Shown::read) {
                let mut add = redis::pipe();
                let ends = self.keys.ends_of(&worker);
                add.cmd("SADD").arg(&ends).arg(id).ignore();
                add.cmd("PEXPIRE").arg(&ends).arg(self.lease_ms()).ignore();
                add.query_async::<()>(&mut self.link.clone()).await?;
                return Ok(Some(shown));
            }
        }
        Ok(None)
    }

    /// Takes the figures of a session that lost its connection to another worker, or ends it there.
    pub(crate) async fn recover(&self, id: &str) -> RedisResult<Option<Past>> {
        let mut take = redis::cmd("GETDEL");
        take.arg(self.keys.past(id));
        let text: Option<String> = take.query_async(&mut self.link.clone()).await?;
        if let Some(past) = text.and_then(|text| serde_json::from_str(&text).ok()) {
            return Ok(Some(past));
        }
        Ok(self.end(id).await?.map(|shown| shown.past))
    }

    /// Writes the sessions of this worker, and removes those that it no longer has. `live` is called after the stored
    /// ones are known: each session is live here before it is stored.
    pub(crate) async fn compare(
        &self,
        live: impl FnOnce() -> HashMap<String, Shown> + Send,
    ) -> RedisResult<()> {
        let own = self.keys.sessions_of(&self.worker);
        let mut stored = redis::cmd("HKEYS");
        stored.arg(&own);
        let stored: Vec<String> = stored.query_async(&mut self.link.clone()).await?;
        let live = live();
        let mut changes = redis::pipe();
        for id in stored.iter().filter(|id| !live.contains_key(*id)) {
            changes.cmd("HDEL").arg(&own).arg(id).ignore();
        }
        for (id, shown) in &live {
            changes
                .cmd("HSET")
                .arg(&own)
                .arg(id)
                .arg(shown.write())
                .ignore();
        }
        changes.query_async(&mut self.link.clone()).await
    }

    /// Renews the lease of this worker. Returns the sessions that other nodes want to end.
    pub(crate) async fn renew(&self) -> RedisResult<Vec<String>> {
        let mut invocation = self.beat.key(&self.keys.leases);
        invocation
            .key(self.keys.ends_of(&self.worker))
            .arg(&self.keys.sessions)
            .arg(&self.worker)
            .arg(self.lease_ms());
        let (removed, ends): (u64, Vec<String>) =
            invocation.invoke_async(&mut self.link.clone()).await?;
        if removed > 0 {
            tracing::info!(removed, "sessions of ended workers removed");
        }
        Ok(ends)
    }

    /// Removes sessions that ended. Those with figures can be recovered for the given time.
    pub(crate) async fn remove(&self, ended: &[Ended], recovery: Duration) -> RedisResult<()> {
        let own = self.keys.sessions_of(&self.worker);
        let mut changes = redis::pipe();
        for (id, past) in ended {
            changes.cmd("HDEL").arg(&own).arg(id).ignore();
            let Some(past) = past else {
                continue;
            };
            let text = serde_json::to_string(past).unwrap_or_default();
            let ms = u64::try_from(recovery.as_millis()).unwrap_or(u64::MAX);
            let key = self.keys.past(id);
            changes
                .cmd("SET")
                .arg(key)
                .arg(text)
                .arg("PX")
                .arg(ms)
                .ignore();
        }
        changes.query_async(&mut self.link.clone()).await
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

    fn lease_ms(&self) -> u64 {
        u64::try_from(self.lease.as_millis()).unwrap_or(u64::MAX)
    }
}
