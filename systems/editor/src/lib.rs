//! Editor is a collaborative text editor. Rooms offer two protocols: the Socket.IO events of the original editor, and
//! the sync and awareness protocols of Yjs. Both share one document, which the server keeps as a CRDT and saves. The
//! editor serves to repeat the original's load test.
//!
//! [`serve`] runs the editor until a stop is requested. `README.md` lists routes, events and configuration.
//!
//! The editor never runs a program outside of a sandbox, never acknowledges unsaved data, and never waits for a
//! recipient that does not read. It shares no code with the load tester.

mod bus;
mod config;
mod document;
mod editor;
mod handlers;
mod http;
mod id;
mod line;
mod metrics;
mod page;
mod recipient;
mod refusal;
mod room;
pub mod run;
mod serve;
mod sio;
mod store;
mod yjs;

pub use bus::BusError;
pub use config::{Config, ConfigError, Limits, PORT, RunConfig, Times};
pub use serve::{ServeError, serve};
pub use store::StoreError;
