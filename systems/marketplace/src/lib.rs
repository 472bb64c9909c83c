//! Marketplace: buyers ask, sellers offer, both negotiate; what is selected is paid into escrow,
//! delivered and confirmed. It rebuilds the escrow marketplace of the fourth field report.
//!
//! [`serve`] runs it until it is asked to stop. `README.md` lists routes, states and configuration.
//! Reading begins at `state` (who may do what when), goes on with `trade` (one file per thing that may
//! be done) and ends at `store` (what is kept).
//!
//! It never decides about a state outside of a table, never moves money but by double entry, never
//! tells of what is not kept, never hashes on a thread that answers, and shares no code with the load
//! tester.

mod account;
mod config;
mod hash;
mod health;
mod http;
mod market;
mod metrics;
mod push;
mod refusal;
mod serve;
mod signature;
mod state;
mod store;
mod sweep;
mod trade;
mod types;
mod work;

pub use config::{AccountConfig, Config, ConfigError, PaymentMode, StoreConfig, TradeConfig};
pub use hash::{HashConfig, HashKind};
pub use http::DoorConfig;
pub use push::PushConfig;
pub use serve::{PORT, ServeError, serve};
pub use store::StoreError;
