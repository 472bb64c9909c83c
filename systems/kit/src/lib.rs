//! What every system of `systems/` needs and none should write twice: serving with a graceful stop
//! ([`serve`]), configuration by flags and environment ([`config`]), `/metrics` and `/healthz`
//! ([`metrics`]), logs ([`log`]), unguessable tokens ([`token`]), values that are
//! never shown ([`secret`]), what keeps hostile clients in bounds ([`descriptors`], [`origin`], [`limit`],
//! [`network`], [`socket`], [`json`], [`mod@file`]), and faults on order ([`fault`]),
//! which make a system the known truth that a load tester's report is held against.
//!
//! It never prints, never ends the process (but for a crash that was ordered), knows nothing of any
//! system's subject, and shares no code with the load tester: a fault in our own codec must not be
//! cancelled by its twin.

pub mod config;
pub mod descriptors;
pub mod fault;
pub mod file;
pub mod json;
pub mod limit;
mod list;
pub mod log;
pub mod metrics;
pub mod network;
pub mod origin;
pub mod secret;
pub mod serve;
pub mod socket;
pub mod span;
#[cfg(feature = "testing")]
pub mod testing;
pub mod token;
