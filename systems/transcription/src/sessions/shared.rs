//! The session table of several workers and nodes, in Redis. It counts the sessions of all of them for the global limit,
//! lists them, ends them on request, and keeps the figures of lost ones for a recovery on another node.
//!
//! Each worker writes only its own sessions, in one hash, and holds a lease. When the lease ends, because the worker
//! crashed or is cut off, the other workers remove its sessions. A worker that comes back writes them again before its
//! lease begins, so that a lease means that all sessions of its worker count. A worker is one process: its name in the table
//! has a random part, so that two processes with one `--worker-id` do not share sessions.
//!
//! What two workers could do at the same time is one script in Redis: an admission, a recovery, a request to end a session.
//! A message to a worker stays in Redis until the worker acknowledges it.
//!
//! Streams do not depend on Redis: if it is unreachable, open streams continue, and only new sessions are refused.

mod config;
mod keys;
mod record;
mod scripts;
mod store;

pub use config::SharedConfig;
pub(super) use record::Shown;
pub(crate) use store::Shared;
pub(super) use store::{Admission, Ended, Live};

#[cfg(test)]
mod tests;
