use std::sync::Arc;
use std::time::Duration;

use kit::fault::Faults;
use kit::token::Token;

use crate::door::Door;
use crate::hash::Hashing;
use crate::hub::Hub;
use crate::metrics::Counters;
use crate::refusal::Refusal;
use crate::store::answers::{self, Key};
use crate::store::{Store, answers::Kept};
use crate::terms::Terms;
use crate::work::{Actor, Step, Told, Work};

/// Maximum number of attempts for a transaction that conflicts with others.
const TRIES: u32 = 5;

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Market {
    pub(crate) store: Store,
    pub(crate) hashing: Hashing,
    pub(crate) door: Door,
    pub(crate) hub: Hub,
    pub(crate) terms: Terms,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) counters: Counters,
}

/// The result of a step. The response, as JSON, is either new or was stored under the idempotency key.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) body: String,
    pub(crate) replayed: bool,
}

impl Market {
    /// Performs a step in a separate transaction. If the idempotency key was used before, returns the stored response
    /// and changes nothing.
    pub(crate) async fn perform<S: Step>(
        &self,
        actor: &Actor,
        key: Option<&Key>,
        step: &S,
    ) -> Result<Done, Refusal> {
        let mut tried = 1;
        loop {
            match self.attempt(actor, key, step).await {
                Err(refusal) if tried < TRIES && is_transient(&refusal) => {
                    self.counters.retries.inc();
                    tokio::time::sleep(pause(tried)?).await;
                    tried += 1;
                }
                Err(refusal) if is_transient(&refusal) => return Err(Refusal::Busy),
                other => return other,
            }
        }
    }

    async fn attempt<S: Step>(
        &self,
        actor: &Actor,
        key: Option<&Key>,
        step: &S,
    ) -> Result<Done, Refusal> {
        let mut work = Work::new(self.store.begin().await?, actor, &self.terms);
        match within(&mut work, key, step).await {
            Ok(done) if done.replayed => {
                work.roll_back().await;
                self.counters.replays.inc();
                Ok(done)
            }
            Ok(done) => {
                self.wake(&work.commit().await?);
                Ok(done)
            }
            Err(refusal) => {
                work.roll_back().await;
                Err(refusal)
            }
        }
    }

    fn wake(&self, told: &Told) {
        self.counters.notifications.inc_by(told.users.len() as u64);
        self.counters.lost_on_order.inc_by(told.lost_on_order);
        self.hub.wake(&told.users);
        if told.outside {
            self.hub.wake_sender();
        }
    }
}

async fn within<S: Step>(
    work: &mut Work<'_>,
    key: Option<&Key>,
    step: &S,
) -> Result<Done, Refusal> {
    let Some(key) = key else {
        let body = to_json(&step.apply(work).await?)?;
        return Ok(Done {
            body,
            replayed: false,
        });
    };
    let now = work.now;
    if let Some(kept) = answers::claim(work.db(), key, now).await? {
        return replay(key, kept);
    }
    let body = to_json(&step.apply(work).await?)?;
    answers::keep(work.db(), key, &body).await?;
    Ok(Done {
        body,
        replayed: false,
    })
}

fn replay(key: &Key, kept: Kept) -> Result<Done, Refusal> {
    if kept.fingerprint != key.fingerprint {
        return Err(Refusal::KeyReused);
    }
    Ok(Done {
        body: kept.body,
        replayed: true,
    })
}

fn to_json(answer: &impl serde::Serialize) -> Result<String, Refusal> {
    serde_json::to_string(answer).map_err(|error| Refusal::Internal(error.to_string()))
}

/// Whether to repeat the transaction. This helps after a serialization failure or a deadlock (`PostgreSQL`: 40001 and
/// 40P01) and after a lock conflict (`SQLite`: 5, 6 and 517). It also helps if another step changed the state first,
/// because the repetition sees the new state.
fn is_transient(refusal: &Refusal) -> bool {
    match refusal {
        Refusal::Overtaken => true,
        Refusal::Database(sqlx::Error::Database(cause)) => matches!(
            cause.code().as_deref(),
            Some("40001" | "40P01" | "5" | "6" | "517")
        ),
        _ => false,
    }
}

/// The pause before the next attempt. The pause grows each time, and has a random part so that two transactions do not
/// collide again.
fn pause(tried: u32) -> Result<Duration, Refusal> {
    let random = u64::from(Token::random()?.to_bytes()[0]);
    Ok(Duration::from_millis((2 << tried) + random % (4 << tried)))
}
