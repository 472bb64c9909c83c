//! The store, which is an append-only log of all updates in all rooms, in `SQLite` or `PostgreSQL`. One task writes the
//! updates in batches. Its queue is limited by number of updates and by bytes.

mod budget;
mod found;
mod log;
mod pack;
mod place;
mod writer;

pub(crate) use budget::{Budget, Held};
pub(crate) use found::Found;
pub(crate) use log::Log;
pub use log::StoreError;
pub(crate) use writer::{Behind, Done, Writer};
