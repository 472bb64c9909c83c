//! State tables of requests, offers, payments and deliveries. They define who may do what in which state. No other code
//! decides about states.

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
