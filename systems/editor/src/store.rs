//! The store: one append-only log of all updates of all rooms, in `SQLite` or `PostgreSQL`. One task writes them in
//! batches. The queue in front of it is limited by number and by bytes.

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
