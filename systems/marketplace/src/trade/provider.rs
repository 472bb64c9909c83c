use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::money::{self, Settlement};
use super::payment::paid;
use super::trade_row::Trade;
use crate::refusal::Refusal;
use crate::state::{Party, PaymentAction, PaymentState, RequestState, Stateful};
use crate::store::notifications::NoticeKind;
use crate::store::payments::{self, EventRow, PaymentRow};
use crate::types::words::words;
use crate::types::{Id, Money, Text};
use crate::work::{Step, Work};

words! {
    /// The kinds of events that the provider reports.
    EventKind {
        Processing = "payment.processing",
        Succeeded = "payment.succeeded",
        Failed = "payment.failed",
    }
}

/// An event of the payment provider.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProviderEvent {
    /// The provider's id of the event. A repeated event changes nothing.
    id: Text<1, 200>,
    payment_id: Id,
    /// Position among the events of this payment, starting at 1.
    sequence: i64,
    #[serde(rename = "type")]
    kind: EventKind,
    /// The price that was paid. Must equal the price of the payment.
    price: Money,
}

/// The result of processing an event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventTaken {
    /// The event was already known, so it changed nothing.
    duplicate: bool,
    /// The event contradicts the known state. It was stored for admins but changed nothing.
    unmatched: bool,
    state: PaymentState,
}

/// Processes an event whose signature has been checked.
#[derive(Debug)]
pub(crate) struct TakeEvent(pub(crate) ProviderEvent);

impl Step for TakeEvent {
    type Answer = EventTaken;

    async fn apply(&self, work: &mut Work<'_>) -> Result<EventTaken, Refusal> {
        let event = &self.0;
        let found = payments::find(work.db(), &event.payment_id).await?;
        let request = found.ok_or(Refusal::NotFound("payment"))?.request_id;
        let mut trade = Trade::lock(work, &request).await?;
        // Read the payment again, because it may have changed before the trade was locked.
        let found = payments::find(work.db(), &event.payment_id).await?;
        let mut payment = found.ok_or(Refusal::NotFound("payment"))?;
        if self.is_known(work).await? {
            return Ok(EventTaken {
                duplicate: true,
                unmatched: false,
                state: payment.state,
            });
        }
        self.in_order(&payment)?;
        payment.told = event.sequence;
        payment.updated_at = work.now;
        let action = action(work, &trade, &payment, event.kind).await?;
        let reached = action.map(|(action, party)| payment.state.step(action, party));
        let (reached, now) = (reached.transpose(), work.now);
        let row = EventRow {
            payment_id: payment.id.clone(),
            sequence: event.sequence,
            kind: event.kind.word().to_owned(),
            unmatched: i64::from(reached.is_err()),
        };
        payments::insert_event(work.db(), event.id.as_str(), &row, now).await?;
        if let Ok(Some(state)) = reached {
            payment.state = state;
        }
        payments::update(work.db(), &payment).await?;
        match &reached {
            Ok(Some(state)) => follow(work, &mut trade, &payment, *state).await?,
            Ok(None) => {}
            Err(illegal) => {
                let (state, kind) = (illegal.state, event.kind.word());
                tracing::warn!(payment = %payment.id, state, kind, "a provider event contradicts the known state");
            }
        }
        Ok(EventTaken {
            duplicate: false,
            unmatched: reached.is_err(),
            state: payment.state,
        })
    }
}

impl TakeEvent {
    /// Whether the event was processed before. A different event with the same id is refused, because it would be lost
    /// if it were accepted as a duplicate.
    async fn is_known(&self, work: &mut Work<'_>) -> Result<bool, Refusal> {
        let event = &self.0;
        let Some(told) = payments::event(work.db(), event.id.as_str()).await? else {
            return Ok(false);
        };
        let same = told.payment_id == event.payment_id
            && told.sequence == event.sequence
            && told.kind == event.kind.word();
        if same {
            Ok(true)
        } else {
            Err(Refusal::EventReused)
        }
    }

    /// Refuses an event that is not the payment's next event, or whose price differs from the payment's.
    fn in_order(&self, payment: &PaymentRow) -> Result<(), Refusal> {
        let (expected, got) = (payment.told + 1, self.0.sequence);
        if got != expected {
            return Err(Refusal::OutOfOrder { expected, got });
        }
        let price = &self.0.price;
        if price.amount != payment.amount || price.currency != payment.currency {
            let why = "differs from the price of the payment".to_owned();
            return Err(Refusal::InvalidField("price", why));
        }
        Ok(())
    }
}

/// Returns the effect of an event on a payment, and the acting party. If a failed payment succeeds later, it is
/// accepted if the trade still waits for a payment. Otherwise the money is returned at once.
async fn action(
    work: &mut Work<'_>,
    trade: &Trade,
    payment: &PaymentRow,
    kind: EventKind,
) -> Result<Option<(PaymentAction, Party)>, Refusal> {
    let succeeds = (PaymentAction::Succeed, Party::Provider);
    Ok(match kind {
        EventKind::Processing => None,
        EventKind::Failed => Some((PaymentAction::Fail, Party::Provider)),
        EventKind::Succeeded if payment.state != PaymentState::Failed => Some(succeeds),
        EventKind::Succeeded => {
            let another = trade.payment(work).await?;
            let another = another.is_some_and(|payment| payment.state != PaymentState::Failed);
            let waits = trade.request.state == RequestState::Selected && !another;
            Some(if waits {
                succeeds
            } else {
                (PaymentAction::Return, Party::Market)
            })
        }
    })
}

/// Updates the trade after a payment has changed its state.
async fn follow(
    work: &mut Work<'_>,
    trade: &mut Trade,
    payment: &PaymentRow,
    state: PaymentState,
) -> Result<(), Refusal> {
    match state {
        PaymentState::Held => paid(work, trade, payment, Party::Provider).await?,
        PaymentState::Failed => tell_buyer(work, trade, payment, NoticeKind::PaymentFailed),
        // In the states refunded and returned, the money arrived too late and goes back at once.
        _ => {
            money::hold(work, payment).await?;
            let id = work.new_id()?;
            money::pay_out(work, &id, payment, Settlement::Refund).await?;
            tell_buyer(work, trade, payment, NoticeKind::PaymentRefunded);
        }
    }
    Ok(())
}

fn tell_buyer(work: &mut Work<'_>, trade: &Trade, payment: &PaymentRow, kind: NoticeKind) {
    let data = json!({
        "paymentId": payment.id, "amount": payment.amount, "currency": payment.currency,
    });
    work.tell(
        &payment.buyer_id,
        kind,
        &trade.request,
        payment.id.as_str(),
        data,
    );
}
