//! The WebSocket side: one task per connection, which alone reads from and writes to its socket.

mod connection;
mod deliver;
mod hear;
mod open;
mod questions;
mod seat;

pub(crate) use open::open;
