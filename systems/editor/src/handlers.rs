//! What clients ask for by Socket.IO: the events of the original, and what is refused.

mod events;
mod payload;
mod visitor;
