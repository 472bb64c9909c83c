use std::collections::HashMap;
use std::iter::from_fn;
use std::sync::Arc;
use std::time::Duration;

use redis::RedisResult;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

use super::shared::{Ended, Shared, Shown};
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
    pub(crate) shared: Arc<Shared>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) ended: mpsc::Receiver<Ended>,
    /// Time for which an ended session can be recovered.
    pub(crate) recovery: Duration,
}

impl Beat {
    /// Works until the sender is dropped. Then the worker leaves the table.
    pub(crate) async fn run(mut self, mut stopped: oneshot::Receiver<()>) {
        let mut ticks = interval(self.shared.lease / BEATS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut number = 0;
        loop {
            let done = tokio::select! {
                _ = ticks.tick() => {
                    number += 1;
                    self.renew(number % COMPARED == 1).await
                }
                Some(first) = self.ended.recv() => self.forget(Some(first)).await,
                _ = &mut stopped => break,
            };
            if let Err(error) = done {
                tracing::warn!(%error, "the session table cannot be updated; retrying");
            }
        }
        let left = async {
            while !self.ended.is_empty() {
                self.forget(None).await?;
            }
            self.shared.leave().await
        };
        if let Err(error) = left.await {
            tracing::warn!(%error, "this worker stays in the session table until its lease ends");
        }
    }

    async fn renew(&self, compare: bool) -> RedisResult<()> {
        for id in self.shared.renew().await? {
            self.sessions.end(&id);
        }
        if compare {
            self.shared.compare(|| self.live()).await?;
        }
        Ok(())
    }

    fn live(&self) -> HashMap<String, Shown> {
        let live = self.sessions.live();
        let shown = live.iter().map(|one| (one.id.to_string(), Shown::of(one)));
        shown.collect()
    }

    /// Removes the sessions that ended.
    async fn forget(&mut self, first: Option<Ended>) -> RedisResult<()> {
        let more = from_fn(|| self.ended.try_recv().ok()).take(BATCH);
        let batch: Vec<Ended> = first.into_iter().chain(more).collect();
        if batch.is_empty() {
            return Ok(());
        }
        self.shared.remove(&batch, self.recovery).await
    }
}
