use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;

use serde::Serialize;
use tokio::time::Instant;

/// A recognition in progress. It continues whether it is polled or not, so that the results of one stream can be awaited
/// in order while the next chunks are already recognised.
pub(crate) type Job = Pin<Box<dyn Future<Output = Result<Recognised, EngineError>> + Send>>;

/// What was recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recognised {
    pub(crate) text: String,
    /// The words with their times, if the engine knows them.
    pub(crate) words: Vec<Word>,
}

/// A word and its position, in milliseconds from the beginning of the audio that the recogniser got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Word {
    #[serde(rename = "word")]
    pub(crate) text: String,
    pub(crate) start_ms: u64,
    pub(crate) end_ms: u64,
}

/// Reason why an engine recognised nothing. The text contains neither the API key nor the endpoint's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EngineError {
    #[error("all {0} recognisers are in use")]
    Busy(u32),
    #[error("the recogniser ended")]
    Ended,
    #[error("the endpoint did not respond in time")]
    Timeout,
    #[error("the endpoint cannot be reached")]
    Unreachable,
    #[error("the endpoint responded with status {0}")]
    Status(u16),
    #[error("the response is not a transcription")]
    Garbage,
}

/// Reason why an engine cannot start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StartError {
    /// The URL of the endpoint is missing or not valid.
    #[error("`--remote-url` is not valid: {0}")]
    Url(String),
    /// The recogniser does not start.
    #[error("{0}")]
    Recogniser(String),
}

/// Turns speech into text, for all sessions of a worker.
pub(crate) trait Engine: fmt::Debug + Send + Sync {
    /// The recogniser of a new stream. Fails with [`EngineError::Busy`] if the engine could not follow one more stream.
    fn stream(&self) -> Result<Box<dyn Recogniser>, EngineError>;

    /// Recognises a whole recording that was received at `heard`.
    fn whole(&self, samples: Vec<i16>, heard: Instant) -> Job;

    /// Maximum number of streams. `None` if the engine does not limit them.
    fn capacity(&self) -> Option<u32> {
        None
    }
}

/// Recognises the utterances of one stream, one after another.
pub(crate) trait Recogniser: fmt::Debug + Send {
    /// Adds audio to the current utterance. `speech` is false for the silence before it and for pauses.
    fn feed(&mut self, frame: &[i16], speech: bool);

    /// The words recognised since the previous call, for a chunk that was received at `heard`. Called once per chunk
    /// that ends no utterance.
    fn partial(&mut self, heard: Instant) -> Job;

    /// Ends the current utterance. The result is all of its text.
    fn finish(&mut self, heard: Instant) -> Job;
}

/// A job that has nothing to do.
pub(super) fn nothing() -> Job {
    Box::pin(ready(Ok(Recognised::default())))
}
