#[cfg(feature = "counted")]
pub mod counted;
mod misplaced;
mod socketio;

use std::cell::OnceCell;
use std::collections::VecDeque;

use delivery::{Fate, Garbled, Receipt, Stamp, TooLong, find_stamp};
use model::{Fault, FaultKind, MisdeliveryReason, Nanos, Timing};
use script::host::{Payload, ServerEvent, SocketId, Value, Wake};
use wire::sse::{self, Signal};
use wire::websocket::Event;

use crate::net::socket;
use crate::people::Group;
use crate::recorder::{Ending, Family, Recorder};
use crate::socket::{Came, Received, Receiving, SocketState, Waiting, Wanted};
use crate::tickers::WAKES_LIMIT;
pub(crate) use misplaced::{LOOKS as MISPLACED_LOOKS, mismatch};
use socketio::Frame;
pub(crate) use socketio::Outcome;

/// Bytes that were just read from one socket, with everything needed to pass them to their consumers.
///
/// A message is offered to its consumers in this order:
///
/// 1. channels, which look for stamps without calling the script
/// 2. calls that wait for a reply or a message
/// 3. the script's handler
/// 4. the inbox
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

impl Arrival<'_> {
    pub(crate) fn received(&mut self, event: socket::Event<'_>) {
        match event {
            socket::Event::WebSocket(event) => self.on(event),
            socket::Event::Sse(signal) => self.streamed(signal),
        }
    }

    /// Passes a server-sent event to its consumers, like a message of a WebSocket.
    fn streamed(&mut self, signal: Signal<'_>) {
        let event = match signal {
            Signal::Opened => return self.opened(None),
            Signal::Event(event) => event,
        };
        match event {
            sse::Event::Message(message) => {
                let event = || ServerEvent {
                    event: message.name.to_owned(),
                    id: message.id.to_owned(),
                    data: message.data.to_owned(),
                };
                self.offer(Came::streamed(&message), || Received::Event(event()));
            }
            // `net` handles the time to wait. The standard gives the others no effect.
            sse::Event::Retry(_) | sse::Event::Comment(_) | sse::Event::Ignored { .. } => {}
        }
    }

    pub(crate) fn on(&mut self, event: Event<'_>) {
        // A probe carries only the upgrade handshake. The session's messages stay on the polling transport.
        if self.state.probes().is_some() {
            return self.probe(event);
        }
        // Take the session out while it parses, because handling its signals borrows `self`.
        if let Some(mut talk) = self.state.talk.take() {
            match event {
                Event::Text(text) => self.frame(&mut talk, Frame::Text(text)),
                Event::Binary(bytes) => self.frame(&mut talk, Frame::Binary(bytes)),
                Event::Close { code, reason } => self.state.close = Some((code, reason.to_owned())),
                Event::Open { .. } | Event::Ping(_) | Event::Pong(_) => {}
            }
            self.state.talk = Some(talk);
            return;
        }
        match event {
            Event::Open { protocol } => self.opened(protocol),
            Event::Text(text) => self.documents(text.as_bytes(), text_of),
            Event::Binary(bytes) => self.documents(bytes, |bytes| Payload::Binary(bytes.to_vec())),
            Event::Ping(_) => {}
            Event::Pong(_) => self.pong(),
            Event::Close { code, reason } => self.state.close = Some((code, reason.to_owned())),
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
        self.offer(Came::message(bytes), || Received::Message(payload(bytes)));
    }

    /// Offers a message or a server-sent event to its consumers. `received` converts it for the script.
    pub(crate) fn offer(&mut self, came: Came<'_>, received: impl FnOnce() -> Received) {
        let claimed = self.receipts(came);
        if let Some(waiting) = self.awaited(came, claimed) {
            self.replied(&waiting, received().into_value());
        } else if claimed || self.state.closing.is_some() {
            // A channel consumed the message, or the socket is closing and nobody reads messages.
        } else if self.state.listening && self.wakes.len() >= WAKES_LIMIT {
            // The script is far behind: drop and count the message instead of growing the queue.
            self.recorder.dropped += 1;
        } else if self.state.listening {
            let wake = received().into_wake(SocketId(self.key));
            self.wakes.push_back(wake);
        } else {
            self.state.inbox.keep(received());
        }
    }

    /// Passes every stamp at a channel's place to the ledger. Returns whether a channel consumed the message.
    fn receipts(&mut self, came: Came<'_>) -> bool {
        let mut claimed = false;
        // All channels share one search for the first stamp, which happens only if a channel needs it.
        let first = OnceCell::new();
        let mut receives = std::mem::take(&mut self.state.followed.receives);
        // A channel that stopped listening still gets messages that the kernel received before it stopped.
        receives.retain(|one| one.listened(self.now));
        for index in 0..receives.len() {
            if !receives[index].sight.hears(came) {
                continue;
            }
            let kept = receives[index].keep(came);
            let sight = &*receives[index].sight;
            // The filters parse the message, so they run at most once, and only if there is a stamp.
            let mut fits = None;
            let found = |stamp| {
                if *fits.get_or_insert_with(|| sight.fits(came)) {
                    claimed |= self.read(stamp, came, &receives, index);
                }
            };
            match kept {
                Some(kept) => sight.at.each_stamp_of(kept, found),
                None => sight.at.each_stamp(
                    came.bytes,
                    || *first.get_or_init(|| find_stamp(came.bytes)),
                    found,
                ),
            }
        }
        // A stamp that no channel consumed may be at a wrong place. That is a mistake in the script, not a fault of the
        // target.
        if !claimed && !receives.is_empty() {
            self.misplaced(
                came,
                || *first.get_or_init(|| find_stamp(came.bytes)),
                &receives,
            );
        }
        self.state.followed.receives = receives;
        claimed
    }

    /// Counts a stamp that `receives[index]` found. A stamp counts only once, for the channel that it names. Returns
    /// whether the message is consumed.
    fn read(
        &mut self,
        stamp: Result<Stamp, Garbled>,
        came: Came<'_>,
        receives: &[Receiving],
        index: usize,
    ) -> bool {
        let receiving = &receives[index];
        // Only the members of its audience are receivers of such a message, and they count it.
        let is_broadcast =
            |group: &&mut Group| stamp.is_ok_and(|it| group.ledger.is_broadcast(&it));
        if self.group.as_ref().is_some_and(is_broadcast) {
            return false;
        }
        let own = stamp.ok().filter(|stamp| {
            let group = self.group.as_ref();
            group.is_some_and(|group| group.ledger.is_own(stamp))
        });
        let is_of = |of: &Receiving| own.is_some_and(|own| own.channel == of.channel.0);
        let mine = is_of(receiving);
        // The stamp belongs to another channel of this socket, which counts the stamp if it looks at this place.
        if !mine && receives.iter().any(is_of) {
            return false;
        }
        // An earlier entry of `receives` has already counted this stamp.
        let mut earlier = receives[..index].iter();
        if earlier.any(|earlier| (!mine || is_of(earlier)) && earlier.reads(came, &stamp)) {
            return false;
        }
        match (own, &mut self.group) {
            // The stamp belongs to a channel of this group that the socket does not follow. The ledger counts it as
            // misdelivered only if the channel's audience excludes this member.
            (Some(own), Some(group)) if !mine => {
                let tallies = &mut self.recorder.tallies;
                group.ledger.overhear(&own, self.member, tallies);
                false
            }
            _ => {
                self.receipt(stamp, receiving.tally);
                true
            }
        }
    }

    fn receipt(&mut self, stamp: Result<Stamp, Garbled>, tally: usize) {
        let tallies = &mut self.recorder.tallies;
        let Ok(stamp) = &stamp else {
            tallies[tally].stray(MisdeliveryReason::Garbled);
            return;
        };
        let receipt = match &mut self.group {
            Some(group) if group.ledger.is_own(stamp) => {
                group.ledger.receive(stamp, self.member, self.now, tallies)
            }
            Some(group) => Receipt {
                fate: Fate::Misdelivered(group.ledger.stranger(stamp, &mut tallies[tally])),
                latency: None,
            },
            None => return,
        };
        if let Some(latency) = receipt.latency {
            self.recorder.windows.open.deliveries += 1;
            self.recorder.windows.open.latency.record(latency);
        }
    }

    fn awaited(&mut self, came: Came<'_>, claimed: bool) -> Option<Waiting> {
        let now = self.now;
        let waiting = &mut self.state.waiting;
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
            Wanted::Ack(_)
            | Wanted::Event(_)
            | Wanted::NatsReply { .. }
            | Wanted::NatsMessages { .. }
            | Wanted::Reply(..) => false,
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
