//! Engines, which turn speech into text: simulated, `PocketSphinx`, or an endpoint with the `OpenAI` transcription API.

mod config;
mod open;
mod pocketsphinx;
mod recogniser;
mod remote;
mod simulated;
mod words;

pub use config::{EngineConfig, EngineKind};
pub(crate) use open::open;
pub(crate) use recogniser::{Engine, EngineError, Job, Recognised, Recogniser, Word};
