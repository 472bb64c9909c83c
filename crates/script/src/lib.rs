//! Scenarios: TypeScript modules on `QuickJS`, one script engine per worker thread.
//!
//! A [`Bundle`] holds the modules of a scenario, read and stripped of their types once. Each worker
//! makes a [`Script`] of it, starts groups, and hands over what happened ([`host::Wake`]) in bounded
//! turns; what the scenario asks for goes out through [`host::Host`]. The API that scenarios see is
//! written in JavaScript (`prelude/`) on a few native calls (`api/`) that user code cannot reach.
//!
//! This crate opens no socket, reads no clock and starts no thread. It reads files in two places
//! only: the modules of a bundle, and the tables that a module asks for while it loads.

mod api;
mod boot;
mod bundle;
mod data;
mod error;
mod exports;
mod fault;
mod floating;
mod frame;
pub mod host;
mod pinpoint;
mod rejections;
mod root;
mod script;
mod settle;
mod start;
mod state;
mod strip;
mod turn;
mod watch;
mod work;

pub use bundle::Bundle;
pub use data::DataStore;
pub use error::{Problem, ScriptError, ScriptFault};
pub use frame::Location;
pub use script::{Declared, Ended, Limits, NoData, Script};
pub use start::{GroupStart, Roles, UserStart};
