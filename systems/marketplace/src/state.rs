//! What may happen to a request, an offer, a payment and a delivery: who may do what in which state.
//! Each table is the whole truth; nothing else decides about a state.

mod delivery;
mod machine;
mod offer;
mod payment;
mod request;

pub(crate) use delivery::{DeliveryAction, DeliveryState};
pub(crate) use machine::{Illegal, Party, Stateful};
pub(crate) use offer::{OfferAction, OfferState};
pub(crate) use payment::{PaymentAction, PaymentState};
pub(crate) use request::{RequestAction, RequestState};
