//! Truth: a server whose behaviour is exactly known, so that a load tester's report can be compared with it.
//!
//! The path of a request selects what the server does: delay, stall, queue, refuse, reset, hang, leak memory or use CPU
//! time. WebSocket rooms forward messages, and drop, duplicate, swap and stray deliveries on request. `GET /truth`
//! reports exact counts of all actions. `docs/reference/truth.md` lists all paths and counts.
//!
//! One thread does all reading, timing and writing. It sends responses within tens of microseconds of their due time.
//! Only system calls can block the thread, and it stores nothing on disk. The crate shares no code with the load
//! tester.

mod alarm;
mod clock;
mod config;
mod connection;
mod counts;
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
mod slow_reader;
mod sockets;
mod stall;
mod station;
mod timers;
mod times;
mod waker;
mod workers;

pub use config::{Config, Limits, PORT};
pub use serve::{Running, serve, start};
