//! Counts the fate of each delivery, in the message and in the channel's tally.

use model::{LossReason, Nanos};

use crate::departures::{CutOff, Leaving};
use crate::message::{Message, Sending};
use crate::tally::{Fate, Tally};

/// Handles the first arrival of a message at a member of its audience. The caller has removed the member from
/// `pending`.
pub(crate) fn arrive(
    message: &mut Message,
    sending: Sending,
    (sender, receiver): (u32, u32),
    deadline: Nanos,
    now: Nanos,
    tally: &mut Tally,
) -> Fate {
    // A closed message has already counted this delivery as lost or cut off. `missing` returns the counted reason, so
    // that the delivery can be recounted as late. Call it before the departure is forgotten.
    let missed = message.closed.then(|| missing(message, sender, receiver));
    message.no_longer_given_up(receiver);
    message.seen += 1;
    let latency = now - sending.planned;
    let fate = if latency > deadline {
        Fate::Late
    } else {
        Fate::Delivered
    };
    if !sending.measured {
        return fate;
    }
    if let Some(missed) = missed {
        *missed.count(tally) -= 1;
        tally.late += 1;
        tally.latency.record(latency);
        return Fate::Late;
    }
    match fate {
        Fate::Late => tally.late += 1,
        _ => tally.delivered += 1,
    }
    tally.latency.record(latency);
    message.longest = message.longest.max(latency);
    if message.seen == 1 {
        tally.first.record(message.longest);
    }
    if message.seen == message.expected.div_ceil(2) {
        tally.median.record(message.longest);
    }
    if message.seen == message.expected {
        tally.last.record(message.longest);
    }
    fate
}

/// The reason why a delivery did not happen.
enum Missing {
    Lost(LossReason),
    CutOff(CutOff),
}

impl Missing {
    fn count(self, tally: &mut Tally) -> &mut u64 {
        match self {
            Self::Lost(reason) => tally.lost.entry(reason).or_default(),
            Self::CutOff(why) => tally.cut_off.entry(why).or_default(),
        }
    }
}

/// The reason why `receiver` has not received the message. A departure after the settling time is not the reason,
/// because the member listened long enough.
fn missing(message: &Message, sender: u32, receiver: u32) -> Missing {
    if message.refused {
        return Missing::Lost(LossReason::SendFailed);
    }
    if message.was_misplaced_at(receiver) {
        return Missing::Lost(LossReason::Misplaced);
    }
    match message.departure(receiver) {
        None if receiver == sender => Missing::Lost(LossReason::OwnCopy),
        None => Missing::Lost(LossReason::NeverSeen),
        Some(Leaving::Left) => Missing::Lost(LossReason::ReceiverLeft),
        Some(Leaving::Disconnected) => Missing::Lost(LossReason::ReceiverDisconnected),
        Some(Leaving::CutOff(why)) => Missing::CutOff(why),
    }
}

/// Closes a message: counts its pending deliveries as lost or cut off, with the reason.
pub(crate) fn give_up(message: &mut Message, sender: u32, tally: &mut Tally) {
    let Some(sending) = message.sent.filter(|_| !message.closed) else {
        return;
    };
    message.closed = true;
    if !sending.measured {
        return;
    }
    for receiver in message.pending.iter() {
        *missing(message, sender, receiver).count(tally) += 1;
    }
}
