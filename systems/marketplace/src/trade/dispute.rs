use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::money::{self, Settlement};
use super::path::RequestPath;
use super::trade_row::Trade;
use super::view::{DisputeView, RequestView};
use crate::market::Market;
use crate::operation::{Access, Empty, Route, Write};
use crate::refusal::Refusal;
use crate::state::{DeliveryAction, Party, RequestAction, Stateful};
use crate::store::deliveries;
use crate::store::disputes::{self, DisputeRow, Resolution};
use crate::store::notifications::NoticeKind;
use crate::types::{Amount, Text};
use crate::work::{Step, Work};

/// The body of a request that opens a dispute.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewDispute {
    reason: Text<1, 4000>,
}

/// Opens a dispute. Both sides of the trade may do this.
#[derive(Debug)]
pub(crate) struct OpenDispute {
    path: RequestPath,
    new: NewDispute,
}

impl Write for OpenDispute {
    const ROUTE: Route = Route::post(
        "marketplace.disputes.open",
        "/api/marketplace/purchase-requests/{request}/dispute",
    )
    .says("Asks an admin to decide about the money in escrow")
    .creates();
    type Path = RequestPath;
    type Body = NewDispute;

    async fn begin(path: RequestPath, new: NewDispute, _: &Market) -> Result<Self, Refusal> {
        Ok(Self { path, new })
    }
}

impl Step for OpenDispute {
    type Answer = DisputeView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<DisputeView, Refusal> {
        let mut trade = Trade::lock(work, &self.path.request).await?;
        let party = trade.party(work.actor)?;
        trade.step(RequestAction::Dispute, party)?;
        trade.save(work).await?;
        let row = DisputeRow {
            request_id: trade.request.id.clone(),
            opened_by: work.actor.user()?.id.clone(),
            reason: self.new.reason.as_str().to_owned(),
            resolution: None,
            refunded: None,
            opened_at: work.now,
            resolved_at: None,
        };
        disputes::insert(work.db(), &row).await?;
        let other = match party {
            Party::Buyer => trade.selected()?.seller_id.clone(),
            _ => trade.request.buyer_id.clone(),
        };
        let data = json!({ "reason": row.reason });
        work.tell(&other, NoticeKind::DisputeOpened, &trade.request, "", data);
        Ok(DisputeView::from(&row))
    }
}

/// An admin's decision.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewResolution {
    resolution: Resolution,
    /// The amount that the buyer gets back, in minor units. Required for `split`, and allowed only there.
    #[serde(default)]
    refund_amount: Option<Amount>,
}

impl NewResolution {
    fn settlement(&self, whole: Amount) -> Result<Settlement, Refusal> {
        let refused = |why: String| Err(Refusal::InvalidField("refundAmount", why));
        match (self.resolution, self.refund_amount) {
            (Resolution::Release, None) => Ok(Settlement::Release),
            (Resolution::Refund, None) => Ok(Settlement::Refund),
            (Resolution::Split, Some(part)) if part < whole => Ok(Settlement::Split(part.minor())),
            (Resolution::Split, _) => refused(format!("required, below {}", whole.minor())),
            (_, Some(_)) => refused("allowed only with `split`".to_owned()),
        }
    }
}

/// Resolves a dispute. Only admins may do this.
#[derive(Debug)]
pub(crate) struct ResolveDispute {
    path: RequestPath,
    new: NewResolution,
}

impl Write for ResolveDispute {
    const ROUTE: Route = Route::post(
        "marketplace.disputes.resolve",
        "/api/marketplace/purchase-requests/{request}/dispute/resolve",
    )
    .says("Decides who gets the money in escrow")
    .by(Access::Admin);
    type Path = RequestPath;
    type Body = NewResolution;

    async fn begin(path: RequestPath, new: NewResolution, _: &Market) -> Result<Self, Refusal> {
        Ok(Self { path, new })
    }
}

impl Step for ResolveDispute {
    type Answer = DisputeView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<DisputeView, Refusal> {
        let mut trade = Trade::lock(work, &self.path.request).await?;
        let action = match self.new.resolution {
            Resolution::Refund => RequestAction::Refund,
            Resolution::Release | Resolution::Split => RequestAction::Release,
        };
        // The table allows `refund` also without a dispute, but not `release`. Checking `release` rejects both unless
        // there is a dispute.
        trade
            .request
            .state
            .step(RequestAction::Release, Party::Admin)?;
        let payment = trade
            .payment(work)
            .await?
            .ok_or(Refusal::NotFound("payment"))?;
        let settlement = self.new.settlement(payment.amount)?;
        end(work, &mut trade, action, Party::Admin, settlement).await?;
        let found = disputes::find(work.db(), &trade.request.id).await?;
        let row = found.ok_or(Refusal::NotFound("dispute"))?;
        for user in [&payment.buyer_id, &payment.seller_id] {
            let data = json!({ "resolution": row.resolution, "refunded": row.refunded });
            work.tell(user, NoticeKind::DisputeResolved, &trade.request, "", data);
        }
        Ok(DisputeView::from(&row))
    }
}

/// Refunds the buyer. The seller and admins may do this.
#[derive(Debug)]
pub(crate) struct RefundTrade(RequestPath);

impl Write for RefundTrade {
    const ROUTE: Route = Route::post(
        "marketplace.purchaseRequests.refund",
        "/api/marketplace/purchase-requests/{request}/refund",
    )
    .says("Returns the money in escrow to the buyer")
    .by(Access::SellerOrAdmin);
    type Path = RequestPath;
    type Body = Empty;

    async fn begin(path: RequestPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for RefundTrade {
    type Answer = RequestView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<RequestView, Refusal> {
        let mut trade = Trade::lock(work, &self.0.request).await?;
        let party = trade.party(work.actor)?;
        end(
            work,
            &mut trade,
            RequestAction::Refund,
            party,
            Settlement::Refund,
        )
        .await?;
        let (buyer, seller) = (&trade.request.buyer_id, &trade.selected()?.seller_id);
        let told = [Some(buyer), Some(seller).filter(|_| party == Party::Admin)];
        for user in told.into_iter().flatten() {
            let (kind, data) = (NoticeKind::PaymentRefunded, json!({}));
            work.tell(user, kind, &trade.request, "", data);
        }
        Ok(RequestView::from(&trade.request))
    }
}

/// Ends a trade that the buyer did not confirm. Settles the money, and closes the delivery and the dispute.
async fn end(
    work: &mut Work<'_>,
    trade: &mut Trade,
    action: RequestAction,
    party: Party,
    settlement: Settlement,
) -> Result<(), Refusal> {
    trade.step(action, party)?;
    trade.save(work).await?;
    let mut payment = trade
        .payment(work)
        .await?
        .ok_or(Refusal::NotFound("payment"))?;
    money::settle(work, &mut payment, settlement).await?;
    let mut delivery = trade.delivery(work).await?;
    let closing = match settlement {
        Settlement::Refund => DeliveryAction::Stop,
        Settlement::Release | Settlement::Split(_) => DeliveryAction::Confirm,
    };
    delivery.state = delivery.state.step(closing, Party::Market)?;
    delivery.updated_at = work.now;
    deliveries::update(work.db(), &delivery).await?;
    if let Some(mut dispute) = disputes::find(work.db(), &trade.request.id).await? {
        dispute.resolution = Some(settlement.resolution());
        dispute.refunded = Some(settlement.refunded(payment.amount.minor()));
        dispute.resolved_at = Some(work.now);
        disputes::update(work.db(), &dispute).await?;
    }
    Ok(())
}
