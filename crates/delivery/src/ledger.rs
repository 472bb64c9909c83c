use model::{GroupId, MisdeliveryReason, Nanos};

use crate::bits::Bits;
use crate::channel::{Audience, Channel, Sender, audience_of};
use crate::departures::Leaving;
use crate::fates::{arrive, give_up};
use crate::message::{Message, Sending};
use crate::stamp::Stamp;
use crate::tally::{Fate, Tally};

/// A message is remembered this long after its settling time, to know a duplicate from a stray.
const REMEMBERED: Nanos = Nanos::from_secs(30);

/// A channel of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelIndex(pub u16);

/// What a receipt was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its fate.
    pub fate: Fate,
    /// From the planned sending to the read, for the first receipt of a message that counts.
    pub latency: Option<Nanos>,
}

impl Sent {
    /// Whether this is the stamp of the message.
    pub fn is_of(&self, stamp: &Stamp) -> bool {
        let Self {
            channel,
            sender,
            sequence,
        } = *self;
        (channel.0, sender, sequence) == (stamp.channel, stamp.sender, stamp.sequence)
    }
}

impl Receipt {
    fn uncounted(fate: Fate) -> Self {
        Self {
            fate,
            latency: None,
        }
    }
}

/// A message that was sent: what [`Ledger::refuse`] needs to take it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    channel: ChannelIndex,
    sender: u32,
    sequence: u32,
}

/// Every message of one group, who must get it and who has.
///
/// It lives on the group's worker. Tallies are handed in by channel: `tallies[channel.tally]`.
#[derive(Debug)]
pub struct Ledger {
    run: u32,
    group: GroupId,
    settle: Nanos,
    channels: Vec<Channel>,
    /// Stamped and not yet sent, by sender: (sender, channel, sequence).
    unsent: Vec<(u32, ChannelIndex, u32)>,
    awaited: u64,
    last_sent: Nanos,
}

impl Ledger {
    /// The ledger of a group. `settle`: how long after its sending a delivery is waited for.
    pub fn new(run: u32, group: GroupId, settle: Nanos) -> Self {
        Self {
            run,
            group,
            settle,
            channels: Vec::new(),
            unsent: Vec::new(),
            awaited: 0,
            last_sent: Nanos::ZERO,
        }
    }

    /// Adds a channel that counts into `tally`. A receipt later than `deadline` is late.
    pub fn add_channel(
        &mut self,
        tally: usize,
        audience: Audience,
        deadline: Nanos,
    ) -> ChannelIndex {
        let index = u16::try_from(self.channels.len()).unwrap_or(u16::MAX);
        self.channels.push(Channel {
            tally,
            audience,
            deadline,
            listening: Bits::default(),
            senders: Vec::new(),
        });
        ChannelIndex(index)
    }

    /// Which tally a channel counts into.
    pub fn tally_of(&self, channel: ChannelIndex) -> usize {
        self.channels[usize::from(channel.0)].tally
    }

    /// From now on the member is in the audience of what is sent.
    pub fn join(&mut self, channel: ChannelIndex, member: u32) {
        let channel = &mut self.channels[usize::from(channel.0)];
        channel.listening.insert(member);
    }

    /// The member no longer listens: it is in no later audience, and what is on its way to it will not arrive.
    pub fn leave(&mut self, channel: ChannelIndex, member: u32, now: Nanos, how: Leaving) {
        let channel = &mut self.channels[usize::from(channel.0)];
        if !channel.listening.remove(member) {
            return;
        }
        for message in channel
            .senders
            .iter_mut()
            .flat_map(|sender| &mut sender.messages)
        {
            if message.pending.contains(member) {
                self.awaited -= u64::from(message.awaits(member));
                message.give_up(member, now, self.settle, how);
            }
        }
    }

    /// A new stamp. The message counts as sent at the sender's next [`Ledger::send`].
    pub fn stamp(
        &mut self,
        channel: ChannelIndex,
        sender: u32,
        now: Nanos,
        tallies: &mut [Tally],
    ) -> Stamp {
        self.forget_old(channel, sender, now, tallies);
        let entry = &mut self.channels[usize::from(channel.0)];
        if entry.senders.len() <= sender as usize {
            entry
                .senders
                .resize_with(sender as usize + 1, Sender::default);
        }
        let from = &mut entry.senders[sender as usize];
        let sequence = from.base + u32::try_from(from.messages.len()).unwrap_or(u32::MAX);
        from.messages.push_back(Message::stamped());
        self.unsent.push((sender, channel, sequence));
        Stamp {
            run: self.run,
            group: self.group,
            channel: channel.0,
            sender,
            sequence,
            made: now,
        }
    }

    /// Everything that the member has stamped is on its way; the audience is who listens now.
    /// `planned`: when it should have been sent; `measured`: whether it counts in the tallies.
    pub fn send(
        &mut self,
        sender: u32,
        planned: Nanos,
        now: Nanos,
        measured: bool,
        tallies: &mut [Tally],
    ) -> Vec<Sent> {
        let mut carried = Vec::new();
        if self.unsent.is_empty() {
            return carried;
        }
        let mut unsent = std::mem::take(&mut self.unsent);
        unsent.retain(|&(from, channel, sequence)| {
            if from == sender {
                carried.push(Sent {
                    channel,
                    sender,
                    sequence,
                });
            }
            from != sender
        });
        self.unsent = unsent;
        if measured && !carried.is_empty() {
            self.last_sent = now;
        }
        for sent in &carried {
            self.depart(
                *sent,
                Sending {
                    planned,
                    at: now,
                    measured,
                },
                tallies,
            );
        }
        carried
    }

    fn depart(&mut self, sent: Sent, sending: Sending, tallies: &mut [Tally]) {
        let channel = &mut self.channels[usize::from(sent.channel.0)];
        let audience = audience_of(channel, sent.sender);
        let tally = channel.tally;
        let Some(message) = channel.senders[sent.sender as usize].get(sent.sequence) else {
            return;
        };
        message.send(sending, audience);
        self.awaited += message.awaited();
        if sending.measured {
            tallies[tally].messages += 1;
            tallies[tally].expected += u64::from(message.expected);
            tallies[tally].own_copies += u64::from(message.audience.contains(sent.sender));
        }
    }

    /// The send failed or the target refused the message: its deliveries are not waited for.
    pub fn refuse(&mut self, sent: Sent) {
        let sender = &mut self.channels[usize::from(sent.channel.0)].senders[sent.sender as usize];
        if let Some(message) = sender.get(sent.sequence) {
            self.awaited -= message.awaited();
            message.refused = true;
        }
    }

    /// Whether the stamp was made in this group and run.
    pub fn is_own(&self, stamp: &Stamp) -> bool {
        stamp.run == self.run && stamp.group == self.group
    }

    /// Counts the stamp of another group or run that a member read, and says which it is.
    pub fn stranger(&self, stamp: &Stamp, tally: &mut Tally) -> MisdeliveryReason {
        let reason = if stamp.run == self.run {
            MisdeliveryReason::AnotherGroup
        } else {
            MisdeliveryReason::AnotherRun
        };
        tally.stray(reason);
        reason
    }

    /// A member read a stamp of this group at `now`.
    pub fn receive(
        &mut self,
        stamp: &Stamp,
        receiver: u32,
        now: Nanos,
        tallies: &mut [Tally],
    ) -> Receipt {
        let Some(channel) = self.channels.get_mut(usize::from(stamp.channel)) else {
            return Receipt::uncounted(Fate::Misdelivered(MisdeliveryReason::Garbled));
        };
        let (tally, deadline) = (&mut tallies[channel.tally], channel.deadline);
        let is_for_receiver = channel.audience.admits(receiver, stamp.sender);
        let Some(sender) = channel.senders.get_mut(stamp.sender as usize) else {
            return stray(tally, MisdeliveryReason::Garbled);
        };
        if stamp.sequence < sender.base {
            return stray(tally, MisdeliveryReason::Forgotten);
        }
        let Some(message) = sender.get(stamp.sequence) else {
            return stray(tally, MisdeliveryReason::Garbled);
        };
        let Some(sending) = message.sent else {
            return stray(tally, MisdeliveryReason::Garbled);
        };
        if !message.audience.contains(receiver) {
            // Who listens only since then may well have been where it was sent to.
            if is_for_receiver {
                return Receipt::uncounted(Fate::Unexpected);
            }
            return stray_if(sending.measured, tally, MisdeliveryReason::OutsideAudience);
        }
        let awaited = message.awaits(receiver);
        let ends = (stamp.sender, receiver);
        if !message.pending.remove(receiver) {
            tally.duplicated += u64::from(sending.measured);
            return Receipt::uncounted(Fate::Duplicated);
        }
        self.awaited -= u64::from(awaited);
        let fate = arrive(message, sending, ends, deadline, now, tally);
        if sender.note_order(receiver, stamp.sequence) && sending.measured {
            tally.reordered += 1;
        }
        Receipt {
            fate,
            latency: sending.measured.then_some(now - sending.planned),
        }
    }

    /// A member read a stamp of this group where only other channels are followed. That is no receipt, and a stray only
    /// if the channel is not for that member, whether they listen or not.
    pub fn overhear(&mut self, stamp: &Stamp, member: u32, tallies: &mut [Tally]) {
        let Some(channel) = self.channels.get_mut(usize::from(stamp.channel)) else {
            return;
        };
        if channel.audience.admits(member, stamp.sender) {
            return;
        }
        let sender = channel.senders.get_mut(stamp.sender as usize);
        let message = sender.and_then(|sender| sender.get(stamp.sequence));
        let sending = message.and_then(|message| message.sent);
        let counts = sending.is_some_and(|sending| sending.measured);
        stray_if(
            counts,
            &mut tallies[channel.tally],
            MisdeliveryReason::OutsideAudience,
        );
    }

    /// A member read a stamp of this group where its channel is followed but does not look. That is no receipt. Whether
    /// it counts.
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

    /// When a message that counts was last sent.
    pub fn last_sent(&self) -> Nanos {
        self.last_sent
    }

    /// Deliveries that are still waited for.
    pub fn awaited(&self) -> u64 {
        self.awaited
    }

    /// The end: what is pending is lost, what was stamped and not sent is counted as such.
    pub fn close(&mut self, tallies: &mut [Tally]) {
        for (_, channel, _) in self.unsent.drain(..) {
            tallies[self.channels[usize::from(channel.0)].tally].unsent += 1;
        }
        for channel in &mut self.channels {
            let tally = &mut tallies[channel.tally];
            for (sender, number) in channel.senders.iter_mut().zip(0..) {
                for message in &mut sender.messages {
                    give_up(message, number, tally);
                }
            }
        }
        self.awaited = 0;
    }

    fn forget_old(
        &mut self,
        channel: ChannelIndex,
        sender: u32,
        now: Nanos,
        tallies: &mut [Tally],
    ) {
        let kept_for = self.settle + REMEMBERED;
        let channel = &mut self.channels[usize::from(channel.0)];
        let number = sender;
        let Some(sender) = channel.senders.get_mut(number as usize) else {
            return;
        };
        while sender
            .messages
            .front()
            .and_then(|oldest| oldest.sent)
            .is_some_and(|sent| sent.at + kept_for < now)
        {
            if let Some(mut oldest) = sender.messages.pop_front() {
                self.awaited -= oldest.awaited();
                let tally = &mut tallies[channel.tally];
                give_up(&mut oldest, number, tally);
                sender.base += 1;
            }
        }
    }
}

fn stray(tally: &mut Tally, reason: MisdeliveryReason) -> Receipt {
    stray_if(true, tally, reason)
}

fn stray_if(counts: bool, tally: &mut Tally, reason: MisdeliveryReason) -> Receipt {
    if counts {
        tally.stray(reason);
    }
    Receipt::uncounted(Fate::Misdelivered(reason))
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
