//! The shared backend: registrations and kept messages in Redis, deliveries and changes over NATS. Several instances on
//! the same Redis and NATS are one registry.
//!
//! Redis decides about every registration, in scripts that run atomically. Each instance follows the changes over NATS in
//! its own view, and compares the view with Redis from time to time and after every interruption.
//!
//! Kept messages wait in Redis, in one sorted set per namespace with an entry for each identity and message. One command
//! adds or removes the entries of thousands of identities. `JetStream` would need a consumer per identity, which costs a
//! request and memory for each.

#[cfg(test)]
mod agreement;
mod backend;
mod codec;
mod error;
mod follow;
mod keys;
mod link;
mod nats;
mod queue;
#[cfg(test)]
mod queue_tests;
mod recent;
mod redis;
mod sender;
mod settle;

pub(crate) use backend::{Shared, SharedConfig};
pub use error::SharedError;
