use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use model::LossReason;

#[path = "ledger_tests/awaited.rs"]
mod awaited;
#[path = "ledger_tests/strangers.rs"]
mod strangers;

const DEADLINE: Nanos = Nanos::from_millis(100);

/// One group of `members`, who all listen on one channel.
struct Room {
    ledger: Ledger,
    channel: ChannelIndex,
    tallies: Vec<Tally>,
}

impl Room {
    fn new(members: u32, audience: Audience) -> Self {
        let mut ledger = Ledger::new(1, GroupId(5), Nanos::from_secs(5));
        let channel = ledger.add_channel(0, audience, DEADLINE);
        for member in 0..members {
            ledger.join(channel, member);
        }
        Self {
            ledger,
            channel,
            tallies: vec![Tally::default()],
        }
    }

    fn say(&mut self, sender: u32, at: Nanos) -> Stamp {
        let stamp = self
            .ledger
            .stamp(self.channel, sender, at, &mut self.tallies);
        self.ledger.send(sender, at, at, true, &mut self.tallies);
        stamp
    }

    fn hear(&mut self, stamp: &Stamp, receiver: u32, at: Nanos) -> Fate {
        self.ledger
            .receive(stamp, receiver, at, &mut self.tallies)
            .fate
    }

    fn close(mut self) -> Tally {
        self.ledger.close(&mut self.tallies);
        let tally = self.tallies.remove(0);
        assert_eq!(
            tally.expected,
            tally.delivered + tally.late + tally.lost_total()
        );
        tally
    }
}

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

#[test]
fn a_message_to_others_is_delivered_to_each_of_them_once() {
    let mut room = Room::new(4, Audience::Others);
    let stamp = room.say(0, ms(10));
    assert_eq!(room.ledger.awaited(), 3);
    assert_eq!(room.hear(&stamp, 1, ms(11)), Fate::Delivered);
    assert_eq!(room.hear(&stamp, 2, ms(13)), Fate::Delivered);
    assert_eq!(room.hear(&stamp, 3, ms(17)), Fate::Delivered);
    assert_eq!(room.ledger.awaited(), 0);
    let tally = room.close();
    assert_eq!((tally.messages, tally.expected, tally.delivered), (1, 3, 3));
    assert_eq!(tally.first.max(), Some(ms(1)));
    assert_eq!(tally.median.max(), Some(ms(3)));
    assert_eq!(tally.last.max(), Some(ms(7)));
}

#[test]
fn the_last_receipt_is_the_latest_whatever_was_read_last() {
    let mut room = Room::new(4, Audience::Others);
    let stamp = room.say(0, ms(10));
    for (receiver, at) in [(1, 30), (2, 60), (3, 40)] {
        room.hear(&stamp, receiver, ms(at));
    }
    let tally = room.close();
    let [first, median, last] = [tally.first, tally.median, tally.last].map(|it| it.max());
    assert_eq!(
        (first, median, last),
        (Some(ms(20)), Some(ms(50)), Some(ms(50)))
    );
}

#[test]
fn the_sender_is_outside_the_audience_of_others() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room.say(0, ms(0));
    assert_eq!(
        room.hear(&stamp, 0, ms(1)),
        Fate::Misdelivered(MisdeliveryReason::OutsideAudience)
    );
    assert_eq!(
        room.close().misdelivered[&MisdeliveryReason::OutsideAudience],
        1
    );
}

#[test]
fn a_list_of_members_is_the_audience() {
    let mut room = Room::new(4, Audience::Members(vec![1, 3]));
    let stamp = room.say(0, ms(0));
    assert_eq!(room.hear(&stamp, 1, ms(1)), Fate::Delivered);
    assert_eq!(
        room.hear(&stamp, 2, ms(1)),
        Fate::Misdelivered(MisdeliveryReason::OutsideAudience)
    );
    assert_eq!(room.close().lost_total(), 1);
}

#[test]
fn seen_after_the_deadline_is_late_and_its_latency_is_kept() {
    let mut room = Room::new(3, Audience::Others);
    let stamp = room.say(0, ms(0));
    assert_eq!(room.hear(&stamp, 1, DEADLINE), Fate::Delivered);
    assert_eq!(room.hear(&stamp, 2, ms(101)), Fate::Late);
    let tally = room.close();
    assert_eq!(
        (tally.delivered, tally.late, tally.latency.count()),
        (1, 1, 2)
    );
}

#[test]
fn seen_again_is_a_duplicate_and_nothing_else() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room.say(0, ms(0));
    room.hear(&stamp, 1, ms(1));
    assert_eq!(room.hear(&stamp, 1, ms(2)), Fate::Duplicated);
    let tally = room.close();
    assert_eq!(
        (tally.delivered, tally.duplicated, tally.reordered),
        (1, 1, 0)
    );
}

#[test]
fn a_swapped_pair_is_one_reordering_and_no_loss() {
    let mut room = Room::new(2, Audience::Others);
    let first = room.say(0, ms(0));
    let second = room.say(0, ms(1));
    room.hear(&second, 1, ms(2));
    room.hear(&first, 1, ms(3));
    let tally = room.close();
    assert_eq!(
        (tally.delivered, tally.reordered, tally.lost_total()),
        (2, 1, 0)
    );
}

#[test]
fn loss_before_the_first_and_after_the_last_receipt_is_seen() {
    let mut room = Room::new(2, Audience::Others);
    let stamps: Vec<_> = (0..5).map(|n| room.say(0, ms(n))).collect();
    room.hear(&stamps[2], 1, ms(10));
    assert_eq!(room.close().lost[&LossReason::NeverSeen], 4);
}

#[test]
fn a_member_who_joins_later_is_not_in_the_audience_of_earlier_messages() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room.say(0, ms(0));
    room.ledger.join(room.channel, 2);
    room.hear(&stamp, 1, ms(1));
    assert_eq!(room.close().expected, 1);
}

/// A server may send to a member before the member listens, or send it earlier messages.
#[test]
fn who_listens_only_since_the_sending_is_no_stray_but_who_may_not_hear_it_still_is() {
    for (audience, who, fate) in [
        (Audience::Others, 2, Fate::Unexpected),
        (Audience::Everyone, 2, Fate::Unexpected),
        (Audience::Members(vec![1, 2]), 2, Fate::Unexpected),
        (
            Audience::Members(vec![1]),
            2,
            Fate::Misdelivered(MisdeliveryReason::OutsideAudience),
        ),
        (
            Audience::Others,
            0,
            Fate::Misdelivered(MisdeliveryReason::OutsideAudience),
        ),
    ] {
        let mut room = Room::new(2, audience.clone());
        let stamp = room.say(0, ms(0));
        room.ledger.join(room.channel, 2);
        for at in [1, 2] {
            assert_eq!(room.hear(&stamp, who, ms(at)), fate, "{audience:?}");
        }
        let tally = room.close();
        let strays = if fate == Fate::Unexpected { 0 } else { 2 };
        assert_eq!(tally.misdelivered_total(), strays, "{audience:?}");
        assert_eq!((tally.delivered, tally.duplicated), (0, 0), "{audience:?}");
    }
}

#[test]
fn one_who_left_between_two_messages_and_came_back_hears_the_second_as_no_stray() {
    let mut room = Room::new(2, Audience::Others);
    let first = room.say(0, ms(0));
    room.ledger.leave(room.channel, 1, ms(1), Leaving::Left);
    let second = room.say(0, ms(2));
    room.ledger.join(room.channel, 1);
    assert_eq!(room.hear(&first, 1, ms(3)), Fate::Delivered);
    assert_eq!(room.hear(&second, 1, ms(3)), Fate::Unexpected);
    let tally = room.close();
    assert_eq!((tally.expected, tally.misdelivered_total()), (1, 0));
}

#[test]
fn who_was_there_for_the_whole_settling_time_did_not_lose_it_by_leaving() {
    let mut room = Room::new(3, Audience::Others);
    room.say(0, ms(0));
    room.ledger
        .leave(room.channel, 1, ms(4999), Leaving::Disconnected);
    room.ledger.leave(room.channel, 2, ms(5000), Leaving::Left);
    let tally = room.close();
    assert_eq!(tally.lost[&LossReason::ReceiverDisconnected], 1);
    assert_eq!(tally.lost[&LossReason::NeverSeen], 1);
    assert_eq!(tally.lost_total(), 2);
}

#[test]
fn the_last_sending_is_known_of_messages_that_count() {
    let mut room = Room::new(2, Audience::Others);
    assert_eq!(room.ledger.last_sent(), Nanos::ZERO);
    room.say(0, ms(7));
    room.ledger.stamp(room.channel, 0, ms(9), &mut room.tallies);
    room.ledger.send(0, ms(9), ms(9), false, &mut room.tallies);
    room.ledger.send(0, ms(11), ms(11), true, &mut room.tallies);
    assert_eq!(room.ledger.last_sent(), ms(7));
}

#[test]
fn what_was_on_its_way_to_one_who_vanished_is_lost_with_that_reason() {
    let mut room = Room::new(3, Audience::Others);
    room.say(0, ms(0));
    room.ledger
        .leave(room.channel, 1, ms(1), Leaving::Disconnected);
    room.ledger.leave(room.channel, 2, ms(1), Leaving::Left);
    assert_eq!(room.ledger.awaited(), 0, "nobody is waited for");
    let tally = room.close();
    assert_eq!(tally.lost[&LossReason::ReceiverDisconnected], 1);
    assert_eq!(tally.lost[&LossReason::ReceiverLeft], 1);
}

#[test]
fn one_who_left_and_came_back_may_still_receive() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room.say(0, ms(0));
    room.ledger
        .leave(room.channel, 1, ms(1), Leaving::Disconnected);
    room.ledger.join(room.channel, 1);
    assert_eq!(room.hear(&stamp, 1, ms(2)), Fate::Delivered);
    assert_eq!(room.close().delivered, 1);
}

#[test]
fn a_refused_message_is_lost_as_refused_and_not_waited_for() {
    let mut room = Room::new(3, Audience::Others);
    room.ledger.stamp(room.channel, 0, ms(0), &mut room.tallies);
    let sent = room.ledger.send(0, ms(0), ms(0), true, &mut room.tallies);
    room.ledger.refuse(sent[0]);
    assert_eq!(room.ledger.awaited(), 0);
    assert_eq!(room.close().lost[&LossReason::SendFailed], 2);
}

#[test]
fn a_stamp_that_is_never_sent_is_expected_by_nobody() {
    let mut room = Room::new(2, Audience::Others);
    room.ledger.stamp(room.channel, 0, ms(0), &mut room.tallies);
    let tally = room.close();
    assert_eq!((tally.messages, tally.expected, tally.unsent), (0, 0, 1));
}

#[test]
fn warm_up_messages_have_an_identity_but_no_count() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room.ledger.stamp(room.channel, 0, ms(0), &mut room.tallies);
    room.ledger.send(0, ms(0), ms(0), false, &mut room.tallies);
    assert_eq!(room.hear(&stamp, 1, ms(1)), Fate::Delivered);
    let tally = room.close();
    assert_eq!(
        (tally.expected, tally.delivered, tally.misdelivered_total()),
        (0, 0, 0)
    );
}

#[test]
fn latency_counts_from_the_planned_sending() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room
        .ledger
        .stamp(room.channel, 0, ms(50), &mut room.tallies);
    room.ledger.send(0, ms(20), ms(50), true, &mut room.tallies);
    let receipt = room.ledger.receive(&stamp, 1, ms(60), &mut room.tallies);
    assert_eq!(receipt.latency, Some(ms(40)));
    assert_eq!(room.close().latency.max(), Some(ms(40)));
}

#[test]
fn an_arrival_after_the_close_moves_from_lost_to_late() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room.say(0, ms(0));
    room.ledger.close(&mut room.tallies);
    assert_eq!(room.tallies[0].lost_total(), 1);
    assert_eq!(room.hear(&stamp, 1, ms(7000)), Fate::Late);
    assert_eq!((room.tallies[0].lost_total(), room.tallies[0].late), (0, 1));
}

#[test]
fn memory_is_bounded_and_what_is_forgotten_is_said_so() {
    let mut room = Room::new(3, Audience::Others);
    let old = room.say(0, ms(0));
    // The settling time plus 30 s.
    room.say(0, ms(35_000));
    assert_eq!(room.hear(&old, 1, ms(35_000)), Fate::Late);
    room.say(0, ms(35_001));
    assert_eq!(
        room.hear(&old, 2, ms(35_001)),
        Fate::Misdelivered(MisdeliveryReason::Forgotten)
    );
    assert_eq!(room.close().lost_total(), 5);
}

proptest! {
    /// Under any mix of faults, the counts equal those of a simple model of the same events.
    #[test]
    fn counts_are_exact_under_any_mix_of_faults(
        members in 2_u32..70,
        actions in prop::collection::vec((0_u32..70, 0_u8..5, any::<prop::sample::Index>()), 1..80),
    ) {
        let mut room = Room::new(members, Audience::Others);
        let mut wire: Vec<(Stamp, u32)> = Vec::new();
        let mut truth: BTreeMap<&str, u64> = BTreeMap::new();
        let mut arrived: BTreeSet<(u32, u32, u32)> = BTreeSet::new();
        let mut highest: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (step, (who, action, pick)) in actions.into_iter().enumerate() {
            let now = ms(step as u64);
            if action == 0 || wire.is_empty() {
                let stamp = room.say(who % members, now);
                wire.extend((0..members).filter(|&to| to != stamp.sender).map(|to| (stamp, to)));
                *truth.entry("expected").or_default() += u64::from(members - 1);
                continue;
            }
            let at = pick.index(wire.len());
            let (stamp, to) = if action == 1 { wire[at] } else { wire.swap_remove(at) };
            if action == 2 { continue; } // dropped
            room.hear(&stamp, to, now);
            if arrived.insert((stamp.sender, stamp.sequence, to)) {
                *truth.entry("arrived").or_default() += 1;
                let top = highest.entry((stamp.sender, to)).or_default();
                *truth.entry("reordered").or_default() += u64::from(stamp.sequence + 1 < *top);
                *top = (*top).max(stamp.sequence + 1);
            } else {
                *truth.entry("duplicated").or_default() += 1;
            }
        }
        let tally = room.close();
        let count = |name| truth.get(name).copied().unwrap_or(0);
        prop_assert_eq!(tally.expected, count("expected"));
        prop_assert_eq!(tally.delivered + tally.late, count("arrived"));
        prop_assert_eq!(tally.duplicated, count("duplicated"));
        prop_assert_eq!(tally.reordered, count("reordered"));
        prop_assert_eq!(tally.lost_total(), count("expected") - count("arrived"));
    }
}
