//! Bridge is a chat server. Users talk in rooms, with each other and with an agent, over HTTP and WebSocket. Each user
//! has a session.
//!
//! [`app`] returns the service as a router. [`serve`] runs the service until a stop is requested. Everyone who listens
//! in a room receives its messages, in the same order. Only the speaker receives the agent's reply. `README.md` lists
//! routes, messages and configuration.
//!
//! The bridge stores nothing on disk, and shows a session's secret only to its user. It shares no code with the load
//! tester.

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
