use serde_json::json;

use super::offer::NewOffer;
use super::path::OfferPath;
use super::trade_row::{Trade, take};
use super::view::OfferView;
use crate::market::Market;
use crate::operation::{Access, Empty, Route, Write};
use crate::refusal::Refusal;
use crate::state::{OfferAction, Party, Stateful};
use crate::store::notifications::NoticeKind;
use crate::store::offers::{self, OfferRow};
use crate::work::{Step, Work};

/// Proposes another price. Both sides may do this.
#[derive(Debug)]
pub(crate) struct CounterOffer {
    path: OfferPath,
    new: NewOffer,
}

impl Write for CounterOffer {
    const ROUTE: Route = Route::post(
        "marketplace.offers.counter",
        "/api/marketplace/purchase-requests/{request}/offers/{offer}/counter",
    )
    .says("Proposes another price, if it is the caller's turn; the other side has the next turn");
    type Path = OfferPath;
    type Body = NewOffer;

    async fn begin(path: OfferPath, new: NewOffer, _: &Market) -> Result<Self, Refusal> {
        Ok(Self { path, new })
    }
}

impl Step for CounterOffer {
    type Answer = OfferView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<OfferView, Refusal> {
        let trade = Trade::lock(work, &self.path.request).await?;
        let (mut offer, party) = trade.offer(work, &self.path.offer).await?;
        let state = offer.state.step(OfferAction::Counter, party)?;
        self.new.check(&trade.request.currency)?;
        take(&mut offer, state, work);
        offer.amount = self.new.price.amount;
        offer.message = self.new.message();
        offer.valid_until = self.new.valid_until(work.now, trade.request.expires_at)?;
        offer.round += 1;
        offers::update(work.db(), &offer).await?;
        offers::insert_round(work.db(), &offer, party).await?;
        tell_other(work, &trade, &offer, party, NoticeKind::OfferCountered);
        Ok(OfferView::new(&offer, &trade.request.currency))
    }
}

/// Rejects an offer. Both sides may do this.
#[derive(Debug)]
pub(crate) struct RejectOffer(OfferPath);

impl Write for RejectOffer {
    const ROUTE: Route = Route::post(
        "marketplace.offers.reject",
        "/api/marketplace/purchase-requests/{request}/offers/{offer}/reject",
    )
    .says("Ends the negotiation about an offer");
    type Path = OfferPath;
    type Body = Empty;

    async fn begin(path: OfferPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for RejectOffer {
    type Answer = OfferView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<OfferView, Refusal> {
        end(
            work,
            &self.0,
            OfferAction::Reject,
            NoticeKind::OfferRejected,
        )
        .await
    }
}

/// Withdraws an offer. Only its seller may do this.
#[derive(Debug)]
pub(crate) struct WithdrawOffer(OfferPath);

impl Write for WithdrawOffer {
    const ROUTE: Route = Route::post(
        "marketplace.offers.withdraw",
        "/api/marketplace/purchase-requests/{request}/offers/{offer}/withdraw",
    )
    .says("Withdraws an offer that has not been selected")
    .by(Access::Seller);
    type Path = OfferPath;
    type Body = Empty;

    async fn begin(path: OfferPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for WithdrawOffer {
    type Answer = OfferView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<OfferView, Refusal> {
        end(
            work,
            &self.0,
            OfferAction::Withdraw,
            NoticeKind::OfferWithdrawn,
        )
        .await
    }
}

async fn end(
    work: &mut Work<'_>,
    path: &OfferPath,
    action: OfferAction,
    kind: NoticeKind,
) -> Result<OfferView, Refusal> {
    let trade = Trade::lock(work, &path.request).await?;
    let (mut offer, party) = trade.offer(work, &path.offer).await?;
    let state = offer.state.step(action, party)?;
    take(&mut offer, state, work);
    offers::update(work.db(), &offer).await?;
    tell_other(work, &trade, &offer, party, kind);
    Ok(OfferView::new(&offer, &trade.request.currency))
}

fn tell_other(work: &mut Work<'_>, trade: &Trade, offer: &OfferRow, by: Party, kind: NoticeKind) {
    let told = match by {
        Party::Seller => &trade.request.buyer_id,
        _ => &offer.seller_id,
    };
    let currency = &trade.request.currency;
    let data = json!({ "offerId": offer.id, "amount": offer.amount, "currency": currency });
    let part = format!("{}/{}", offer.id, offer.round);
    work.tell(told, kind, &trade.request, &part, data);
}
