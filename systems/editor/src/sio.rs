//! Socket.IO 5 over Engine.IO 4: packets, and the state of one client, whichever transport it comes by:
//! a WebSocket, long polling, or the one after the other. It knows nothing of what the events mean.

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
