use serde_json::json;

use super::path::RequestPath;
use super::trade_row::{Trade, take};
use super::view::RequestView;
use crate::market::Market;
use crate::operation::{Empty, Route, Write};
use crate::refusal::Refusal;
use crate::state::{OfferAction, Party, PaymentAction, PaymentState, RequestAction, Stateful};
use crate::store::notifications::NoticeKind;
use crate::store::{offers, payments};
use crate::types::Id;
use crate::work::{Step, Work};

/// Cancels a request before payment.
#[derive(Debug)]
pub(crate) struct CancelRequest(RequestPath);

impl Write for CancelRequest {
    const ROUTE: Route = Route::post(
        "marketplace.purchaseRequests.cancel",
        "/api/marketplace/purchase-requests/{request}/cancel",
    )
    .says("Cancels a request that has not been paid");
    type Path = RequestPath;
    type Body = Empty;

    async fn begin(path: RequestPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for CancelRequest {
    type Answer = RequestView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<RequestView, Refusal> {
        let mut trade = Trade::lock(work, &self.0.request).await?;
        let party = trade.party(work.actor)?;
        trade.step(RequestAction::Cancel, party)?;
        trade.save(work).await?;
        call_off(work, &trade, NoticeKind::RequestCancelled).await?;
        Ok(RequestView::from(&trade.request))
    }
}

/// Ends a request without a trade. Closes its offers, abandons a pending payment, and notifies everyone involved except
/// the actor.
pub(super) async fn call_off(
    work: &mut Work<'_>,
    trade: &Trade,
    kind: NoticeKind,
) -> Result<(), Refusal> {
    let mut concerned: Vec<Id> = vec![trade.request.buyer_id.clone()];
    for offer in trade.end_offers(work, OfferAction::Close, None).await? {
        concerned.push(offer.seller_id);
    }
    if let Some(mut payment) = trade
        .payment(work)
        .await?
        .filter(|payment| payment.state == PaymentState::Pending)
    {
        payment.state = payment.state.step(PaymentAction::Abandon, Party::Market)?;
        payment.updated_at = work.now;
        payments::update(work.db(), &payment).await?;
    }
    let actor = work.actor.user().ok().map(|holder| holder.id.clone());
    for user in concerned
        .iter()
        .filter(|user| Some(*user) != actor.as_ref())
    {
        work.tell(user, kind, &trade.request, "", json!({}));
    }
    Ok(())
}

/// Expires an offer.
pub(super) async fn expire_offer(
    work: &mut Work<'_>,
    trade: &Trade,
    offer: &Id,
) -> Result<(), Refusal> {
    let found = offers::find(work.db(), &trade.request.id, offer).await?;
    let mut offer = found.ok_or(Refusal::NotFound("offer"))?;
    // A counter-offer may have extended the offer's validity in the meantime.
    if offer.valid_until > work.now {
        return Ok(());
    }
    let state = offer.state.step(OfferAction::Expire, Party::Clock)?;
    take(&mut offer, state, work);
    offers::update(work.db(), &offer).await?;
    for user in [&trade.request.buyer_id, &offer.seller_id] {
        let data = json!({ "offerId": offer.id });
        work.tell(
            user,
            NoticeKind::OfferExpired,
            &trade.request,
            offer.id.as_str(),
            data,
        );
    }
    Ok(())
}
