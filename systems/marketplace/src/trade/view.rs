use schemars::JsonSchema;
use serde::Serialize;

use crate::state::{DeliveryState, OfferState, Party, PaymentState, RequestState, Stateful};
use crate::store::deliveries::DeliveryRow;
use crate::store::disputes::{DisputeRow, Resolution};
use crate::store::offers::{OfferRow, RoundRow};
use crate::store::payments::PaymentRow;
use crate::store::requests::RequestRow;
use crate::types::{Amount, Currency, Id, Money, Time};

/// A purchase request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PurchaseRequest")]
pub(crate) struct RequestView {
    pub(crate) id: Id,
    buyer_id: Id,
    title: String,
    description: String,
    currency: Currency,
    budget: Option<Amount>,
    state: RequestState,
    selected_offer_id: Option<Id>,
    expires_at: Time,
    created_at: Time,
    updated_at: Time,
}

impl From<&RequestRow> for RequestView {
    fn from(row: &RequestRow) -> Self {
        Self {
            id: row.id.clone(),
            buyer_id: row.buyer_id.clone(),
            title: row.title.clone(),
            description: row.description.clone(),
            currency: row.currency.clone(),
            budget: row.budget,
            state: row.state,
            selected_offer_id: row.selected_offer.clone(),
            expires_at: row.expires_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A purchase request with its payment, delivery and dispute.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Trade")]
pub(crate) struct TradeView {
    pub(super) request: RequestView,
    pub(super) payment: Option<PaymentView>,
    pub(super) delivery: Option<DeliveryView>,
    pub(super) dispute: Option<DisputeView>,
    /// The actions that the caller may perform on the request now.
    pub(super) allowed: Vec<&'static str>,
}

impl TradeView {
    /// The actions that `party` may perform on a request in this state.
    pub(super) fn allowed(row: &RequestRow, party: Option<Party>) -> Vec<&'static str> {
        party
            .map(|party| row.state.allowed(party))
            .unwrap_or_default()
    }
}

/// An offer with its current price.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Offer")]
pub(crate) struct OfferView {
    id: Id,
    request_id: Id,
    seller_id: Id,
    price: Money,
    message: String,
    state: OfferState,
    /// Number of prices that were proposed.
    round: i64,
    valid_until: Time,
    created_at: Time,
    updated_at: Time,
}

impl OfferView {
    pub(super) fn new(row: &OfferRow, currency: &Currency) -> Self {
        let price = Money {
            amount: row.amount,
            currency: currency.clone(),
        };
        Self {
            id: row.id.clone(),
            request_id: row.request_id.clone(),
            seller_id: row.seller_id.clone(),
            price,
            message: row.message.clone(),
            state: row.state,
            round: row.round,
            valid_until: row.valid_until,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A price that was proposed for an offer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Round")]
pub(crate) struct RoundView {
    round: i64,
    by: Party,
    amount: Amount,
    message: String,
    created_at: Time,
}

impl From<RoundRow> for RoundView {
    fn from(row: RoundRow) -> Self {
        Self {
            round: row.round,
            by: row.party,
            amount: row.amount,
            message: row.message,
            created_at: row.created_at,
        }
    }
}

/// An offer with all prices that were proposed for it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Negotiation")]
pub(crate) struct NegotiationView {
    pub(super) offer: OfferView,
    pub(super) rounds: Vec<RoundView>,
    /// The actions that the caller may perform on the offer now.
    pub(super) allowed: Vec<&'static str>,
}

/// A payment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Payment")]
pub(crate) struct PaymentView {
    id: Id,
    request_id: Id,
    price: Money,
    state: PaymentState,
    created_at: Time,
    updated_at: Time,
}

impl From<&PaymentRow> for PaymentView {
    fn from(row: &PaymentRow) -> Self {
        let price = Money {
            amount: row.amount,
            currency: row.currency.clone(),
        };
        Self {
            id: row.id.clone(),
            request_id: row.request_id.clone(),
            price,
            state: row.state,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A delivery.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Delivery")]
pub(crate) struct DeliveryView {
    request_id: Id,
    state: DeliveryState,
    tracking: String,
    updated_at: Time,
}

impl From<&DeliveryRow> for DeliveryView {
    fn from(row: &DeliveryRow) -> Self {
        Self {
            request_id: row.request_id.clone(),
            state: row.state,
            tracking: row.tracking.clone(),
            updated_at: row.updated_at,
        }
    }
}

/// A dispute.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Dispute")]
pub(crate) struct DisputeView {
    request_id: Id,
    opened_by: Id,
    reason: String,
    resolution: Option<Resolution>,
    /// The amount that the buyer got back, in minor units.
    refunded: Option<i64>,
    opened_at: Time,
    resolved_at: Option<Time>,
}

impl From<&DisputeRow> for DisputeView {
    fn from(row: &DisputeRow) -> Self {
        Self {
            request_id: row.request_id.clone(),
            opened_by: row.opened_by.clone(),
            reason: row.reason.clone(),
            resolution: row.resolution,
            refunded: row.refunded,
            opened_at: row.opened_at,
            resolved_at: row.resolved_at,
        }
    }
}
