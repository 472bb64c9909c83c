//! Marketplace is a service in which buyers post requests, sellers make offers, and both negotiate. The buyer pays for
//! the selected offer into escrow; the seller delivers, and the buyer confirms. The service rebuilds the escrow
//! marketplace of the fourth field report.
//!
//! [`serve`] runs the service until a stop is requested. `README.md` lists routes, states and configuration. Start
//! reading at `state`, which defines who may do what in which state. Continue with `trade` (one file per operation) and
//! end at `store` (the stored data).
//!
//! Only the state tables decide about states, and money moves only by double entry. Uncommitted data is never reported,
//! and threads that respond never compute hashes. The crate shares no code with the load tester.

mod account;
mod config;
mod door;
mod hash;
mod health;
mod http;
mod hub;
mod market;
mod metrics;
mod operation;
mod push;
mod refusal;
mod serve;
mod signature;
mod state;
mod store;
mod sweep;
mod terms;
mod trade;
mod types;
mod work;

pub use account::AccountConfig;
pub use config::{Config, ConfigError};
pub use door::DoorConfig;
pub use hash::{HashConfig, HashKind};
pub use push::PushConfig;
pub use serve::{PORT, ServeError, serve};
pub use store::{StoreConfig, StoreError};
pub use terms::PaymentMode;
pub use trade::TradeConfig;
