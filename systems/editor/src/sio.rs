//! Socket.IO 5 over Engine.IO 4, with its packets and the state of each client. Clients use WebSocket or long polling,
//! or upgrade from polling to WebSocket. This module does not interpret events.

mod client;
mod engine;
pub(crate) mod packet;
mod polling;
mod query;

pub(crate) use client::Handlers;
pub(crate) use engine::{Beat, open};
pub(crate) use packet::Event;
pub(crate) use polling::Polling;
pub(crate) use query::Query;
