//! Socket.IO 5 over Engine.IO 4: packets, and the state of one client. A client that comes by
//! WebSocket alone is served here whole; long polling, and the upgrade from it, is `engineioxide`'s.
//! It knows nothing of what the events mean.

mod client;
mod engine;
pub(crate) mod packet;
mod polling;

pub(crate) use client::Desk;
pub(crate) use engine::{Beat, open};
pub(crate) use packet::Event;
pub(crate) use polling::{Polling, answer, service};
