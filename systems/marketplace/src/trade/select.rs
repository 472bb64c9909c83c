use serde_json::json;

use super::path::OfferPath;
use super::trade_row::{Trade, take};
use super::view::RequestView;
use crate::market::Market;
use crate::operation::{Access, Empty, Route, Write};
use crate::refusal::Refusal;
use crate::state::{OfferAction, Party, RequestAction, Stateful};
use crate::store::notifications::NoticeKind;
use crate::store::offers::{self, OfferRow};
use crate::types::Id;
use crate::work::{Step, Work};

/// Selects an offer. Only the buyer may do this.
#[derive(Debug)]
pub(crate) struct SelectOffer(OfferPath);

impl Write for SelectOffer {
    const ROUTE: Route = Route::post(
        "marketplace.offers.select",
        "/api/marketplace/purchase-requests/{request}/offers/{offer}/select",
    )
    .says("Selects an offer at its price; the other offers are lost")
    .by(Access::Buyer);
    type Path = OfferPath;
    type Body = Empty;

    async fn begin(path: OfferPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for SelectOffer {
    type Answer = RequestView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<RequestView, Refusal> {
        agree(work, &self.0, OfferAction::Select).await
    }
}

/// Accepts the buyer's counter-offer, which also selects the offer. Only the seller may do this.
#[derive(Debug)]
pub(crate) struct AcceptCounter(OfferPath);

impl Write for AcceptCounter {
    const ROUTE: Route = Route::post(
        "marketplace.offers.accept",
        "/api/marketplace/purchase-requests/{request}/offers/{offer}/accept",
    )
    .says("Accepts the buyer's counter-offer, which selects this offer")
    .by(Access::Seller);
    type Path = OfferPath;
    type Body = Empty;

    async fn begin(path: OfferPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for AcceptCounter {
    type Answer = RequestView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<RequestView, Refusal> {
        agree(work, &self.0, OfferAction::Accept).await
    }
}

/// Selects an offer on which both sides agree. The other offers are lost.
async fn agree(
    work: &mut Work<'_>,
    path: &OfferPath,
    action: OfferAction,
) -> Result<RequestView, Refusal> {
    let mut trade = Trade::lock(work, &path.request).await?;
    let (mut offer, party) = trade.offer(work, &path.offer).await?;
    trade.step(RequestAction::Select, party)?;
    let state = offer.state.step(action, party)?;
    if offer.valid_until <= work.now {
        let over = [OfferAction::Select, OfferAction::Accept];
        return Err(Refusal::OfferOver(offer.state.forbidden(&over, party)));
    }
    take(&mut offer, state, work);
    offers::update(work.db(), &offer).await?;
    trade.request.selected_offer = Some(offer.id.clone());
    trade.request.expires_at = work.now.after(work.terms.pay_time);
    trade.save(work).await?;
    let lost = trade
        .end_offers(work, OfferAction::Lose, Some(&offer.id))
        .await?;
    tell_winner(work, &trade, &offer, party);
    for loser in &lost {
        let data = json!({ "offerId": loser.id });
        work.tell(
            &loser.seller_id,
            NoticeKind::OfferLost,
            &trade.request,
            loser.id.as_str(),
            data,
        );
    }
    Ok(RequestView::from(&trade.request))
}

/// Notifies the other side of the agreement. The injected fault `--lose-accepted` omits the notification to the seller.
fn tell_winner(work: &mut Work<'_>, trade: &Trade, offer: &OfferRow, by: Party) {
    let told: &Id = match by {
        Party::Seller => &trade.request.buyer_id,
        _ if work.terms.lose_accepted => return work.lose_on_order(),
        _ => &offer.seller_id,
    };
    let data = json!({
        "offerId": offer.id, "amount": offer.amount, "currency": trade.request.currency,
    });
    work.tell(
        told,
        NoticeKind::OfferAccepted,
        &trade.request,
        offer.id.as_str(),
        data,
    );
}
