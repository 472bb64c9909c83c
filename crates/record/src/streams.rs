use serde::{Deserialize, Serialize};
use stats::Values;

use crate::Timings;

/// Figures of all streams with one name. They cover the chunks that were due in the measured time.
///
/// `chunks` = sent to be answered + sent without a reply + `dropped`; chunks that await replies end as `answered` or
/// `unanswered`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Streams {
    /// Number of streams.
    pub count: u64,
    /// Number of streams that were in progress when the measured time or the level ended.
    pub cut_off: u64,
    /// Number of streams that ended with an error, because replies were missing or the socket closed.
    pub failed: u64,
    /// Number of chunks that were due.
    pub chunks: u64,
    /// Number of chunks whose reply arrived.
    pub answered: u64,
    /// Number of chunks without a reply when their stream ended.
    pub unanswered: u64,
    /// Number of chunks that were never sent.
    pub dropped: u64,
    /// Number of replies that arrived after the reply to a later chunk.
    pub reordered: u64,
    /// Number of replies that answered no chunk.
    pub surplus: u64,
    /// Real-time factor of each stream, from 0 to 1.
    pub real_time_factor: Values,
    /// Time from the end of each stream's audio to the last reply.
    pub lag: Timings,
    /// Time from the end of the first chunk with sound of each utterance to its first result.
    pub first: Timings,
    /// Time from the end of the last chunk with sound of each utterance to its final result.
    #[serde(rename = "final")]
    pub last: Timings,
}

impl Streams {
    /// Adds the figures of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.cut_off += other.cut_off;
        self.failed += other.failed;
        self.chunks += other.chunks;
        self.answered += other.answered;
        self.unanswered += other.unanswered;
        self.dropped += other.dropped;
        self.reordered += other.reordered;
        self.surplus += other.surplus;
        self.real_time_factor.merge(&other.real_time_factor);
        self.lag.merge(&other.lag);
        self.first.merge(&other.first);
        self.last.merge(&other.last);
    }
}
