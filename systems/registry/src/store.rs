//! The `SQLite` database of the embedded backend: registrations, and messages that must outlast their multicast. One
//! task writes, and commits everything that was queued meanwhile in one transaction.

mod open;
mod read;
mod write;

pub(crate) use open::Store;
pub use open::StoreError;
pub(crate) use write::{Kept, Saved};
