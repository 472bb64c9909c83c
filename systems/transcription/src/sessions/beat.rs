use std::iter::from_fn;
use std::sync::Arc;
use std::time::Duration;

use redis::RedisResult;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

use super::shared::{Ended, Shared};
use super::table::Sessions;

/// A lease is renewed several times before it ends.
const BEATS: u32 = 10;
/// Number of beats between two writes of all sessions, whose figures change all the time.
const COMPARED: u32 = 5;
/// Maximum number of ended sessions per request.
const BATCH: usize = 1000;

/// Keeps the shared table up to date: renews the lease of this worker, writes its sessions, and ends those that other
/// nodes want to end.
#[derive(Debug)]
pub(crate) struct Beat {
    shared: Arc<Shared>,
    sessions: Arc<Sessions>,
    ended: mpsc::Receiver<Ended>,
    /// Time for which an ended session can be recovered.
    recovery: Duration,
    /// Sessions that ended, until Redis has confirmed their removal.
    leaving: Vec<Ended>,
    /// Sessions that this worker was asked to end, and has ended.
    acknowledged: Vec<String>,
}

impl Beat {
    pub(crate) fn new(
        (shared, ended): (Arc<Shared>, mpsc::Receiver<Ended>),
        sessions: Arc<Sessions>,
        recovery: Duration,
    ) -> Self {
        Self {
            shared,
            sessions,
            ended,
            recovery,
            leaving: Vec::new(),
            acknowledged: Vec::new(),
        }
    }

    /// Works until the sender is dropped. Then the worker leaves the table.
    pub(crate) async fn run(mut self, mut stopped: oneshot::Receiver<()>) {
        let mut ticks = interval(self.shared.lease / BEATS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut number = 0;
        loop {
            let done = tokio::select! {
                _ = ticks.tick() => {
                    number += 1;
                    self.renew(number % COMPARED == 0).await
                }
                Some(first) = self.ended.recv(), if self.leaving.is_empty() => {
                    self.leaving.push(first);
                    self.forget().await
                }
                _ = &mut stopped => break,
            };
            if let Err(error) = done {
                tracing::warn!(%error, "the session table cannot be updated; retrying");
            }
        }
        let left = async {
            while !(self.ended.is_empty() && self.leaving.is_empty()) {
                self.forget().await?;
            }
            self.shared.leave().await
        };
        if let Err(error) = left.await {
            tracing::warn!(%error, "this worker stays in the session table until its lease ends");
        }
    }

    async fn renew(&mut self, compare: bool) -> RedisResult<()> {
        let renewed = self.shared.renew(&self.acknowledged).await?;
        for id in &renewed.ends {
            self.sessions.end(id);
        }
        self.acknowledged = renewed.ends;
        if !renewed.lasts {
            self.sessions.join(&self.shared).await?;
        }
        if compare || !renewed.lasts {
            self.shared.compare(|| self.sessions.live()).await?;
        }
        if self.leaving.is_empty() {
            return Ok(());
        }
        self.forget().await
    }

    /// Removes the sessions that ended.
    async fn forget(&mut self) -> RedisResult<()> {
        let room = BATCH.saturating_sub(self.leaving.len());
        let more = from_fn(|| self.ended.try_recv().ok());
        self.leaving.extend(more.take(room));
        self.shared.remove(&self.leaving, self.recovery).await?;
        self.leaving.clear();
        Ok(())
    }
}
