use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::market::Market;
use crate::refusal::Refusal;
use crate::store::{answers, offers, requests, sessions};
use crate::trade::{ExpireOffer, ExpireRequest};
use crate::types::Time;
use crate::work::Actor;

/// Maximum number of requests, and also of offers, that expire per round.
const ROWS: i64 = 500;
/// Lifetime of idempotency keys.
const KEPT: Duration = Duration::from_hours(24);

/// Expires requests and offers, and deletes old idempotency keys and sessions. Runs forever.
pub(crate) async fn run(market: Arc<Market>, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = round(&market).await {
            tracing::warn!(%error, "a sweep failed; the next sweep follows at the next interval");
        }
    }
}

async fn round(market: &Market) -> Result<(), Refusal> {
    let now = Time::now();
    let (due_requests, due_offers) = {
        let mut db = market.store.read().await?;
        (
            requests::due(&mut db, now, ROWS).await?,
            offers::due(&mut db, now, ROWS).await?,
        )
    };
    for request in due_requests {
        note(
            market
                .perform(&Actor::Clock, None, &ExpireRequest(request))
                .await
                .err(),
        );
    }
    for (request, offer) in due_offers {
        note(
            market
                .perform(&Actor::Clock, None, &ExpireOffer { request, offer })
                .await
                .err(),
        );
    }
    let mut transaction = market.store.begin().await?;
    answers::sweep(&mut transaction, now.before(KEPT)).await?;
    sessions::sweep(&mut transaction, now).await?;
    transaction.commit().await?;
    Ok(())
}

/// Logs a failure. `Illegal` is not a failure: it means that a user has already moved the trade to another state.
fn note(refusal: Option<Refusal>) {
    match refusal {
        Some(Refusal::Illegal(_)) | None => {}
        Some(error) => tracing::warn!(%error, "cannot expire a request or an offer"),
    }
}
