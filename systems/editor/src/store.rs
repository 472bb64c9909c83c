//! The store, which is an append-only log of all updates in all rooms, in `SQLite` or `PostgreSQL`. One task writes the
//! updates in batches. Its queue is limited by number of updates and by bytes.

mod background;
mod budget;
mod error;
mod found;
mod log;
mod pack;
mod place;
mod writer;

pub(crate) use budget::{Behind, Budget, Held};
pub use error::StoreError;
pub(crate) use log::Log;
pub(crate) use writer::{Done, Writer};
