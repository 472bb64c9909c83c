//! The session table of several workers and nodes, in Redis. It counts the sessions of all of them for the global limit,
//! lists them, ends them on request, and keeps the figures of lost ones for a recovery on another node.
//!
//! Each worker writes only its own sessions, in one hash, and holds a lease. When the lease ends, because the worker
//! crashed or is cut off, the other workers remove its sessions. A worker that comes back writes them again.
//!
//! Streams do not depend on Redis: if it is unreachable, open streams continue, and only new sessions are refused.

mod keys;
mod record;
mod store;

pub(super) use record::Shown;
pub(crate) use store::Shared;
pub use store::SharedConfig;
pub(super) use store::{Admission, Ended};
