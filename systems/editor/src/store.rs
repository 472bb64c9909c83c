//! What is saved: every update of every room in one append-only log, in `SQLite` or `PostgreSQL`. One
//! task writes, many updates at a time; it knows nothing of what an update does.

mod log;
mod pack;
mod writer;

pub(crate) use log::Log;
pub use log::StoreError;
pub(crate) use writer::{Behind, Done, Writer};
