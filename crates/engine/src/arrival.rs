mod socketio;

use std::collections::VecDeque;

use delivery::{Fate, Receipt, Stamp, StrayReason, has_stamp, stamps_in};
use model::{Nanos, Timing};
use script::host::{Payload, SocketId, Value, Wake};
use wire::websocket::Event;

use crate::level::Span;
use crate::people::Group;
use crate::recorder::{Ending, Family, Recorder};
use crate::socket::{SocketState, Waiting, Wanted};
use crate::tickers::WAKES_LIMIT;
use socketio::Frame;
pub(crate) use socketio::Outcome;

/// Messages kept per socket for a later `next`; beyond, the oldest is dropped and counted.
const INBOX_LIMIT: usize = 64;

/// Bytes that were just read from one socket, on their way to whoever has a claim on them.
///
/// The order of claims: a channel's stamps (natively), a reply known by its id, the next awaited
/// message, the script's handler, the inbox.
pub(crate) struct Arrival<'a> {
    pub(crate) key: u32,
    /// When the bytes were read.
    pub(crate) now: Nanos,
    pub(crate) member: u32,
    pub(crate) group: Option<&'a mut Group>,
    pub(crate) state: &'a mut SocketState,
    pub(crate) recorder: &'a mut Recorder,
    pub(crate) hold: Span,
    pub(crate) wakes: &'a mut VecDeque<Wake>,
    /// Where Socket.IO is spoken.
    pub(crate) talked: Outcome,
}

impl Arrival<'_> {
    pub(crate) fn on(&mut self, event: Event<'_>) {
        if self.state.probes.is_some() {
            return self.probe(event);
        }
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
            Event::Text(text) => self.message(text.as_bytes(), || Payload::Text(text.to_owned())),
            Event::Binary(bytes) => self.message(bytes, || Payload::Binary(bytes.to_vec())),
            Event::Ping(_) => {}
            Event::Pong(_) => self.pong(),
            Event::Close { code, reason } => self.state.close = Some((code, reason.to_owned())),
        }
    }

    fn opened(&mut self, protocol: Option<&str>) {
        if let Some(opening) = self.state.opening.take() {
            let value = Value::Socket(SocketId(self.key), protocol.map(str::to_owned));
            self.wakes.push_back(Wake::Done {
                op: opening.op,
                result: Ok(value),
            });
        }
    }

    fn pong(&mut self) {
        if let Some((op, _)) = self.state.pings.pop_front() {
            self.wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
        }
    }

    fn message(&mut self, bytes: &[u8], payload: impl FnOnce() -> Payload) {
        let claimed = (self.state.keeps || has_stamp(bytes)) && self.receipts(bytes, None);
        if let Some(waiting) = self.awaited(bytes, claimed) {
            self.replied(&waiting, Value::Message(payload()));
        } else if claimed || self.state.closing.is_some() {
            // Followed natively, or nobody is left to look at it.
        } else if self.state.listening && self.wakes.len() >= WAKES_LIMIT {
            self.recorder.dropped += 1;
        } else if self.state.listening {
            self.wakes.push_back(Wake::Message {
                socket: SocketId(self.key),
                payload: payload(),
            });
        } else {
            self.keep(payload());
        }
    }

    fn keep(&mut self, payload: Payload) {
        if self.state.inbox.len() >= INBOX_LIMIT {
            self.state.inbox.pop_front();
            self.recorder.dropped += 1;
        }
        self.state.inbox.push_back(payload);
    }

    /// Gives every stamp where a channel looks for it to the ledger. Whether a channel has a claim.
    fn receipts(&mut self, bytes: &[u8], event: Option<&wire::socketio::Event<'_>>) -> bool {
        let mut claimed = false;
        for index in 0..self.state.receives.len() {
            let receiving = &mut self.state.receives[index];
            let Some(place) = receiving.place(bytes, event) else {
                continue;
            };
            if let Some(last) = &mut receiving.last {
                last.clear();
                last.extend_from_slice(place);
            }
            if !has_stamp(place) {
                continue;
            }
            claimed = true;
            let tally = receiving.tally;
            for stamp in stamps_in(place) {
                match stamp {
                    Ok(stamp) => self.receipt(&stamp, tally),
                    Err(_) => self.recorder.tallies[tally].stray(StrayReason::Garbled),
                }
            }
        }
        claimed
    }

    fn receipt(&mut self, stamp: &Stamp, tally: usize) {
        let tallies = &mut self.recorder.tallies;
        let receipt = match &mut self.group {
            Some(group) if group.ledger.is_own(stamp) => {
                group.ledger.receive(stamp, self.member, self.now, tallies)
            }
            Some(group) => Receipt {
                fate: Fate::Strayed(group.ledger.stranger(stamp, &mut tallies[tally])),
                latency: None,
            },
            None => return,
        };
        if let Some(latency) = receipt.latency {
            self.recorder.window.deliveries += 1;
            self.recorder.window.latency.record(latency);
        }
    }

    fn awaited(&mut self, bytes: &[u8], claimed: bool) -> Option<Waiting> {
        let waiting = &mut self.state.waiting;
        let at = waiting.iter().position(|waiting| match &waiting.wanted {
            Wanted::Fitting { filter, by_id } => (*by_id || !claimed) && filter.fits(bytes),
            Wanted::Ack(_) | Wanted::Event(_) => false,
        })?;
        waiting.remove(at)
    }

    fn replied(&mut self, waiting: &Waiting, value: Value) {
        if let (Some(group), Some(exchange)) = (&mut self.group, waiting.exchange) {
            group.last_done = Some((Family::Exchange, exchange.name));
        }
        if let Some(exchange) = waiting
            .exchange
            .filter(|exchange| self.hold.contains(exchange.planned))
        {
            let timing = Timing {
                planned: exchange.planned,
                started: exchange.started,
                ended: self.now,
            };
            self.recorder.time(
                Family::Exchange,
                exchange.name,
                timing,
                Ending::Answered { failed: false },
            );
        }
        self.wakes.push_back(Wake::Done {
            op: waiting.op,
            result: Ok(value),
        });
    }
}
