use model::{GroupId, MisdeliveryReason, Nanos};

use crate::bits::Bits;
use crate::broadcast::{BroadcastChannel, BroadcastLog};
use crate::channel::{Audience, Channel, Sender, audience_of};
use crate::departures::Leaving;
use crate::fates::{arrive, give_up};
use crate::message::{Message, Sending};
use crate::sent::{ChannelIndex, Sent};
use crate::stamp::Stamp;
use crate::tally::{Fate, Tally};

/// A message is remembered for this long after its settling time, to distinguish duplicates from unknown stamps.
const REMEMBERED: Nanos = Nanos::from_secs(30);

/// The result of receiving a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The fate of the delivery.
    pub fate: Fate,
    /// Time from the planned sending to the receive time. Set only for the first arrival of a measured message.
    pub latency: Option<Nanos>,
}

impl Receipt {
    pub(crate) fn uncounted(fate: Fate) -> Self {
        Self {
            fate,
            latency: None,
        }
    }
}

/// Tracks every message of one group: who must receive it, and who has received it.
///
/// A ledger belongs to the group's worker. The caller passes the tallies. `tallies[channel.tally]` counts a channel.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) run: u32,
    pub(crate) group: GroupId,
    settle: Nanos,
    pub(crate) channels: Vec<Channel>,
    /// Messages that are stamped but not sent yet, as (sender, channel, sequence).
    unsent: Vec<(u32, ChannelIndex, u32)>,
    /// The messages to passive audiences. Their receivers are elsewhere.
    broadcasts: BroadcastLog,
    awaited: u64,
    last_sent: Nanos,
}

impl Ledger {
    /// Creates the ledger of a group. `settle` is the maximum wait for a delivery after its message was sent.
    pub fn new(run: u32, group: GroupId, settle: Nanos) -> Self {
        Self {
            run,
            group,
            settle,
            channels: Vec::new(),
            unsent: Vec::new(),
            broadcasts: BroadcastLog::new(group),
            awaited: 0,
            last_sent: Nanos::ZERO,
        }
    }

    /// Adds a channel whose deliveries are counted in `tally`. A delivery that takes longer than `deadline` is late.
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

    /// The index of the tally that counts the channel's deliveries.
    pub fn tally_of(&self, channel: ChannelIndex) -> usize {
        self.channels[usize::from(channel.0)].tally
    }

    /// Records that the member listens from now on, so that it can be in the audience of later messages.
    pub fn join(&mut self, channel: ChannelIndex, member: u32) {
        let channel = &mut self.channels[usize::from(channel.0)];
        channel.listening.insert(member);
    }

    /// Records that the member stops listening. Later audiences exclude it, and its pending deliveries are not awaited.
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

    /// Creates a stamp. Its message counts as sent when [`Ledger::send`] is next called for the sender.
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

    /// Marks all stamped messages of the sender as sent, and fixes their audience from the members who listen.
    /// `planned` is the planned time of sending. `measured` states whether the messages count in the tallies.
    pub fn send(
        &mut self,
        sender: u32,
        planned: Nanos,
        now: Nanos,
        measured: bool,
        tallies: &mut [Tally],
    ) -> Vec<Sent> {
        let broadcast = self.broadcasts.send(sender, now, tallies);
        if self.unsent.is_empty() {
            return broadcast;
        }
        let mut carried = Vec::new();
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
        carried.extend(broadcast);
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

    /// Records that the send failed or the target refused the message. Its deliveries are no longer awaited.
    pub fn refuse(&mut self, sent: Sent) {
        if sent.channel.is_broadcast() {
            return self.broadcasts.refuse(sent);
        }
        let sender = &mut self.channels[usize::from(sent.channel.0)].senders[sent.sender as usize];
        if let Some(message) = sender.get(sent.sequence) {
            self.awaited -= message.awaited();
            message.refused = true;
        }
    }

    /// Records that a member received a stamp of this group. `now` is the receive time.
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
            // A member who began to listen after the message was sent may already have joined the room on the target,
            // so this delivery is not an error.
            if channel.audience.admits(receiver, stamp.sender) {
                return Receipt::uncounted(Fate::Unexpected);
            }
            let is_echo = channel.audience.is_echo(receiver, stamp.sender);
            return outside(sending.measured, is_echo, tally);
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

    /// Creates the stamp of a message to a passive audience. The message counts as sent, in `tally`, when
    /// [`Ledger::send`] is next called for the sender. Its latencies count from `made`.
    pub fn stamp_broadcast(
        &mut self,
        channel: BroadcastChannel,
        tally: usize,
        sender: u32,
        made: Nanos,
    ) -> Stamp {
        self.broadcasts
            .stamp(self.run, channel, tally, (sender, made))
    }

    /// Whether the stamp belongs to a message of this run to a passive audience.
    pub fn is_broadcast(&self, stamp: &Stamp) -> bool {
        stamp.run == self.run && stamp.broadcast().is_some()
    }

    /// Takes the log of the messages to passive audiences.
    pub fn take_broadcasts(&mut self) -> BroadcastLog {
        std::mem::replace(&mut self.broadcasts, BroadcastLog::new(self.group))
    }

    /// The messages to passive audiences so far.
    pub fn broadcasts(&self) -> &BroadcastLog {
        &self.broadcasts
    }

    /// Whether the member has received this stamp of the group before. Also true for a message that the ledger has
    /// forgotten.
    pub fn has_received(&mut self, stamp: &Stamp, member: u32) -> bool {
        let channel = self.channels.get_mut(usize::from(stamp.channel));
        let Some(sender) =
            channel.and_then(|channel| channel.senders.get_mut(stamp.sender as usize))
        else {
            return false;
        };
        let is_forgotten = stamp.sequence < sender.base;
        let message = sender.get(stamp.sequence);
        let has = |message: &mut Message| {
            message.audience.contains(member) && !message.pending.contains(member)
        };
        is_forgotten || message.is_some_and(has)
    }

    /// The time at which the last measured message was sent.
    pub fn last_sent(&self) -> Nanos {
        self.last_sent
    }

    /// The number of deliveries that are still awaited.
    pub fn awaited(&self) -> u64 {
        self.awaited
    }

    /// Closes all messages. Pending deliveries count as lost or cut off, and stamps that were never sent count as
    /// unsent.
    pub fn close(&mut self, tallies: &mut [Tally]) {
        for (_, channel, _) in self.unsent.drain(..) {
            tallies[self.channels[usize::from(channel.0)].tally].unsent += 1;
        }
        self.broadcasts.count_unsent(tallies);
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
    tally.stray(reason);
    Receipt::uncounted(Fate::Misdelivered(reason))
}

pub(crate) fn outside(counts: bool, is_echo: bool, tally: &mut Tally) -> Receipt {
    if counts {
        tally.outside(is_echo);
    }
    Receipt::uncounted(Fate::Misdelivered(MisdeliveryReason::OutsideAudience))
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
