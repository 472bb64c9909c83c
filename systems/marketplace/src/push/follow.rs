use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kit::fault::{Kind, Turn};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use super::list::NotificationView;
use crate::account::hash_token;
use crate::hub::Place;
use crate::market::Market;
use crate::refusal::Refusal;
use crate::store::notifications;
use crate::store::sessions::{self, Holder};
use crate::types::Time;

/// Interval at which a stream reads the list and the session even without a wake-up. Another node may have changed
/// them.
const LOOK: Duration = Duration::from_secs(5);
/// Maximum number of notifications per query.
const ROWS: i64 = 100;

/// The query parameters of a stream.
#[derive(Clone, Deserialize, JsonSchema)]
pub(crate) struct StreamQuery {
    /// The access token. Browsers need it here, because they cannot send a header when they open a stream.
    pub(crate) access_token: Option<String>,
    /// Begin after this position in the list. Default: only new notifications.
    pub(crate) after: Option<i64>,
}

/// Follows a user's list. Yields every notification once and in order, until the session ends.
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
    /// Starts after `query.after`, or else after the newest notification.
    pub(super) async fn begin(
        market: Arc<Market>,
        token: &str,
        query: &StreamQuery,
    ) -> Result<Self, Refusal> {
        let token_hash = hash_token(token);
        let mut db = market.store.read().await?;
        let holder = sessions::holder(&mut db, &token_hash, Time::now()).await?;
        let holder = holder.ok_or(Refusal::Unauthenticated)?;
        // Subscribe before reading the list, so that a notification written in between wakes this stream.
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

    /// Waits for the next notification. `None` when the session is over or the marketplace stops.
    pub(super) async fn next(&mut self) -> Option<NotificationView> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                self.market.counters.pushed.inc();
                return Some(next);
            }
            // Mark before reading, so that a change during the read wakes this stream again.
            self.place.woken.mark_unchanged();
            match self.look().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => tracing::debug!(%error, "a stream cannot read its list yet"),
            }
            if !self.ready.is_empty() {
                continue;
            }
            if self.market.hub.is_stopping() {
                return None;
            }
            // The stream reads the list again in any case, also after a timeout or when the channel has closed.
            let _ = timeout(LOOK, self.place.woken.changed()).await;
        }
    }

    /// Reads new notifications. Returns `false` if the session is over.
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
        // From here on there is no `await`, so cancelling `next` loses no notification.
        for row in rows {
            self.after = row.sequence;
            self.push(row.into());
        }
        Ok(true)
    }

    /// Queues a notification, subject to injected faults.
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
