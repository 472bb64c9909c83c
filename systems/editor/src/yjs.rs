//! The standard sync and awareness protocols of Yjs, over one WebSocket per client and room.

mod message;
mod session;

pub(crate) use message::{presence, update};
pub(crate) use session::open;
