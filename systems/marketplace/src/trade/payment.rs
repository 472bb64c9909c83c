use serde_json::json;

use super::money;
use super::path::RequestPath;
use super::trade_row::Trade;
use super::view::PaymentView;
use crate::market::Market;
use crate::operation::{Access, Empty, Route, Write};
use crate::refusal::Refusal;
use crate::state::{DeliveryState, Party, PaymentState, RequestAction, Stateful};
use crate::store::deliveries::{self, DeliveryRow};
use crate::store::notifications::NoticeKind;
use crate::store::payments::{self, PaymentRow};
use crate::terms::PaymentMode;
use crate::work::{Step, Work};

/// Pays for the selected offer. Only the buyer may do this. In mode `status` the payment succeeds at once; otherwise it
/// succeeds when the provider reports so.
#[derive(Debug)]
pub(crate) struct Pay(RequestPath);

impl Write for Pay {
    const ROUTE: Route = Route::post(
        "marketplace.purchaseRequests.status.payment",
        "/api/marketplace/purchase-requests/{request}/status/payment",
    )
    .says("Pays for the selected offer; with a provider, the payment is pending until the webhook arrives")
    .by(Access::Buyer)
    .creates();
    type Path = RequestPath;
    type Body = Empty;

    async fn begin(path: RequestPath, _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(path))
    }
}

impl Step for Pay {
    type Answer = PaymentView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<PaymentView, Refusal> {
        let mut trade = Trade::lock(work, &self.0.request).await?;
        let party = trade.party(work.actor)?;
        trade.request.state.step(RequestAction::Pay, party)?;
        let by_provider = work.terms.payment_mode == PaymentMode::Provider;
        let offer = trade.selected()?;
        let payment = PaymentRow {
            id: work.new_id()?,
            request_id: trade.request.id.clone(),
            buyer_id: trade.request.buyer_id.clone(),
            seller_id: offer.seller_id.clone(),
            amount: offer.amount,
            currency: trade.request.currency.clone(),
            state: if by_provider {
                PaymentState::Pending
            } else {
                PaymentState::Held
            },
            told: 0,
            fee: work.terms.fee,
            created_at: work.now,
            updated_at: work.now,
        };
        let inserted = payments::insert(work.db(), &payment).await;
        inserted.map_err(|error| {
            let paid = trade.request.state.forbidden(&[RequestAction::Pay], party);
            Refusal::once(error, Refusal::AlreadyPaid(paid))
        })?;
        if !by_provider {
            paid(work, &mut trade, &payment, party).await?;
        }
        Ok(PaymentView::from(&payment))
    }
}

/// Marks a trade as paid, moves the money into escrow, and lets the seller deliver.
pub(super) async fn paid(
    work: &mut Work<'_>,
    trade: &mut Trade,
    payment: &PaymentRow,
    party: Party,
) -> Result<(), Refusal> {
    trade.step(RequestAction::Pay, party)?;
    trade.save(work).await?;
    money::hold(work, payment).await?;
    let delivery = DeliveryRow {
        request_id: trade.request.id.clone(),
        state: DeliveryState::Pending,
        tracking: String::new(),
        updated_at: work.now,
    };
    deliveries::insert(work.db(), &delivery).await?;
    let data = json!({
        "paymentId": payment.id, "amount": payment.amount, "currency": payment.currency,
    });
    let part = payment.id.as_str();
    work.tell(
        &payment.seller_id,
        NoticeKind::PaymentReceived,
        &trade.request,
        part,
        data,
    );
    Ok(())
}
