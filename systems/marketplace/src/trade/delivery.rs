use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::money::{self, Settlement};
use super::path::RequestPath;
use super::trade_row::Trade;
use super::view::{DeliveryView, RequestView};
use crate::market::Market;
use crate::operation::{Access, Empty, Route, Write};
use crate::refusal::Refusal;
use crate::state::{DeliveryAction, Party, RequestAction, Stateful};
use crate::store::deliveries;
use crate::store::notifications::NoticeKind;
use crate::types::Text;
use crate::types::words::words;
use crate::work::{Step, Work};

words! {
    /// The delivery states that a seller can report.
    DeliveryNews {
        Shipped = "shipped",
        Delivered = "delivered",
    }
}

/// A seller's report about the delivery.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewDelivery {
    status: DeliveryNews,
    #[serde(default)]
    tracking: Option<Text<0, 200>>,
}

/// Reports that the goods were shipped or delivered. Only the seller may do this.
#[derive(Debug)]
pub(crate) struct UpdateDelivery {
    path: RequestPath,
    news: NewDelivery,
}

impl Write for UpdateDelivery {
    const ROUTE: Route = Route::post(
        "marketplace.delivery.update",
        "/api/marketplace/purchase-requests/{request}/delivery",
    )
    .says("Reports that the goods were shipped or delivered")
    .by(Access::Seller);
    type Path = RequestPath;
    type Body = NewDelivery;

    async fn begin(path: RequestPath, news: NewDelivery, _: &Market) -> Result<Self, Refusal> {
        Ok(Self { path, news })
    }
}

impl Step for UpdateDelivery {
    type Answer = DeliveryView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<DeliveryView, Refusal> {
        let mut trade = Trade::lock(work, &self.path.request).await?;
        let party = trade.party(work.actor)?;
        trade.step(RequestAction::Deliver, party)?;
        let mut delivery = trade.delivery(work).await?;
        let action = match self.news.status {
            DeliveryNews::Shipped => DeliveryAction::Ship,
            DeliveryNews::Delivered => DeliveryAction::Deliver,
        };
        delivery.state = delivery.state.step(action, party)?;
        delivery.updated_at = work.now;
        if let Some(tracking) = &self.news.tracking {
            tracking.as_str().clone_into(&mut delivery.tracking);
        }
        deliveries::update(work.db(), &delivery).await?;
        // If the buyer does nothing until this time, the clock confirms the delivery.
        trade.request.expires_at = work.now.after(work.terms.confirm_time);
        trade.save(work).await?;
        let data = json!({ "status": delivery.state, "tracking": delivery.tracking });
        let (buyer, part) = (trade.request.buyer_id.clone(), delivery.state.word());
        work.tell(
            &buyer,
            NoticeKind::DeliveryUpdated,
            &trade.request,
            part,
            data,
        );
        Ok(DeliveryView::from(&delivery))
    }
}

/// Confirms the delivery, so that the seller gets the money. Only the buyer may do this.
#[derive(Debug)]
pub(crate) struct ConfirmDelivery(RequestPath);

impl Write for ConfirmDelivery {
    const ROUTE: Route = Route::post(
        "marketplace.delivery.confirm",
        "/api/marketplace/purchase-requests/{request}/delivery/confirm",
    )
    .says("Confirms the delivery, which pays the seller")
    .by(Access::Buyer);
    type Path = RequestPath;
    type Body = Empty;

    async fn begin(path: RequestPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for ConfirmDelivery {
    type Answer = RequestView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<RequestView, Refusal> {
        let mut trade = Trade::lock(work, &self.0.request).await?;
        confirm(work, &mut trade).await?;
        Ok(RequestView::from(&trade.request))
    }
}

/// Completes a trade without a dispute, on behalf of the buyer or the clock.
pub(super) async fn confirm(work: &mut Work<'_>, trade: &mut Trade) -> Result<(), Refusal> {
    let party = trade.party(work.actor)?;
    trade.step(RequestAction::Confirm, party)?;
    let mut delivery = trade.delivery(work).await?;
    delivery.state = delivery.state.step(DeliveryAction::Confirm, party)?;
    delivery.updated_at = work.now;
    deliveries::update(work.db(), &delivery).await?;
    trade.save(work).await?;
    let payment = trade.payment(work).await?;
    let mut payment = payment.ok_or(Refusal::NotFound("payment"))?;
    money::settle(work, &mut payment, Settlement::Release).await?;
    let by_clock = party == Party::Clock;
    let told = [
        Some(&payment.seller_id),
        Some(&payment.buyer_id).filter(|_| by_clock),
    ];
    for user in told.into_iter().flatten() {
        let data = json!({
            "paymentId": payment.id, "amount": payment.amount, "currency": payment.currency,
        });
        let kind = NoticeKind::DeliveryConfirmed;
        work.tell(user, kind, &trade.request, "", data);
    }
    Ok(())
}
