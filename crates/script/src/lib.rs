//! Scenarios: TypeScript modules on `QuickJS`, one script engine per worker thread.
//!
//! A [`Bundle`] holds the modules of a scenario, read and stripped of their types once. Each worker creates a
//! [`Script`] from it, starts groups, and passes events ([`host::Wake`]) in bounded turns. Requests of the scenario go
//! out through [`host::Host`].
//!
//! The API for scenarios is written in JavaScript (`prelude/`), on top of native calls (`api/`) that user code cannot
//! reach.
//!
//! This crate opens no socket, reads no clock, and starts no thread except for the TypeScript parser. It reads only two
//! kinds of files: modules of a bundle, and tables that a module opens while it loads.

#[macro_use]
mod registry;
#[macro_use]
mod loading;

mod api;
mod audiences;
mod audio;
mod boot;
mod bundle;
mod data;
mod declared;
mod entry;
mod env;
mod error;
mod exports;
mod failure;
mod fault;
mod floating;
mod frame;
pub mod host;
mod interpreter;
mod iteration;
mod kept;
mod linker;
mod message;
mod nats;
mod payload;
mod pinpoint;
mod redis;
mod rejections;
mod root;
mod rounds;
mod script;
mod settle;
mod stack;
mod start;
mod state;
mod strip;
mod stuck;
mod turn;
mod watch;
mod work;

pub use audio::{Chunks, Utterance};
pub use bundle::Bundle;
pub use data::{DataStore, UniqueTable};
pub use declared::{Declared, NoData};
pub use env::Env;
pub use error::{Problem, ScriptError, ScriptFault};
pub use frame::Location;
pub use interpreter::Limits;
pub use iteration::{Ended, GroupStart, Roles, UserStart};
pub use root::file_within;
pub use script::Script;
