//! The shared backend: registrations and kept messages in Redis, deliveries and changes over NATS. Several instances on
//! the same Redis and NATS are one registry.
//!
//! Redis decides about every registration, in scripts that run atomically. Each instance follows the changes over NATS in
//! its own view, and compares the view with Redis from time to time and after every interruption.
//!
//! Kept messages wait in Redis under a key per identity. `JetStream` would need a consumer per identity, which costs a
//! request and memory for each, while a key costs nothing until a message waits.

#[cfg(test)]
mod agreement;
mod backend;
mod codec;
mod error;
mod follow;
mod keys;
mod link;
mod nats;
mod recent;
mod redis;
mod sender;
mod settle;

pub(crate) use backend::{Shared, SharedConfig};
pub use error::SharedError;
