use std::collections::BTreeMap;

use model::{GroupId, LossReason, Nanos};

use super::{CutOff, Leaving};
use crate::{Audience, ChannelIndex, Ledger, Stamp, Tally};

const SETTLE: Nanos = Nanos::from_secs(5);

/// Member 0 sends to members 1 and 2. Tests advance the time with `passes`.
struct Pair {
    ledger: Ledger,
    channel: ChannelIndex,
    tallies: Vec<Tally>,
    now: Nanos,
}

impl Pair {
    fn new() -> Self {
        let mut ledger = Ledger::new(1, GroupId(5), SETTLE);
        let channel = ledger.add_channel(0, Audience::Others, Nanos::from_secs(1));
        Self {
            ledger,
            channel,
            tallies: vec![Tally::default()],
            now: Nanos::from_secs(1),
        }
    }

    fn passes(&mut self, span: Nanos) {
        self.now += span;
    }

    fn joins(&mut self, member: u32) {
        self.ledger.join(self.channel, member);
    }

    fn leaves(&mut self, member: u32, how: Leaving) {
        self.ledger.leave(self.channel, member, self.now, how);
    }

    fn says(&mut self) -> Stamp {
        let (now, tallies) = (self.now, &mut self.tallies);
        let stamp = self.ledger.stamp(self.channel, 0, now, tallies);
        self.ledger.send(0, now, now, true, tallies);
        stamp
    }

    fn hears(&mut self, stamp: &Stamp, member: u32) {
        let tallies = &mut self.tallies;
        self.ledger.receive(stamp, member, self.now, tallies);
    }

    /// Closes the ledger. Returns the numbers of deliveries made, lost (by reason) and cut off (by reason).
    fn closes(mut self) -> (u64, BTreeMap<LossReason, u64>, BTreeMap<CutOff, u64>) {
        self.ledger.close(&mut self.tallies);
        let tally = self.tallies.remove(0);
        let ended = tally.delivered + tally.late + tally.lost_total() + tally.cut_off_total();
        assert_eq!(tally.expected, ended);
        (tally.delivered, tally.lost, tally.cut_off)
    }
}

#[test]
fn each_loss_has_the_reason_of_its_own_time_however_often_the_member_came_and_left() {
    let mut pair = Pair::new();
    for how in [Leaving::Left, Leaving::Disconnected, Leaving::Left] {
        pair.joins(1);
        pair.says();
        pair.passes(Nanos::from_secs(1));
        pair.leaves(1, how);
        pair.passes(Nanos::from_secs(9));
    }
    let lost = [
        (LossReason::ReceiverDisconnected, 1),
        (LossReason::ReceiverLeft, 2),
    ];
    assert_eq!(pair.closes(), (0, lost.into(), BTreeMap::new()));
}

#[test]
fn a_message_is_missed_by_the_first_departure_after_it() {
    let mut pair = Pair::new();
    pair.joins(1);
    pair.says();
    pair.leaves(1, Leaving::Disconnected);
    pair.joins(1);
    pair.leaves(1, Leaving::Left);
    let lost = [(LossReason::ReceiverDisconnected, 1)];
    assert_eq!(pair.closes().1, lost.into());
}

#[test]
fn what_headcount_cut_off_is_not_lost() {
    for why in [
        CutOff::IterationFailed,
        CutOff::IterationEnded,
        CutOff::LevelEnded,
    ] {
        let mut pair = Pair::new();
        pair.joins(1);
        pair.joins(2);
        let stamp = pair.says();
        pair.hears(&stamp, 2);
        pair.leaves(1, Leaving::CutOff(why));
        pair.leaves(2, Leaving::CutOff(why));
        assert_eq!(pair.ledger.awaited(), 0);
        assert_eq!(pair.closes(), (1, BTreeMap::new(), [(why, 1)].into()));
    }
}

#[test]
fn what_had_its_whole_settling_time_is_lost_and_not_cut_off() {
    let mut pair = Pair::new();
    pair.joins(1);
    pair.says();
    pair.passes(SETTLE);
    pair.leaves(1, Leaving::CutOff(CutOff::LevelEnded));
    let lost = [(LossReason::NeverSeen, 1)];
    assert_eq!(pair.closes(), (0, lost.into(), BTreeMap::new()));
}

#[test]
fn what_comes_after_all_is_delivered_whatever_was_thought_of_it() {
    let mut pair = Pair::new();
    pair.joins(1);
    let stamp = pair.says();
    pair.leaves(1, Leaving::CutOff(CutOff::IterationFailed));
    pair.hears(&stamp, 1);
    assert_eq!(pair.closes(), (1, BTreeMap::new(), BTreeMap::new()));
}

#[test]
fn what_comes_after_the_books_were_closed_is_late_and_nothing_else() {
    let mut pair = Pair::new();
    pair.joins(1);
    pair.joins(2);
    let stamp = pair.says();
    pair.leaves(1, Leaving::CutOff(CutOff::LevelEnded));
    pair.ledger.close(&mut pair.tallies);
    pair.hears(&stamp, 1);
    let tally = &pair.tallies[0];
    assert_eq!(
        (tally.late, tally.lost_total(), tally.cut_off_total()),
        (1, 1, 0)
    );
    pair.hears(&stamp, 2);
    let tally = &pair.tallies[0];
    assert_eq!(
        (tally.late, tally.lost_total(), tally.cut_off_total()),
        (2, 0, 0)
    );
}

#[test]
fn what_arrives_elsewhere_is_lost_for_that_reason_unless_it_comes_where_the_channel_looks() {
    let mut pair = Pair::new();
    pair.joins(1);
    pair.joins(2);
    let stamp = pair.says();
    for member in [1, 2] {
        assert!(pair.ledger.misplaced(&stamp, member, &mut pair.tallies));
    }
    assert_eq!(pair.ledger.awaited(), 2, "it may still come");
    pair.hears(&stamp, 2);
    assert!(pair.ledger.misplaced(&stamp, 2, &mut pair.tallies));
    assert_eq!(pair.tallies[0].misplaced, 3);
    let lost = [(LossReason::Misplaced, 1)];
    assert_eq!(pair.closes(), (1, lost.into(), BTreeMap::new()));
}

#[test]
fn a_senders_own_copy_that_never_came_is_told_apart() {
    let mut ledger = Ledger::new(1, GroupId(5), SETTLE);
    let channel = ledger.add_channel(0, Audience::Everyone, SETTLE);
    let (mut tallies, now) = (vec![Tally::default()], Nanos::from_secs(1));
    (0..3).for_each(|member| ledger.join(channel, member));
    let stamp = ledger.stamp(channel, 0, now, &mut tallies);
    ledger.send(0, now, now, true, &mut tallies);
    ledger.receive(&stamp, 1, now, &mut tallies);
    ledger.close(&mut tallies);
    let lost = [(LossReason::NeverSeen, 1), (LossReason::OwnCopy, 1)];
    assert_eq!((tallies[0].own_copies, &tallies[0].lost), (1, &lost.into()));
}
