//! Inboxes: the connections on which receivers get their messages, over WebSocket or as server-sent events.

mod events;
mod seat;
mod websocket;

pub(crate) use events::stream;
pub(crate) use seat::Seat;
pub(crate) use websocket::run;
