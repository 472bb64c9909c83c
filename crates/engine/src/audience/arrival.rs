//! What a member of a passive audience receives.

use std::cell::OnceCell;

use delivery::{Garbled, Stamp, TooLong, find_stamp};
use model::{Fault, FaultKind, MisdeliveryReason, Nanos};
use wire::websocket::Event;

use super::member::{MemberState, Ready};
use super::state::{AudienceShard, ReceivedChannel};
use crate::arrival::{MISPLACED_LOOKS, MisplacedSearch};
use crate::recorder::{Recorder, Scene};
use crate::socket::Came;

/// Bytes that were just read from one member's connection, with everything needed to count the deliveries in them.
pub(super) struct MemberArrival<'a> {
    pub(super) slot: u32,
    pub(super) run: u32,
    /// The receive time of the bytes.
    pub(super) now: Nanos,
    pub(super) shard: &'a mut AudienceShard,
    /// The tally of each channel, by the number of the channel.
    pub(super) tallies: &'a [usize],
    pub(super) state: &'a mut MemberState,
    pub(super) recorder: &'a mut Recorder,
    /// Packets that the member's session has to send.
    pub(super) says: Vec<String>,
    /// The fault that ends the member's connection.
    pub(super) fault: Option<Fault>,
}

/// A stamp as it was found.
type Found = Result<Stamp, Garbled>;

impl MemberArrival<'_> {
    /// Counts a message of a WebSocket.
    pub(super) fn received(&mut self, event: Event<'_>) {
        match event {
            Event::Open { .. } => self.opened(),
            Event::Text(text) => self.documents(text.as_bytes()),
            Event::Binary(bytes) => self.documents(bytes),
            Event::Close { code, reason } => {
                self.state.close = Some((code, reason.to_owned()));
            }
            // The connection responds to pings.
            Event::Ping(_) | Event::Pong(_) => {}
        }
    }

    pub(super) fn opened(&mut self) {
        if let Some(opening) = &mut self.state.opening {
            opening.is_open = true;
            if matches!(opening.ready, Ready::Open) {
                self.listen();
            }
        }
    }

    /// The server has confirmed the subscription.
    pub(super) fn confirmed(&mut self) {
        if self.state.opening.take().is_some() {
            self.listen();
        }
    }

    fn listen(&mut self) {
        self.shard.listen(self.slot);
    }

    fn documents(&mut self, bytes: &[u8]) {
        if self.state.documents.is_one(bytes) {
            return self.message(Came::message(bytes));
        }
        let mut documents = std::mem::take(&mut self.state.documents);
        let taken = documents.each(bytes, |one| self.message(Came::message(one)));
        self.state.documents = documents;
        if let Err(TooLong { limit }) = taken {
            let detail = format!("a document spans more than {limit} bytes of messages");
            self.fault = Some(Fault::target(FaultKind::Protocol, detail));
        }
    }

    pub(super) fn message(&mut self, came: Came<'_>) {
        if let Some(opening) = &self.state.opening {
            match &opening.ready {
                Ready::Open => {}
                // A message that the server sent before the member's own first messages does not confirm them.
                Ready::Message(ready, event)
                    if opening.first.is_empty()
                        && event.as_ref().is_none_or(|event| came.is_event(event))
                        && ready.fits(came.bytes) =>
                {
                    return self.confirmed();
                }
                Ready::Message(..) | Ready::Confirmed => return,
            }
        }
        let first = OnceCell::new();
        let first = || *first.get_or_init(|| find_stamp(came.bytes));
        let claimed = self.receipts(came, first);
        if !claimed && self.shard.searched < MISPLACED_LOOKS {
            self.misplaced(came, first());
        }
    }

    /// Counts every stamp at a channel's place. Returns whether there is one.
    fn receipts(&mut self, came: Came<'_>, first: impl Fn() -> Option<usize>) -> bool {
        let mut claimed = false;
        // Stamps that no channel of this audience has made are counted once, even if several channels find them.
        let mut strangers: Vec<Found> = Vec::new();
        let channels = std::mem::take(&mut self.shard.channels);
        for channel in &channels {
            if !channel.sight.hears(came) {
                continue;
            }
            let mut fits = None;
            channel.sight.at.each_stamp(came.bytes, &first, |stamp| {
                if !*fits.get_or_insert_with(|| channel.sight.fits(came)) {
                    return;
                }
                claimed |= self.receipt(stamp, channel, &channels, &mut strangers);
            });
        }
        self.shard.channels = channels;
        claimed
    }

    /// Counts a stamp that `channel` found. Returns whether it counts.
    fn receipt(
        &mut self,
        stamp: Found,
        channel: &ReceivedChannel,
        channels: &[ReceivedChannel],
        strangers: &mut Vec<Found>,
    ) -> bool {
        let own = stamp.ok().filter(|stamp| stamp.run == self.run);
        let of = own.and_then(|own| Some((own, own.broadcast()?)));
        if let Some((own, of)) = of.filter(|(_, of)| of.number == channel.number) {
            let tally = &mut self.recorder.tallies[self.tallies[usize::from(of.number)]];
            let receipt = self.shard.listeners.receive(
                (&own, of),
                self.slot,
                self.now,
                channel.deadline,
                tally,
            );
            if self.shard.listeners.is_full() {
                self.count_full();
            }
            if let Some(latency) = receipt.latency {
                self.recorder.windows.open.deliveries += 1;
                self.recorder.windows.open.latency.record(latency);
            }
            return true;
        }
        // Another channel of the audience counts its own stamps, and messages of groups have receivers of their own.
        let is_known = match (own, of) {
            (Some(_), None) => true,
            (_, Some((_, of))) => channels.iter().any(|channel| channel.number == of.number),
            (None, None) => false,
        };
        if !is_known && !strangers.contains(&stamp) {
            strangers.push(stamp);
            self.stray(stamp, channel);
        }
        !is_known
    }

    /// Counts the failure that messages have no room, once.
    fn count_full(&mut self) {
        if std::mem::replace(&mut self.shard.is_full, true) {
            return;
        }
        let detail = "the stamps that the audience received name more messages than fit into 1 GiB; further ones count \
                      as misdelivered";
        let fault = Fault::generator(FaultKind::Resources, detail);
        let scene = Scene {
            what: self.shard.name.clone(),
            at: self.now,
            ..Scene::default()
        };
        self.recorder.fail(&fault, scene, None, None);
    }

    /// Counts a stamp that should not have reached this audience.
    fn stray(&mut self, stamp: Found, channel: &ReceivedChannel) {
        let of = stamp.ok().filter(|stamp| stamp.run == self.run);
        let of = of.and_then(|stamp| stamp.broadcast());
        let (number, reason) = match (stamp, of) {
            (_, Some(of)) if !of.measured => return,
            (_, Some(of)) => (of.number, MisdeliveryReason::OutsideAudience),
            (Ok(_), None) => (channel.number, MisdeliveryReason::AnotherRun),
            (Err(Garbled), None) => (channel.number, MisdeliveryReason::Garbled),
        };
        if let Some(&tally) = self.tallies.get(usize::from(number)) {
            self.recorder.tallies[tally].stray(reason);
        }
    }

    /// Searches a message that no channel consumed for stamps at other places, which are a mistake in the script.
    fn misplaced(&mut self, came: Came<'_>, first: Option<usize>) {
        let Some(first) = first else {
            self.shard.searched += 1;
            return;
        };
        let channels = std::mem::take(&mut self.shard.channels);
        let mut search = MisplacedSearch::new(came, first);
        if !search.stamps().any(|stamp| self.has_received(&stamp)) {
            for stamp in search.stamps() {
                self.misplaced_stamp(&mut search, &stamp, &channels);
            }
        }
        self.shard.channels = channels;
    }

    fn has_received(&self, stamp: &Stamp) -> bool {
        let of = stamp.broadcast().filter(|_| stamp.run == self.run);
        of.is_some_and(|of| self.shard.listeners.has_received((stamp, of), self.slot))
    }

    /// Counts a stamp at another place.
    fn misplaced_stamp(
        &mut self,
        search: &mut MisplacedSearch<'_>,
        stamp: &Stamp,
        channels: &[ReceivedChannel],
    ) {
        let Some(of) = stamp.broadcast().filter(|_| stamp.run == self.run) else {
            return;
        };
        let mut channels = channels.iter();
        let Some(channel) = channels.find(|channel| channel.number == of.number) else {
            return;
        };
        let at = self.tallies[usize::from(of.number)];
        let tally = &mut self.recorder.tallies[at];
        if search.is_snapshot(at, &channel.sight) {
            tally.in_snapshots += u64::from(of.measured);
            return;
        }
        let listeners = &mut self.shard.listeners;
        if listeners.misplaced((stamp, of), self.slot, tally) {
            let example = self.recorder.channels.mismatches.entry(at);
            search.note(example, stamp, (at, &channel.sight));
        }
    }
}
