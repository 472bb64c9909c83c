//! What the transcription study reads from a level.

use record::{Level, Streams, Timings};

use crate::figures::memory;

/// The round trips of chunks in a closed loop.
pub(super) fn chunks(level: &Level) -> Timings {
    let found = level.measured.round_trips.get("audio_chunk");
    found.cloned().unwrap_or_default()
}

/// Operations per second of the measured time.
pub(super) fn per_s(level: &Level, timings: &Timings) -> f64 {
    if level.phases.duration_s > 0.0 {
        timings.count as f64 / level.phases.duration_s
    } else {
        0.0
    }
}

/// The live streams of a level.
pub(super) fn streams(level: &Level) -> Streams {
    let found = level.measured.streams.values().next();
    found.cloned().unwrap_or_default()
}

/// The round trips of the chunks of live streams.
pub(super) fn round_trips(level: &Level) -> Timings {
    let found = level.measured.round_trips.get("voice");
    found.cloned().unwrap_or_default()
}

/// The posted recordings of a level.
pub(super) fn recordings(level: &Level) -> Timings {
    let found = level.measured.requests.get("transcribe");
    found.cloned().unwrap_or_default()
}

/// The memory by which a session grows, in kB.
pub(super) fn kb_each(level: &Level) -> Option<f64> {
    let grown = memory(level)? - level.target.as_ref()?.memory_mb_start?;
    Some(grown * 1e3 / level.load.users as f64)
}
