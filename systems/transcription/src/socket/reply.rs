use serde::Serialize;

use super::refusal::Refusal;
use crate::engine::Word;
use crate::sessions::PreviousMetrics;

/// A message to a client.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Reply<'a> {
    SessionStart {
        session_id: &'a str,
    },
    Partial {
        text: &'a str,
    },
    Final {
        text: &'a str,
        /// Position of the utterance in the audio of the session.
        start_ms: u64,
        end_ms: u64,
        #[serde(skip_serializing_if = "<[Word]>::is_empty")]
        words: &'a [Word],
    },
    Error {
        message: &'a str,
        code: &'a str,
    },
    SessionRecovered {
        previous_session_id: &'a str,
        previous_metrics: &'a PreviousMetrics,
        /// The words of the utterance that was cut off.
        text: &'a str,
        message: &'a str,
    },
}

impl Reply<'_> {
    /// The message as JSON.
    pub(super) fn write(&self) -> String {
        // Writing these types to a string cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// An error as JSON.
pub(super) fn error(refusal: &Refusal) -> String {
    let message = refusal.to_string();
    let code = refusal.code();
    Reply::Error {
        message: &message,
        code,
    }
    .write()
}
