//! Truth: a server whose behaviour is exactly known, so that what a load tester reports can be held
//! against it.
//!
//! The path of a request says what the server does with it: answer after exactly so long, stall by a
//! schedule, queue it, refuse, reset, hang, leak, burn. WebSocket rooms pass on what is said in them,
//! and drop, duplicate, swap and stray deliveries on order. `GET /truth` tells exactly what was done.
//! `docs/reference/truth.md` lists everything.
//!
//! One thread reads, keeps the time and writes; answers leave within tens of microseconds of their
//! time. It never waits for anything but the kernel, never stores anything on disk, and shares no
//! code with the load tester.

mod clock;
mod config;
mod connection;
mod event_loop;
mod frame;
mod http;
mod leak;
mod order;
mod receipt;
mod room;
mod rooms;
mod route;
mod routes;
mod serve;
mod sockets;
mod stall;
mod station;
mod timers;
mod times;
mod waker;
mod workers;

pub use config::{Config, Limits, PORT};
pub use serve::{Running, serve, start};
