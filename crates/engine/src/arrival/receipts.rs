pub(super) mod misplaced;

use std::cell::OnceCell;

use delivery::{Fate, Garbled, Receipt, Stamp, find_stamp};
use model::{MisdeliveryReason, Nanos};

use crate::people::Group;
use crate::recorder::Recorder;
use crate::socket::{Came, Followed, Receiving};

/// A member's receipts: passes the stamps in received data to the ledger, without calling the script.
pub(crate) struct Receipts<'a> {
    /// The receive time of the data.
    pub(crate) now: Nanos,
    pub(crate) member: u32,
    pub(crate) group: Option<&'a mut Group>,
    pub(crate) recorder: &'a mut Recorder,
}

impl Receipts<'_> {
    /// Passes every stamp at a channel's place to the ledger. Returns whether a channel consumed the message.
    pub(crate) fn take(&mut self, came: Came<'_>, followed: &mut Followed) -> bool {
        let mut claimed = false;
        // All channels share one search for the first stamp, which happens only if a channel needs it.
        let first = OnceCell::new();
        let mut receives = std::mem::take(&mut followed.receives);
        // A channel that stopped listening still gets messages that the kernel received before it stopped.
        if !receives.iter().all(|one| one.listened(self.now)) {
            receives.retain(|one| one.listened(self.now));
        }
        for index in 0..receives.len() {
            if !receives[index].sight.hears(came) {
                continue;
            }
            let kept = receives[index].keep(came);
            let sight = &*receives[index].sight;
            // Stamps that this channel has counted in this message, if messages repeat earlier ones.
            let mut fresh = Vec::new();
            // The filters parse the message, so they run at most once, and only if there is a stamp.
            let mut fits = None;
            let found = |stamp| {
                if !*fits.get_or_insert_with(|| sight.fits(came)) {
                    return;
                }
                if receives[index].repeats && self.is_repeated(stamp, &mut fresh) {
                    claimed = true;
                } else {
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
                (&receives, &mut followed.searched),
            );
        }
        followed.receives = receives;
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
        let own = match (&stamp, &self.group) {
            // Only the members of its audience are receivers of such a message, and they count it.
            (Ok(stamp), Some(group)) if group.ledger.is_broadcast(stamp) => return false,
            (Ok(stamp), Some(group)) => group.ledger.is_own(stamp).then_some(*stamp),
            _ => None,
        };
        let is_of = |of: &Receiving| own.is_some_and(|own| own.channel == of.channel.0);
        let mine = is_of(receiving);
        // The stamp belongs to another channel of this socket, which counts the stamp if it looks at this place.
        if !mine && receives.iter().any(is_of) {
            return false;
        }
        // An earlier entry of `receives` has already counted this stamp.
        let mut earlier = receives[..index].iter();
        if earlier.any(|earlier| {
            (!mine || is_of(earlier)) && earlier.sight.reads(came, |found| found == stamp)
        }) {
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

    /// Whether the member received this stamp in an earlier message. `fresh` has the stamps that it received first in this
    /// message.
    fn is_repeated(&mut self, stamp: Result<Stamp, Garbled>, fresh: &mut Vec<Stamp>) -> bool {
        let (Ok(stamp), Some(group)) = (stamp, &mut self.group) else {
            return false;
        };
        if fresh.contains(&stamp) || !group.ledger.is_own(&stamp) {
            return false;
        }
        let repeated = group.ledger.has_received(&stamp, self.member);
        if !repeated {
            fresh.push(stamp);
        }
        repeated
    }
}
