//! Stamps that are no deliveries: of strangers, on sockets that follow other channels, and at wrong places.

use model::MisdeliveryReason;

use crate::ledger::{Ledger, outside};
use crate::stamp::Stamp;
use crate::tally::Tally;

impl Ledger {
    /// Whether the stamp was made in this group and run.
    pub fn is_own(&self, stamp: &Stamp) -> bool {
        stamp.run == self.run && stamp.group == self.group
    }

    /// Counts a received stamp as misdelivered, and returns whether it is from another group or from another run.
    pub fn stranger(&self, stamp: &Stamp, tally: &mut Tally) -> MisdeliveryReason {
        let reason = if stamp.run == self.run {
            MisdeliveryReason::AnotherGroup
        } else {
            MisdeliveryReason::AnotherRun
        };
        tally.stray(reason);
        reason
    }

    /// Records that a member received a stamp of this group on a socket that follows only other channels. The stamp is
    /// never a delivery. It is misdelivered only if the channel's audience excludes the member, listening or not.
    pub fn overhear(&mut self, stamp: &Stamp, member: u32, tallies: &mut [Tally]) {
        let Some(channel) = self.channels.get_mut(usize::from(stamp.channel)) else {
            return;
        };
        if channel.audience.admits(member, stamp.sender) {
            return;
        }
        let is_echo = channel.audience.is_echo(member, stamp.sender);
        let sender = channel.senders.get_mut(stamp.sender as usize);
        let message = sender.and_then(|sender| sender.get(stamp.sequence));
        let sending = message.and_then(|message| message.sent);
        let counts = sending.is_some_and(|sending| sending.measured);
        outside(counts, is_echo, &mut tallies[channel.tally]);
    }

    /// Records that a member received a stamp of this group at the wrong place in a message, on a socket that follows
    /// the channel. The stamp is not a delivery. Returns whether the tally counts it.
    pub fn misplaced(&mut self, stamp: &Stamp, member: u32, tallies: &mut [Tally]) -> bool {
        let Some(channel) = self.channels.get_mut(usize::from(stamp.channel)) else {
            return false;
        };
        let sender = channel.senders.get_mut(stamp.sender as usize);
        let Some(message) = sender.and_then(|sender| sender.get(stamp.sequence)) else {
            return false;
        };
        message.misplaced_at(member);
        let counts = message.sent.is_some_and(|sending| sending.measured);
        tallies[channel.tally].misplaced += u64::from(counts);
        counts
    }

    /// Records that a member received a stamp of this group in a message that the channel takes for a snapshot. The stamp
    /// is not a delivery, and no reason for its loss.
    pub fn in_snapshot(&mut self, stamp: &Stamp, member: u32, tallies: &mut [Tally]) {
        let Some(channel) = self.channels.get_mut(usize::from(stamp.channel)) else {
            return;
        };
        let sender = channel.senders.get_mut(stamp.sender as usize);
        let message = sender.and_then(|sender| sender.get(stamp.sequence));
        let awaits = message.filter(|message| message.pending.contains(member));
        let counts = awaits.and_then(|message| message.sent);
        tallies[channel.tally].in_snapshots += u64::from(counts.is_some_and(|it| it.measured));
    }
}
