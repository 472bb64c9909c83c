//! Handlers for the Socket.IO events of the original editor, with their checks and refusals.

mod events;
mod payload;
mod visitor;
