use model::{Nanos, Timing};
use record::Streams;

use super::finish::Finish;
use crate::recorder::{NAMES_LIMIT, OTHER_NAMES, Recorder};

/// A stream without a reply has no real-time factor if it was cut off before this age.
const TOO_YOUNG: Nanos = Nanos::from_secs(1);

/// The counts of one stream, of its chunks that were due in the measured time.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamTally {
    chunks: u64,
    answered: u64,
    unanswered: u64,
    dropped: u64,
    reordered: u64,
    pub(super) surplus: u64,
    /// Whether the measured time ended before the stream.
    pub(super) is_cut_off: bool,
    /// When the first and the last of these chunks were due.
    due: Option<(Nanos, Nanos)>,
    /// When the first and the last reply arrived.
    replied: Option<(Nanos, Nanos)>,
    /// When the oldest chunk without a reply was due.
    oldest: Option<Nanos>,
}

impl StreamTally {
    fn chunk(&mut self, due: Nanos) {
        self.chunks += 1;
        let (first, last) = self.due.unwrap_or((due, due));
        self.due = Some((first.min(due), last.max(due)));
    }

    /// Counts a chunk that awaits no reply.
    pub(super) fn sent(&mut self, due: Nanos, measured: bool) {
        if measured {
            self.chunk(due);
        }
    }

    pub(super) fn dropped(&mut self, due: Nanos, measured: bool) {
        if measured {
            self.chunk(due);
            self.dropped += 1;
        }
    }

    pub(super) fn answered(&mut self, timing: Timing, is_reordered: bool) {
        self.chunk(timing.planned);
        self.answered += 1;
        self.reordered += u64::from(is_reordered);
        let (first, last) = self.replied.unwrap_or((timing.ended, timing.ended));
        self.replied = Some((first.min(timing.ended), last.max(timing.ended)));
    }

    pub(super) fn unanswered(&mut self, due: Nanos) {
        self.chunk(due);
        self.unanswered += 1;
        self.oldest = Some(self.oldest.map_or(due, |oldest| oldest.min(due)));
    }

    /// The speed of the replies, compared with the pace of the chunks.
    ///
    /// The time counts from the first reply, so that a constant latency does not lower the factor. It ends with the last
    /// reply or, if replies are missing, when the last chunk was due.
    fn real_time_factor(&self, every: Nanos, now: Nanos) -> Option<f64> {
        let (first_due, last_due) = self.due?;
        let Some((first, last)) = self.replied else {
            return (self.unanswered > 0 && now - first_due >= TOO_YOUNG).then_some(0.0);
        };
        let (answered, until) = if self.unanswered == 0 {
            (self.answered - 1, last)
        } else {
            (self.answered, last.max(last_due))
        };
        let time = (until - first).as_secs_f64();
        if self.chunks < 2 {
            return None;
        }
        let audio = every.as_secs_f64() * answered as f64;
        Some(if time > 0.0 {
            (audio / time).min(1.0)
        } else {
            1.0
        })
    }

    /// Counts the stream, if a chunk of it belongs to the measured time.
    pub(super) fn finish(
        &self,
        recorder: &mut Recorder,
        (name, every): (&str, Nanos),
        (now, how): (Nanos, Finish),
    ) {
        let Some((_, last_due)) = self.due else {
            return;
        };
        let figures = figures(recorder, name);
        figures.count += 1;
        figures.cut_off += u64::from(self.is_cut_off || how == Finish::Left);
        figures.failed += u64::from(matches!(how, Finish::RanOut | Finish::Broke));
        figures.chunks += self.chunks;
        figures.answered += self.answered;
        figures.unanswered += self.unanswered;
        figures.dropped += self.dropped;
        figures.reordered += self.reordered;
        figures.surplus += self.surplus;
        if let Some(factor) = self.real_time_factor(every, now) {
            figures.real_time_factor.record(factor);
        }
        match (self.oldest, self.replied, how) {
            (None, Some((_, last)), _) => {
                let lag = last - last_due;
                figures.lag.answered(lag, lag, false);
            }
            (Some(oldest), _, Finish::Left | Finish::Completed) => {
                figures.lag.left_open(now - oldest);
            }
            (Some(oldest), _, Finish::RanOut) => figures.lag.ran_out(now - oldest),
            (Some(_), _, Finish::Broke) => figures.lag.broke(),
            (None, None, _) => {}
        }
    }
}

/// The figures of the streams of this name.
pub(super) fn figures<'a>(recorder: &'a mut Recorder, name: &str) -> &'a mut Streams {
    let streams = &mut recorder.measured.streams;
    let full = streams.len() >= NAMES_LIMIT && !streams.contains_key(name);
    let name = if full { OTHER_NAMES } else { name };
    streams.entry(name.to_owned()).or_default()
}
