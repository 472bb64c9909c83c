//! What is kept, in `SQLite` or `PostgreSQL`: one module per table, the same statements for both. It
//! knows rows, not rules: what may happen is told by `state` and done by `trade` and `account`.

pub(crate) mod answers;
#[cfg(test)]
mod constraints;
pub(crate) mod deliveries;
pub(crate) mod disputes;
pub(crate) mod ledger;
mod migrate;
pub(crate) mod notifications;
pub(crate) mod offers;
mod open;
pub(crate) mod outbox;
pub(crate) mod payments;
pub(crate) mod ratings;
pub(crate) mod requests;
pub(crate) mod sessions;
pub(crate) mod users;

pub use open::StoreError;
pub(crate) use open::{PATIENCE, Store};
