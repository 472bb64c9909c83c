//! Socket.IO 5 over Engine.IO 4: packets, and the state of a client, whether it uses WebSocket, long polling, or
//! upgrades from one to the other. This module does not interpret events.

mod client;
mod engine;
pub(crate) mod packet;
mod polling;
mod query;

pub(crate) use client::Handlers;
pub(crate) use engine::{Beat, open};
pub(crate) use packet::Event;
pub(crate) use polling::{Mailbox, Polling};
pub(crate) use query::Query;
