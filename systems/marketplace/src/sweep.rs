use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::market::Market;
use crate::refusal::Refusal;
use crate::store::{answers, offers, requests, sessions};
use crate::trade::{ExpireOffer, ExpireRequest};
use crate::types::Time;
use crate::work::Actor;

/// Looked at in one round.
const ROWS: i64 = 500;
/// Idempotency keys are good for so long.
const KEPT: Duration = Duration::from_hours(24);

/// Does for ever what the clock has to do: ends what is over, forgets what nobody can use.
pub(crate) async fn run(market: Arc<Market>, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = round(&market).await {
            tracing::warn!(%error, "what is over could not be ended");
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

/// Somebody may have been faster than the clock; then there is nothing left to do.
fn note(refusal: Option<Refusal>) {
    match refusal {
        Some(Refusal::Illegal(_)) | None => {}
        Some(error) => tracing::warn!(%error, "something that is over could not be ended"),
    }
}
