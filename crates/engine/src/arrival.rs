#[cfg(feature = "counted")]
pub mod counted;
mod receipts;
mod socketio;

use std::collections::VecDeque;

use delivery::TooLong;
use model::{Fault, FaultKind, Nanos, Timing};
use script::host::{Message, Payload, SocketId, Value, Wake};
use wire::websocket::Event;

use crate::people::Group;
use crate::recorder::{Ending, Family, Recorder};
use crate::socket::{Came, SocketState, Waiting, Wanted};
use crate::tickers::WAKES_LIMIT;
pub(crate) use receipts::Receipts;
pub(crate) use receipts::misplaced::{LOOKS as MISPLACED_LOOKS, Search as MisplacedSearch};

/// Bytes that were just read from one socket, with everything needed to pass them to their consumers.
///
/// A message is offered to its consumers in this order:
///
/// 1. a running stream, which takes the replies to its chunks and its results
/// 2. channels, which look for stamps without calling the script
/// 3. calls that wait for a reply or a message
/// 4. the script's handler
/// 5. a stream that has ended, which counts replies that answer no chunk
/// 6. the inbox
pub(crate) struct Arrival<'a> {
    pub(crate) key: u32,
    /// The receive time of the bytes: the kernel's timestamp or, without one, the time of the read.
    pub(crate) now: Nanos,
    pub(crate) member: u32,
    pub(crate) group: Option<&'a mut Group>,
    pub(crate) state: &'a mut SocketState,
    pub(crate) recorder: &'a mut Recorder,
    pub(crate) wakes: &'a mut VecDeque<Wake>,
    /// The work that remains for the caller after the bytes are handled.
    pub(crate) talked: Outcome,
}

/// Result of handling bytes: messages that the session has to send, and the fault that ended the socket.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) says: Vec<String>,
    pub(crate) fault: Option<Fault>,
    /// Whether the server accepted the probe of this socket.
    pub(crate) probed: bool,
    /// Whether the session has opened. From then on, the server must send pings.
    pub(crate) begun: bool,
}

impl Arrival<'_> {
    /// Passes a message of a WebSocket to its consumers.
    pub(crate) fn on(&mut self, event: Event<'_>) {
        // A probe carries only the upgrade handshake. The session's messages stay on the polling transport.
        if self.state.probes().is_some() {
            return self.probe(event);
        }
        // Take the session out while it parses, because handling its signals borrows `self`.
        if let Some(mut talk) = self.state.talk.take() {
            self.frame(&mut talk, event);
            self.state.talk = Some(talk);
            return;
        }
        match event {
            Event::Open { protocol } => self.opened(protocol),
            Event::Text(text) => self.documents(text.as_bytes(), text_of),
            Event::Binary(bytes) => self.documents(bytes, |bytes| Payload::Binary(bytes.to_vec())),
            Event::Ping(_) => {}
            Event::Pong(_) => self.pong(),
            Event::Close { code, reason } => {
                self.state.ending.frame = Some((code, reason.to_owned()));
            }
        }
    }

    pub(crate) fn opened(&mut self, protocol: Option<&str>) {
        if let Some(opening) = self.state.opening.take() {
            let value = Value::Socket(SocketId(self.key), protocol.map(str::to_owned));
            self.wakes.extend(opening.op.map(|op| Wake::Done {
                op,
                result: Ok(value),
            }));
        }
    }

    pub(crate) fn pong(&mut self) {
        if let Some((op, _)) = self.state.pings.pop_front() {
            self.wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
        }
    }

    /// Handles a message. If it contains several documents, each document is offered to the consumers separately.
    fn documents(&mut self, bytes: &[u8], payload: fn(&[u8]) -> Payload) {
        if self.state.documents.is_one(bytes) {
            return self.message(bytes, payload);
        }
        let mut documents = std::mem::take(&mut self.state.documents);
        let taken = documents.each(bytes, |one| self.message(one, payload));
        self.state.documents = documents;
        if let Err(TooLong { limit }) = taken {
            let detail = format!("a document spans more than {limit} bytes of messages");
            self.talked.fault = Some(Fault::target(FaultKind::Protocol, detail));
        }
    }

    fn message(&mut self, bytes: &[u8], payload: fn(&[u8]) -> Payload) {
        self.offer(Came::message(bytes), || Message::Plain(payload(bytes)));
    }

    /// Offers a message or a server-sent event to its consumers. `received` converts it for the script.
    pub(crate) fn offer(&mut self, came: Came<'_>, received: impl FnOnce() -> Message) {
        if self.is_of_stream(came) {
            return;
        }
        let claimed = self.receipts(came);
        if let Some(waiting) = self.awaited(came, claimed) {
            self.replied(&waiting, Value::Message(received()));
        } else if claimed || self.state.ending.closing.is_some() {
            // A channel consumed the message, or the socket is closing and nobody reads messages.
        } else if !self.state.listening && self.is_surplus(came) {
            // The stream has counted it.
        } else if self.state.listening && self.wakes.len() >= WAKES_LIMIT {
            // The script is far behind: drop and count the message instead of growing the queue.
            self.recorder.monitoring.dropped += 1;
        } else if self.state.listening {
            self.wakes.push_back(Wake::Message {
                socket: SocketId(self.key),
                message: received(),
            });
        } else {
            self.state.inbox.keep(received());
        }
        self.note_arrays(came);
    }

    /// Offers a message to the running stream. Returns whether the stream consumed it.
    fn is_of_stream(&mut self, came: Came<'_>) -> bool {
        let stream = self.state.stream.as_mut();
        let Some(stream) = stream.filter(|stream| stream.is_running()) else {
            return false;
        };
        let consumed = stream.receive(came.bytes, self.now, self.recorder);
        if consumed {
            stream.complete(self.recorder, self.wakes, self.now);
        }
        consumed
    }

    /// Whether a message that nobody awaits is a reply for the stream that has ended.
    fn is_surplus(&mut self, came: Came<'_>) -> bool {
        let stream = self.state.stream.as_mut();
        let stream = stream.filter(|stream| stream.is_reply(came.bytes));
        stream.is_some_and(|stream| {
            stream.surplus(self.now, self.recorder);
            true
        })
    }

    /// Marks the waits that an element of this message would end, so that their failures say so.
    fn note_arrays(&mut self, came: Came<'_>) {
        if !self.state.waiting.is_empty() && self.state.purpose.is_messages() {
            for waiting in &mut self.state.waiting {
                waiting.in_array |= waiting.wanted.is_in_array(came.bytes);
            }
        }
    }

    /// Passes every stamp at a channel's place to the ledger. Returns whether a channel consumed the message.
    fn receipts(&mut self, came: Came<'_>) -> bool {
        let mut receipts = Receipts {
            now: self.now,
            member: self.member,
            group: self.group.as_deref_mut(),
            recorder: self.recorder,
        };
        receipts.take(came, &mut self.state.followed)
    }

    fn awaited(&mut self, came: Came<'_>, claimed: bool) -> Option<Waiting> {
        let now = self.now;
        let waiting = &mut self.state.waiting;
        if waiting.is_empty() {
            return None;
        }
        // A message that was received before the request was sent cannot be its reply.
        let answers = |waiting: &Waiting| {
            let sent = waiting.round_trip.map(|round_trip| round_trip.started);
            sent.is_none_or(|sent| sent <= now)
        };
        let at = waiting.iter().position(|waiting| match &waiting.wanted {
            Wanted::Fitting {
                event,
                filter,
                named,
            } => {
                // A message that a channel consumed is a reply only if the script identified it, or if it contains a
                // stamp of the request.
                let is_seen = *named || !claimed || waiting.is_answered_by(came.bytes);
                let is_event = event.as_ref().is_none_or(|name| came.is_event(name));
                is_seen && is_event && answers(waiting) && filter.fits(came.bytes)
            }
            Wanted::Own(_) => false,
        })?;
        waiting.remove(at)
    }

    pub(crate) fn replied(&mut self, waiting: &Waiting, value: Value) {
        self.answered(waiting);
        self.wakes.push_back(Wake::Done {
            op: waiting.op,
            result: Ok(value),
        });
    }

    /// Counts a reply that arrived in time.
    pub(crate) fn answered(&mut self, waiting: &Waiting) {
        if let Some(round_trip) = waiting.round_trip {
            if let Some(group) = &mut self.group {
                group.progress.last_done = Some((Family::RoundTrip, round_trip.name));
            }
            let timing = Timing {
                planned: round_trip.planned,
                started: round_trip.started,
                ended: self.now,
            };
            let ending = Ending::Answered { failed: false };
            let timings = self
                .recorder
                .time(Family::RoundTrip, round_trip.name, timing, ending);
            if let Some(timings) = timings {
                timings.repeated += waiting.repeats();
            }
        }
    }
}

/// Documents are split at ASCII characters, so each part of a valid text is valid UTF-8.
fn text_of(bytes: &[u8]) -> Payload {
    Payload::Text(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
#[path = "arrival_tests.rs"]
mod tests;
