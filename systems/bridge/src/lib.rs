//! Bridge: users talk in rooms, with each other and with an agent, over HTTP and WebSocket; each in
//! a session of their own.
//!
//! [`app`] is the whole service as a router, [`serve`] runs it until it is asked to stop. What is
//! said in a room is heard by everyone who listens there, in one order; what the agent answers is
//! heard by the speaker alone. `README.md` lists routes, messages and configuration.
//!
//! It never stores anything on disk, never shows a session's secret to anybody but its user, and
//! shares no code with the load tester.

mod agent;
mod bridge;
mod config;
mod house;
mod http;
mod mailbox;
mod metrics;
mod refusal;
mod serve;
mod socket;
mod wire;

pub use agent::AgentConfig;
pub use config::{Config, ConfigError};
pub use kit::secret::Secret;
pub use serve::{PORT, ServeError, app, serve};
