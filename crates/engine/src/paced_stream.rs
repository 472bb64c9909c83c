//! A stream that a user sends on a socket: its pace, its chunks in flight, their replies, and its figures. It knows no
//! connection: `paced` sends the chunks.

mod finish;
mod flight;
mod pace;
mod results;
mod tally;

use std::collections::VecDeque;

use delivery::Pointer;
use model::{Fault, FaultKind, Nanos, Timing};
use script::host::{OpId, Piece, StreamCall, Value, Wake};

use crate::filter::{Filter, pointer};
use crate::net::socket::Wire;
use crate::recorder::{Ending, Family, Recorder};
pub(crate) use finish::Finish;
use flight::Flight;
use pace::Pace;
use results::{Heard, Results};
use tally::StreamTally;

/// The most pieces of a message: those around the chunk and around its number, and these two.
const PIECES: usize = 8;

/// A stream, from its start until its socket carries another one.
#[derive(Debug)]
pub(crate) struct PacedStream {
    call: StreamCall,
    /// The operation of the script; `None` once the stream has ended.
    op: Option<OpId>,
    /// The name under which the round trips are measured.
    round_trip: usize,
    pace: Pace,
    replies: Option<Replies>,
    flight: Flight,
    results: Results,
    tally: StreamTally,
    /// Time limit for the remaining replies, from the end of the audio.
    timeout: Nanos,
    /// Whether the chunks wait until the socket is writable.
    is_blocked: bool,
    has_waited: bool,
    /// The time of the timer that is set for the next chunk. Earlier timers have no effect.
    pub(crate) alarm: Nanos,
}

/// How replies are found and matched.
#[derive(Debug)]
struct Replies {
    only: Filter,
    /// The place of the chunk's number. Without one, replies arrive in the order of the chunks.
    by: Option<Pointer>,
}

impl PacedStream {
    /// A stream whose first chunk is due at `begun`.
    pub(crate) fn new(
        op: OpId,
        call: StreamCall,
        (begun, timeout): (Nanos, Nanos),
        round_trip: usize,
    ) -> Result<Self, Fault> {
        let replies = call.reply.clone().map(|reply| {
            Ok::<_, Fault>(Replies {
                only: Filter::any_of(reply.only)?,
                by: reply.by.as_deref().map(pointer).transpose()?,
            })
        });
        let pace = Pace {
            begun,
            every: call.every,
            total: call.chunks.count().saturating_mul(call.repeat.into()),
        };
        Ok(Self {
            op: Some(op),
            round_trip,
            pace,
            replies: replies.transpose()?,
            flight: Flight::default(),
            results: Results::new(call.first.clone(), call.last.clone())?,
            tally: StreamTally::default(),
            timeout,
            is_blocked: false,
            has_waited: false,
            alarm: Nanos::ZERO,
            call,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.call.name
    }

    /// Whether the stream has not ended.
    pub(crate) fn is_running(&self) -> bool {
        self.op.is_some()
    }

    /// Whether chunks wait until the socket is writable.
    pub(crate) fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// The time at which the next chunk is due; `None` if all are sent.
    pub(crate) fn next_due(&self) -> Option<Nanos> {
        let next = self.flight.next();
        (self.is_running() && next < self.pace.total).then(|| self.pace.due(next))
    }

    /// The time at which the time limit of the stream ends.
    pub(crate) fn limit(&self) -> Nanos {
        if self.is_running() {
            self.end_of_audio() + self.timeout
        } else {
            Nanos::MAX
        }
    }

    fn end_of_audio(&self) -> Nanos {
        self.pace.due(self.pace.total.saturating_sub(1))
    }

    /// Sends no more chunks.
    pub(crate) fn stop(&mut self) {
        self.pace.total = self.flight.next();
        self.is_blocked = false;
    }

    /// Sends no chunks that are due at `end` or later.
    pub(crate) fn cut_off(&mut self, end: Nanos) {
        let due = self.pace.due_by(Nanos(end.0.saturating_sub(1)));
        self.pace.total = due.max(self.flight.next());
        self.tally.is_cut_off = true;
    }

    /// Lets the chunks wait until the socket is writable. Returns whether this is the first time.
    pub(crate) fn wait(&mut self) -> bool {
        self.is_blocked = true;
        !std::mem::replace(&mut self.has_waited, true)
    }

    /// Ends the wait. Returns whether there was one.
    pub(crate) fn resume(&mut self) -> bool {
        std::mem::take(&mut self.is_blocked)
    }

    /// Sends the next chunk, which was due at `due`. `frame` is a buffer for it. If too many chunks await their replies,
    /// the chunk is dropped.
    pub(crate) fn send(
        &mut self,
        wire: &mut Wire,
        frame: &mut Vec<u8>,
        (due, now): (Nanos, Nanos),
        recorder: &mut Recorder,
    ) -> Result<(), Fault> {
        let measured = recorder.measures(due, due);
        if self.flight.open() >= self.call.in_flight as usize {
            self.flight.skip();
            self.tally.dropped(due, measured);
            return Ok(());
        }
        let chunk = self.flight.next();
        if self.replies.is_some() {
            self.flight.push(now);
        } else {
            self.flight.skip();
            self.tally.sent(due, measured);
        }
        self.write(chunk, wire, frame)
    }

    fn write(&self, chunk: u64, wire: &mut Wire, frame: &mut Vec<u8>) -> Result<(), Fault> {
        let place = chunk % self.call.chunks.count().max(1);
        let Some(template) = &self.call.template else {
            return wire.send_binary_in(frame, self.call.chunks.binary(place));
        };
        let mut digits = [0; 20];
        let number = decimal(chunk, &mut digits);
        let mut parts = [""; PIECES];
        for (part, piece) in parts.iter_mut().zip(&template.0) {
            *part = match piece {
                Piece::Text(text) => text,
                Piece::Chunk => self.call.chunks.base64(place),
                Piece::Number => number,
            };
        }
        wire.send_text_in(frame, &parts)
    }

    /// Offers a received message. Returns whether the stream consumed it: as the reply to a chunk, as a result, or as
    /// both.
    pub(crate) fn receive(&mut self, message: &[u8], now: Nanos, recorder: &mut Recorder) -> bool {
        let is_reply = self.is_reply(message);
        let heard = if is_reply {
            match self.reply(message, now, recorder) {
                Some(chunk) => Heard::Reply(chunk),
                None => return true,
            }
        } else {
            Heard::Unasked(self.pace.due_by(now))
        };
        let is_result = self
            .results
            .note(message, (heard, now), (&self.call, self.pace), recorder);
        is_reply || is_result
    }

    /// Whether the message passes the filter for replies.
    pub(crate) fn is_reply(&self, message: &[u8]) -> bool {
        let replies = self.replies.as_ref();
        replies.is_some_and(|replies| replies.only.fits(message))
    }

    /// Counts a reply. Returns the chunk that it answers; `None` if it answers none.
    fn reply(&mut self, message: &[u8], now: Nanos, recorder: &mut Recorder) -> Option<u64> {
        let by = self
            .replies
            .as_ref()
            .and_then(|replies| replies.by.as_ref());
        let taken = match by {
            None => self.flight.take_oldest(),
            Some(by) => number_at(by, message).and_then(|number| self.flight.take(number)),
        };
        let Some(taken) = taken else {
            self.surplus(now, recorder);
            return None;
        };
        let timing = Timing {
            planned: self.pace.due(taken.chunk),
            started: taken.sent,
            ended: now,
        };
        let ending = Ending::Answered { failed: false };
        let timings = recorder.time(Family::RoundTrip, self.round_trip, timing, ending);
        if timings.is_some() {
            self.tally.answered(timing, taken.is_reordered);
        }
        Some(taken.chunk)
    }

    /// Counts a reply that answers no chunk.
    pub(crate) fn surplus(&mut self, now: Nanos, recorder: &mut Recorder) {
        let last = self.pace.due(self.flight.next().saturating_sub(1));
        if !recorder.measures(last, now) {
            return;
        }
        if self.is_running() {
            self.tally.surplus += 1;
        } else {
            tally::figures(recorder, self.name()).surplus += 1;
        }
    }

    /// Ends the stream if everything was sent and answered.
    pub(crate) fn complete(
        &mut self,
        recorder: &mut Recorder,
        wakes: &mut VecDeque<Wake>,
        now: Nanos,
    ) {
        let is_done = self.flight.next() >= self.pace.total && self.flight.open() == 0;
        if is_done && self.is_running() {
            self.finish(recorder, now, Finish::Completed);
            wakes.extend(self.op.take().map(|op| Wake::Done {
                op,
                result: Ok(Value::Nothing),
            }));
        }
    }

    /// Ends the stream. Returns its operation, and the number of round trips that were counted as failed.
    pub(crate) fn end(
        &mut self,
        recorder: &mut Recorder,
        now: Nanos,
        how: Finish,
    ) -> Option<(OpId, u64)> {
        if !self.is_running() {
            return None;
        }
        let failed = self.finish(recorder, now, how);
        self.op.take().map(|op| (op, failed))
    }

    /// Counts the figures of a stream that ends at `now`, with the chunks that have no reply. Returns the number of round
    /// trips that were counted as failed.
    pub(crate) fn finish(&self, recorder: &mut Recorder, now: Nanos, how: Finish) -> u64 {
        let mut tally = self.tally.clone();
        let mut failed = 0;
        for chunk in self.awaited(now) {
            let due = self.pace.due(chunk);
            if !recorder.measures(due, now) {
                continue;
            }
            if self.replies.is_none() {
                tally.dropped(due, true);
                continue;
            }
            tally.unanswered(due);
            let timing = Timing {
                planned: due,
                started: due,
                ended: now,
            };
            let ending = match how {
                Finish::Left | Finish::Completed => {
                    recorder.left_open(Family::RoundTrip, self.round_trip, now - due);
                    continue;
                }
                Finish::RanOut => Ending::RanOut(now - due),
                Finish::Broke => Ending::Broke,
            };
            recorder.time(Family::RoundTrip, self.round_trip, timing, ending);
            failed += 1;
        }
        self.results
            .finish((&self.call, self.pace), (now, how), recorder);
        tally.finish(recorder, (self.name(), self.pace.every), (now, how));
        failed
    }

    /// The chunks that are due at `now` and have no reply: those in flight, and those that could not be sent.
    fn awaited(&self, now: Nanos) -> impl Iterator<Item = u64> {
        let next = self.flight.next();
        let unsent = next..self.pace.due_by(now).max(next);
        self.flight.each_open().chain(unsent)
    }

    /// The times at which these chunks were due.
    pub(crate) fn awaited_since(&self, now: Nanos) -> impl Iterator<Item = Nanos> {
        let awaited = self.is_running().then(|| self.awaited(now));
        let due = awaited.into_iter().flatten();
        due.map(|chunk| self.pace.due(chunk))
    }

    /// The fault of a stream whose time limit has passed.
    pub(crate) fn took_too_long(&self, now: Nanos) -> Fault {
        let missing = self.awaited(now).count();
        let of = self.pace.total;
        let detail = format!(
            "{missing} of {of} chunks had no reply within {} after the end of the stream",
            self.timeout
        );
        Fault::target(FaultKind::TimedOut, detail)
    }
}

/// The number of a chunk at this place: a JSON number, or a string of digits.
fn number_at(by: &Pointer, message: &[u8]) -> Option<u64> {
    let text = str::from_utf8(by.find(message)?).ok()?;
    text.trim_matches('"').parse().ok()
}

/// The digits of a number, written to the end of `digits`.
fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &str {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    str::from_utf8(&digits[start..]).unwrap_or_default()
}

#[cfg(test)]
mod tests;
