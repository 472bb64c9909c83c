use super::cancel::{call_off, expire_offer};
use super::delivery::confirm;
use super::trade_row::Trade;
use crate::refusal::Refusal;
use crate::state::{Party, RequestAction, RequestState};
use crate::store::notifications::NoticeKind;
use crate::types::Id;
use crate::work::{Step, Work};

/// Expires a request when the time limit for selection, payment or confirmation has passed.
#[derive(Debug)]
pub(crate) struct ExpireRequest(pub(crate) Id);

impl Step for ExpireRequest {
    type Answer = ();

    async fn apply(&self, work: &mut Work<'_>) -> Result<(), Refusal> {
        let mut trade = Trade::lock(work, &self.0).await?;
        // Another step may have extended the time limit in the meantime.
        if trade.request.expires_at > work.now {
            return Ok(());
        }
        if trade.request.state == RequestState::Delivering {
            // If the buyer has not complained, the delivery counts as confirmed.
            return confirm(work, &mut trade).await;
        }
        trade.step(RequestAction::Expire, Party::Clock)?;
        trade.save(work).await?;
        call_off(work, &trade, NoticeKind::RequestExpired).await
    }
}

/// Expires an offer.
#[derive(Debug)]
pub(crate) struct ExpireOffer {
    pub(crate) request: Id,
    pub(crate) offer: Id,
}

impl Step for ExpireOffer {
    type Answer = ();

    async fn apply(&self, work: &mut Work<'_>) -> Result<(), Refusal> {
        let trade = Trade::lock(work, &self.request).await?;
        expire_offer(work, &trade, &self.offer).await
    }
}
