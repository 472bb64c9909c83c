//! The WebSocket interface. Each connection has one task, which does all reading and writing on its socket.

mod connection;
mod deliver;
mod hear;
mod open;
mod questions;
mod seat;

pub(crate) use open::open;
