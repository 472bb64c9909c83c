//! Stored data, in `SQLite` or `PostgreSQL`. There is one module per table, with the same statements for both. The
//! store contains no rules. The rules are in `state`; `trade` and `account` apply them.

pub(crate) mod answers;
mod config;
#[cfg(test)]
mod constraints;
pub(crate) mod deliveries;
pub(crate) mod disputes;
mod error;
pub(crate) mod ledger;
mod migrate;
pub(crate) mod notifications;
pub(crate) mod offers;
mod open;
pub(crate) mod outbox;
pub(crate) mod payments;
pub(crate) mod ratings;
pub(crate) mod requests;
mod row;
pub(crate) mod sessions;
pub(crate) mod users;

pub use config::StoreConfig;
pub use error::StoreError;
pub(crate) use open::{PATIENCE, Store};
