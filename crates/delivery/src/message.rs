use model::Nanos;

use crate::bits::Bits;
use crate::departures::{Departures, Leaving};

/// One message of one sender on one channel. Stored from the creation of its stamp until the ledger forgets it.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// `None` while the message is stamped but not sent.
    pub(crate) sent: Option<Sending>,
    /// The members who must receive the message; fixed when it is sent.
    pub(crate) audience: Bits,
    /// The members of the audience who have not received the message.
    pub(crate) pending: Bits,
    /// The number of members of the audience who have received the message.
    pub(crate) seen: u32,
    /// The longest delivery latency so far. Stored because deliveries are not always reported in order of receive time.
    pub(crate) longest: Nanos,
    /// The size of the audience.
    pub(crate) expected: u32,
    /// Pending members who left, whose deliveries are not awaited, or who received the stamp at the wrong place.
    /// Usually `None`.
    given_up: Option<Box<Departures>>,
    /// Whether the send failed or the target refused the message.
    pub(crate) refused: bool,
    /// Whether the pending deliveries were counted as lost or cut off.
    pub(crate) closed: bool,
}

/// When a message was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    /// The planned time.
    pub(crate) planned: Nanos,
    /// The actual time.
    pub(crate) at: Nanos,
    /// Whether the message was sent in the level's measured time, and therefore counts.
    pub(crate) measured: bool,
}

impl Message {
    pub(crate) fn stamped() -> Self {
        Self {
            sent: None,
            audience: Bits::default(),
            pending: Bits::default(),
            seen: 0,
            longest: Nanos::ZERO,
            expected: 0,
            given_up: None,
            refused: false,
            closed: false,
        }
    }

    pub(crate) fn send(&mut self, sending: Sending, audience: Bits) {
        self.sent = Some(sending);
        self.expected = audience.count();
        self.pending = audience.clone();
        self.audience = audience;
    }

    /// The number of deliveries that may still happen.
    pub(crate) fn awaited(&self) -> u64 {
        if self.refused || self.closed {
            return 0;
        }
        let given_up = self.given_up.as_ref().map_or(0, |gone| gone.count() as u64);
        u64::from(self.expected - self.seen) - given_up
    }

    /// Whether the message may still be delivered to `receiver`.
    pub(crate) fn awaits(&self, receiver: u32) -> bool {
        let given_up = self.given_up.as_ref();
        self.pending.contains(receiver)
            && !self.refused
            && !self.closed
            && given_up.is_none_or(|gone| !gone.contains(receiver))
    }

    /// Records that the member left. Its delivery is no longer awaited.
    pub(crate) fn give_up(&mut self, receiver: u32, now: Nanos, settle: Nanos, how: Leaving) {
        let had_its_time = self.sent.is_some_and(|sent| now >= sent.at + settle);
        let how = (!had_its_time).then_some(how);
        self.given_up.get_or_insert_default().note(receiver, how);
    }

    /// The member received the stamp at a place where the channel does not look.
    pub(crate) fn misplaced_at(&mut self, receiver: u32) {
        if self.pending.contains(receiver) {
            let known = self.given_up.get_or_insert_default();
            known.misplaced.insert(receiver);
        }
    }

    /// Whether the member received the stamp at a place where the channel does not look.
    pub(crate) fn was_misplaced_at(&self, receiver: u32) -> bool {
        let known = self.given_up.as_ref();
        known.is_some_and(|known| known.misplaced.contains(receiver))
    }

    /// How the member left, if it left within the settling time.
    pub(crate) fn departure(&self, receiver: u32) -> Option<Leaving> {
        self.given_up.as_ref()?.how(receiver)
    }

    /// Forgets that the member left, because it received the message after all.
    pub(crate) fn no_longer_given_up(&mut self, receiver: u32) {
        if let Some(gone) = &mut self.given_up {
            gone.forget(receiver);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    /// A ledger remembers each message for 30 s, so its memory grows with the message rate and this size.
    #[test]
    fn a_message_that_is_remembered_takes_120_bytes() {
        assert_eq!(size_of::<Message>(), 120);
    }
}
