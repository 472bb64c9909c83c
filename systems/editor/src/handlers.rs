//! Handlers for the messages of clients, with their checks and refusals: the Socket.IO events of the original editor
//! (`events`), and Yjs (`yjs`).

mod events;
mod payload;
mod visitor;
pub(crate) mod yjs;
