//! Truth: a server whose behaviour is exactly known, so that a load tester's report can be compared with it.
//!
//! The path of a request specifies the server's action: respond after an exact delay, stall by a schedule, queue the
//! request, refuse, reset, hang, leak or use CPU time. WebSocket rooms forward messages, and drop, duplicate, swap and
//! stray deliveries on request. `GET /truth` reports exact counts of all actions. `docs/reference/truth.md` lists
//! everything.
//!
//! One thread reads, keeps time and writes. Responses are sent within tens of microseconds of their time. The thread
//! blocks only on the kernel and stores nothing on disk. The crate shares no code with the load tester.

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
