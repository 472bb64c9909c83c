//! Marketplace: buyers post requests, sellers make offers, and both negotiate. The selected offer is paid into
//! escrow, delivered and confirmed. It rebuilds the escrow marketplace of the fourth field report.
//!
//! [`serve`] runs it until it is asked to stop. `README.md` lists routes, states and configuration. Start reading
//! at `state` (who may do what when). Continue with `trade` (one file per operation) and end at `store` (the stored
//! data).
//!
//! It decides about states only by tables, and moves money only by double entry. It never reports uncommitted data,
//! and never hashes on a thread that responds. It shares no code with the load tester.

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
