use delivery::Pointer;
use model::{Fault, Nanos};
use record::Timings;
use script::host::{Pattern, StreamCall};

use super::finish::Finish;
use super::pace::Pace;
use super::tally::figures;
use crate::filter::{Filter, pointer};
use crate::recorder::Recorder;

/// The results of a stream's utterances: the first result of each, and the final one.
///
/// The first result counts from the end of the utterance's first chunk with sound, the final one from the end of its last
/// chunk with sound. The audio of a chunk ends when the chunk is due, because a microphone could not send it earlier.
#[derive(Debug)]
pub(super) struct Results {
    first: Option<Awaited>,
    last: Option<Awaited>,
}

/// One kind of result.
#[derive(Debug)]
struct Awaited {
    only: Filter,
    has: Option<Pointer>,
    /// The next utterance without such a result.
    next: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    First,
    Final,
}

/// How a message reached the stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Heard {
    /// As the reply to this chunk.
    Reply(u64),
    /// Not as a reply, when this number of chunks was due.
    Unasked(u64),
}

type Stream<'a> = (&'a StreamCall, Pace);

impl Results {
    pub(super) fn new(first: Option<Pattern>, last: Option<Pattern>) -> Result<Self, Fault> {
        let awaited = |pattern: Option<Pattern>, kind| {
            let made = pattern.map(|pattern| Awaited::new(pattern, kind));
            made.transpose()
        };
        Ok(Self {
            first: awaited(first, Kind::First)?,
            last: awaited(last, Kind::Final)?,
        })
    }

    /// Counts the message if it is the result of an utterance. Returns whether it looks like a result.
    pub(super) fn note(
        &mut self,
        message: &[u8],
        (heard, now): (Heard, Nanos),
        stream: Stream<'_>,
        recorder: &mut Recorder,
    ) -> bool {
        let mut is_result = false;
        for awaited in self.first.iter_mut().chain(&mut self.last) {
            if awaited.fits(message) {
                is_result = true;
                awaited.note((heard, now), stream, recorder);
            }
        }
        is_result
    }

    /// Counts the utterances that have no result when the stream ends.
    pub(super) fn finish(
        &self,
        (call, pace): Stream<'_>,
        (now, how): (Nanos, Finish),
        recorder: &mut Recorder,
    ) {
        for awaited in self.first.iter().chain(&self.last) {
            let sent = pace.due_by(now);
            let mut utterance = awaited.next;
            while let Some(chunk) = awaited.kind.chunk(call, utterance)
                && chunk < sent
            {
                let due = pace.due(chunk);
                awaited.kind.time(recorder, call, due, |timings| {
                    if how == Finish::Left {
                        timings.left_open(now - due);
                    } else {
                        timings.ran_out(now - due);
                    }
                });
                utterance += 1;
            }
        }
    }
}

impl Awaited {
    fn new(pattern: Pattern, kind: Kind) -> Result<Self, Fault> {
        Ok(Self {
            only: Filter::any_of(pattern.only)?,
            has: pattern.has.as_deref().map(pointer).transpose()?,
            next: 0,
            kind,
        })
    }

    fn fits(&self, message: &[u8]) -> bool {
        let has = |at: &Pointer| at.find(message).is_some_and(is_something);
        self.only.fits(message) && self.has.as_ref().is_none_or(has)
    }

    fn note(
        &mut self,
        (heard, now): (Heard, Nanos),
        (call, pace): Stream<'_>,
        recorder: &mut Recorder,
    ) {
        let utterance = match heard {
            Heard::Reply(chunk) => self.kind.latest(call, chunk),
            Heard::Unasked(due) => {
                let chunk = self.kind.chunk(call, self.next);
                chunk.filter(|chunk| *chunk < due).map(|_| self.next)
            }
        };
        // A pause yields a final result again and again. Only the first belongs to the utterance.
        let Some(utterance) = utterance.filter(|utterance| *utterance >= self.next) else {
            return;
        };
        for skipped in self.next..utterance {
            if let Some(chunk) = self.kind.chunk(call, skipped) {
                let due = pace.due(chunk);
                let missing = |timings: &mut Timings| timings.ran_out(now - due);
                self.kind.time(recorder, call, due, missing);
            }
        }
        if let Some(chunk) = self.kind.chunk(call, utterance) {
            let due = pace.due(chunk);
            let latency = now - due;
            let arrived = |timings: &mut Timings| timings.answered(latency, latency, false);
            self.kind.time(recorder, call, due, arrived);
        }
        self.next = utterance + 1;
    }
}

impl Kind {
    /// The chunk from whose end the result of an utterance counts. Utterances are numbered over all repetitions.
    fn chunk(self, call: &StreamCall, utterance: u64) -> Option<u64> {
        let all = call.chunks.utterances();
        let of = all.len() as u64;
        let repetition = utterance.checked_div(of)?;
        if repetition >= call.repeat.into() {
            return None;
        }
        let one = all.get(usize::try_from(utterance % of).ok()?)?;
        let chunk = if self == Self::First {
            one.first
        } else {
            one.last
        };
        Some(repetition * call.chunks.count() + chunk)
    }

    /// The latest utterance whose result the reply to this chunk can contain.
    fn latest(self, call: &StreamCall, chunk: u64) -> Option<u64> {
        let all = call.chunks.utterances();
        let count = call.chunks.count();
        let (repetition, place) = (chunk.checked_div(count)?, chunk % count);
        let begun = all.partition_point(|one| {
            let from = if self == Self::First {
                one.first
            } else {
                one.last
            };
            from <= place
        });
        (repetition * all.len() as u64 + begun as u64).checked_sub(1)
    }

    /// Counts a result of audio that ended at `due`, if this belongs to the measured time.
    fn time(
        self,
        recorder: &mut Recorder,
        call: &StreamCall,
        due: Nanos,
        count: impl FnOnce(&mut Timings),
    ) {
        if recorder.measures(due, due) {
            let figures = figures(recorder, &call.name);
            count(if self == Self::First {
                &mut figures.first
            } else {
                &mut figures.last
            });
        }
    }
}

/// Whether a JSON value is neither null nor an empty string.
fn is_something(value: &[u8]) -> bool {
    !matches!(value, b"null" | b"\"\"")
}
