//! Transcription turns speech into text. Clients stream audio over WebSocket and receive partial and final text, or post
//! a recording.
//!
//! [`app`] returns the service as a router. [`serve`] runs the service until a stop is requested. Recognition is
//! pipelined: the chunks of a stream are recognised at the same time, and replies keep the order of the chunks.
//! `README.md` lists routes, messages and configuration.
//!
//! The service stores nothing on disk. It shares no code with the load tester.

mod answer;
mod audio;
mod config;
mod engine;
mod http;
mod limits;
mod metrics;
mod query;
mod serve;
mod service;
mod sessions;
mod socket;
#[cfg(test)]
mod testing;
mod voice;

pub use config::{Config, ConfigError};
pub use engine::{EngineConfig, EngineKind};
pub use kit::secret::Secret;
pub use limits::{Limits, SlowClients, Times, VadKind, VoiceConfig};
pub use serve::{PORT, ServeError, app, serve};
pub use sessions::SharedConfig;
