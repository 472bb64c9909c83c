//! The operations on trades, with one file per operation. Each step locks its request, consults the tables in `state`,
//! changes rows, moves money through `money`, and queues notifications.

mod cancel;
mod config;
mod counter;
mod delivery;
mod dispute;
mod expire;
mod money;
mod offer;
mod path;
mod payment;
mod provider;
mod rate;
mod reads;
mod request;
mod select;
mod trade_row;
mod view;

pub(crate) use cancel::CancelRequest;
pub use config::TradeConfig;
pub(crate) use counter::{CounterOffer, RejectOffer, WithdrawOffer};
pub(crate) use delivery::{ConfirmDelivery, UpdateDelivery};
pub(crate) use dispute::{OpenDispute, RefundTrade, ResolveDispute};
pub(crate) use expire::{ExpireOffer, ExpireRequest};
pub(crate) use offer::CreateOffer;
pub(crate) use payment::Pay;
pub(crate) use provider::{ProviderEvent, TakeEvent};
pub(crate) use rate::{ListRatings, RateTrade};
pub(crate) use reads::{GetOffer, GetRequest, ListOffers, SearchRequests};
pub(crate) use request::CreateRequest;
pub(crate) use select::{AcceptCounter, SelectOffer};
