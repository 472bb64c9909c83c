use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::session::Session;
use crate::audio::millis;

/// A session in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    session_id: String,
    state: String,
    created_at: String,
    last_activity_at: String,
    audio_duration_ms: f64,
}

/// Sums over live sessions.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Sums {
    pub(super) active_sessions: usize,
    pub(super) total_sessions: usize,
    total_audio_bytes: u64,
    total_audio_duration_ms: f64,
    total_chunks: u64,
    total_transcripts: u64,
}

/// The figures of a session that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PreviousMetrics {
    audio_bytes_received: u64,
    audio_chunks_received: u64,
    transcripts_sent: u64,
    partials_sent: u64,
    finals_sent: u64,
    errors_sent: u64,
    audio_duration_ms: f64,
}

/// A session that ended and can be recovered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Past {
    pub(crate) metrics: PreviousMetrics,
    /// The words of the utterance that was cut off.
    pub(crate) text: String,
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// As Python writes a moment in UTC.
fn iso(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

impl Session {
    pub(crate) fn line(&self) -> Line {
        Line {
            session_id: self.id.to_string(),
            state: self.state().name().to_owned(),
            created_at: iso(self.created_at),
            last_activity_at: iso(self.last_activity_at()),
            audio_duration_ms: millis(get(&self.audio_samples)),
        }
    }

    pub(crate) fn past(&self) -> Past {
        let text = self
            .unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Past {
            metrics: PreviousMetrics {
                audio_bytes_received: get(&self.audio_bytes),
                audio_chunks_received: get(&self.audio_chunks),
                transcripts_sent: get(&self.transcripts),
                partials_sent: get(&self.partials),
                finals_sent: get(&self.finals),
                errors_sent: get(&self.errors),
                audio_duration_ms: millis(get(&self.audio_samples)),
            },
            text: text.clone(),
        }
    }
}

impl Sums {
    pub(super) fn add(&mut self, session: &Session) {
        self.total_sessions += 1;
        self.active_sessions += 1;
        self.total_audio_bytes += get(&session.audio_bytes);
        self.total_audio_duration_ms += millis(get(&session.audio_samples));
        self.total_chunks += get(&session.audio_chunks);
        self.total_transcripts += get(&session.transcripts);
    }
}
