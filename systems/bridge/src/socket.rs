//! The WebSocket interface. Each connection has one task, which alone reads from and writes to its socket.

mod connection;
mod deliver;
mod hear;
mod open;
mod questions;
mod seat;

pub(crate) use open::open;
