//! What is saved: every update of every room in one append-only log, in `SQLite` or `PostgreSQL`. One
//! task writes, many updates at a time; what waits for it is limited by number and by bytes.

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
