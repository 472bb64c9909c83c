//! Shared code of the systems in `systems/`:
//!
//! * [`program`], the stand-alone program of a system;
//! * [`serve`], serving with a graceful stop;
//! * [`config`], configuration by flags and environment variables;
//! * [`database`], the location of a system's database;
//! * [`metrics`], `/metrics` and `/healthz`;
//! * [`log`], logs;
//! * [`page`], pages that are embedded in the binary;
//! * [`token`], unguessable tokens;
//! * [`secret`], values that are never shown;
//! * [`body`], [`descriptors`], [`origin`], [`limit`], [`rate`], [`network`], [`socket`], [`json`], [`mod@file`], [`memory`],
//!   [`turns`], protection against hostile clients;
//! * [`fault`], injected faults, whose exact counts can be compared with a load tester's report.
//!
//! Only [`program`] prints, and nothing ends the process except an injected crash. This crate contains no behaviour of a
//! particular system. It shares no code with the load tester, because an error in shared code would stay hidden.

pub mod body;
pub mod config;
pub mod database;
pub mod descriptors;
pub mod fault;
pub mod file;
pub mod json;
pub mod limit;
mod list;
pub mod log;
pub mod memory;
pub mod metrics;
pub mod network;
pub mod origin;
pub mod page;
pub mod program;
pub mod rate;
pub mod secret;
pub mod serve;
pub mod socket;
pub mod span;
#[cfg(feature = "testing")]
pub mod testing;
pub mod token;
pub mod turns;
