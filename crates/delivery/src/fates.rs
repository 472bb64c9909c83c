//! What a receipt, or its absence, does to a message and its tally.

use model::Nanos;

use crate::ledger::Leaving;
use crate::message::{LossReason, Message, Sending};
use crate::tally::{Fate, Tally};

/// The first receipt by a member of the audience, who is pending no more.
pub(crate) fn arrive(
    message: &mut Message,
    sending: Sending,
    receiver: u32,
    deadline: Nanos,
    now: Nanos,
    tally: &mut Tally,
) -> Fate {
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
    if message.closed {
        move_from_lost_to_late(tally);
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

/// A receipt after the loss was counted. It is one thing or the other, never both.
fn move_from_lost_to_late(tally: &mut Tally) {
    if let Some(count) = tally.lost.values_mut().find(|count| **count > 0) {
        *count -= 1;
        tally.late += 1;
    }
}

/// What nobody waits for any longer is lost, with its reason. Who went after its settling time was there long enough.
pub(crate) fn give_up(
    message: &mut Message,
    gone: &[(u32, Nanos, Leaving)],
    settle: Nanos,
    tally: &mut Tally,
) {
    let Some(sending) = message.sent.filter(|_| !message.closed) else {
        return;
    };
    message.closed = true;
    let waited_for = sending.at..sending.at + settle;
    if !sending.measured {
        return;
    }
    for receiver in message.pending.iter() {
        let reason = if message.refused {
            LossReason::SendFailed
        } else {
            gone.iter()
                .find(|(who, when, _)| *who == receiver && waited_for.contains(when))
                .map_or(LossReason::NeverSeen, |(_, _, how)| match how {
                    Leaving::Left => LossReason::ReceiverLeft,
                    Leaving::Disconnected => LossReason::ReceiverDisconnected,
                })
        };
        *tally.lost.entry(reason).or_default() += 1;
    }
}
