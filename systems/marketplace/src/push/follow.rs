use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kit::fault::{Kind, Turn};
use tokio::time::{Instant, timeout};

use super::StreamQuery;
use super::hub::Place;
use super::list::NotificationView;
use crate::account::hash_token;
use crate::market::Market;
use crate::refusal::Refusal;
use crate::store::notifications;
use crate::store::sessions::{self, Holder};
use crate::types::Time;

/// However quiet it is, the list and the session are looked at so often: another node may have written.
const LOOK: Duration = Duration::from_secs(5);
/// Notifications read at a time.
const ROWS: i64 = 100;

/// Follows a user's list: every notification once, in order, until the session ends.
#[derive(Debug)]
pub(super) struct Follower {
    market: Arc<Market>,
    holder: Holder,
    token_hash: String,
    place: Place,
    after: i64,
    ready: VecDeque<NotificationView>,
}

impl Follower {
    /// Begins after the named place, else after the newest notification of now.
    pub(super) async fn begin(
        market: Arc<Market>,
        token: &str,
        query: &StreamQuery,
    ) -> Result<Self, Refusal> {
        let token_hash = hash_token(token);
        let mut db = market.store.read().await?;
        let holder = sessions::holder(&mut db, &token_hash, Time::now()).await?;
        let holder = holder.ok_or(Refusal::Unauthenticated)?;
        // Before the list is read: what is written in between wakes.
        let place = market
            .hub
            .follow(&holder.id)
            .ok_or(Refusal::TooManyStreams)?;
        let after = match query.after {
            Some(after) => after,
            None => notifications::last(&mut db, &holder.id).await?,
        };
        drop(db);
        market.counters.streams.inc();
        Ok(Self {
            market,
            holder,
            token_hash,
            place,
            after,
            ready: VecDeque::new(),
        })
    }

    /// The next notification; `None` when the session is over or the marketplace stops.
    pub(super) async fn next(&mut self) -> Option<NotificationView> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                self.market.counters.pushed.inc();
                return Some(next);
            }
            self.place.woken.mark_unchanged();
            match self.look().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => tracing::debug!(%error, "a stream could not look at its list"),
            }
            if !self.ready.is_empty() {
                continue;
            }
            if self.market.hub.is_stopping() {
                return None;
            }
            // Neither the time limit nor a lost waker ends a stream: it looks again.
            let _ = timeout(LOOK, self.place.woken.changed()).await;
        }
    }

    /// Reads what is new; `false` when the session is over.
    async fn look(&mut self) -> Result<bool, Refusal> {
        let mut db = self.market.store.read().await?;
        let holder = sessions::holder(&mut db, &self.token_hash, Time::now()).await?;
        if holder.is_none() {
            return Ok(false);
        }
        let rows = notifications::since(&mut db, &self.holder.id, self.after, ROWS).await?;
        drop(db);
        if let Some(faults) = self.market.faults.as_ref().filter(|_| !rows.is_empty()) {
            faults.hold(Instant::now()).await;
        }
        // From here on nothing waits: who stops waiting for the next has lost none.
        for row in rows {
            self.after = row.sequence;
            self.push(row.into());
        }
        Ok(true)
    }

    /// Puts a notification into the stream, as faults on order have it.
    fn push(&mut self, view: NotificationView) {
        let Some(faults) = &self.market.faults else {
            self.ready.push_back(view);
            return;
        };
        match faults.next_turn() {
            Turn::Drop => {
                faults.tally().add(Kind::Dropped, 1);
                return;
            }
            Turn::Duplicate => {
                faults.tally().add(Kind::Duplicated, 1);
                self.ready.push_back(view.clone());
            }
            Turn::Pass | Turn::Swap | Turn::Stray => {}
        }
        self.ready.push_back(view);
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.market.counters.streams.dec();
    }
}
