use std::collections::{BTreeMap, BTreeSet};

use model::MisdeliveryReason::{Forgotten, Garbled};
use proptest::prelude::*;

use super::*;
use crate::broadcast::BroadcastChannel;
use crate::ledger::Ledger;
use crate::stamp::Stamp;
use crate::tally::Fate;

const SETTLE: Nanos = Nanos::from_secs(5);
const DEADLINE: Nanos = Nanos::from_millis(100);
const RUN: u32 = 7;
const MEMBERS: u32 = 70;
const ENDED: Nanos = Nanos::from_secs(100);

/// One audience on two workers, and a group that sends to it.
struct Hall {
    ledger: Ledger,
    workers: [Listeners; 2],
    tallies: Vec<Tally>,
}

impl Hall {
    fn new() -> Self {
        let workers = [0, 1].map(|_| {
            let mut listeners = Listeners::default();
            listeners.expect_groups(5..6);
            (0..MEMBERS).for_each(|member| listeners.join(member));
            listeners
        });
        Self {
            ledger: Ledger::new(RUN, GroupId(5), SETTLE),
            workers,
            tallies: vec![Tally::default()],
        }
    }

    fn stamp(&mut self, sender: u32, at: Nanos, measured: bool) -> Stamp {
        let channel = BroadcastChannel {
            number: 0,
            measured,
        };
        self.ledger.stamp_broadcast(channel, 0, sender, at)
    }

    fn say(&mut self, sender: u32, at: Nanos) -> Stamp {
        let stamp = self.stamp(sender, at, true);
        self.ledger.send(sender, at, at, true, &mut self.tallies);
        stamp
    }

    fn hear(&mut self, stamp: &Stamp, (worker, member): (usize, u32), at: Nanos) -> Fate {
        let stamp = Stamp::at(stamp.encode().as_bytes(), 0).unwrap().unwrap();
        let channel = stamp.broadcast().unwrap();
        let tally = &mut self.tallies[0];
        let listeners = &mut self.workers[worker];
        listeners
            .receive((&stamp, channel), member, at, DEADLINE, tally)
            .fate
    }

    fn hear_all(&mut self, stamp: &Stamp, at: Nanos) {
        for place in (0..2).flat_map(|worker| (0..MEMBERS).map(move |member| (worker, member))) {
            self.hear(stamp, place, at);
        }
    }

    /// The counts of all workers together.
    fn close(mut self) -> Tally {
        self.ledger.close(&mut self.tallies);
        let mut broadcasts = Broadcasts::default();
        broadcasts.add_sent(self.ledger.take_broadcasts());
        for listeners in self.workers {
            let mut other = Broadcasts::default();
            other.add_listeners(0, listeners, ENDED);
            broadcasts.merge(other);
        }
        let mut tally = self.tallies.remove(0);
        let joined = broadcasts.fates(&[0], SETTLE).remove(&0);
        let joined = joined.unwrap_or_default();
        tally.expected += joined.expected;
        (tally.lost, tally.cut_off) = (joined.lost, joined.cut_off);
        (tally.first, tally.last) = (joined.first, joined.last);
        assert_eq!(
            tally.expected,
            tally.delivered + tally.late + tally.lost_total() + tally.cut_off_total()
        );
        tally
    }
}

fn ms(ms: u64) -> Nanos {
    Nanos::from_millis(ms)
}

#[test]
fn a_message_that_all_received_has_a_first_and_a_last_receiver_over_all_workers() {
    let mut hall = Hall::new();
    let stamp = hall.say(0, ms(1000));
    hall.hear(&stamp, (1, 3), ms(1004));
    hall.hear(&stamp, (0, 69), ms(1090));
    hall.hear_all(&stamp, ms(1010));
    let tally = hall.close();
    assert_eq!((tally.messages, tally.expected), (1, 140));
    assert_eq!((tally.delivered, tally.duplicated), (140, 2));
    assert_eq!((tally.first.count(), tally.last.count()), (1, 1));
    assert!(tally.first.max() < Some(ms(5)) && tally.last.max() > Some(ms(89)));
}

#[test]
fn a_loss_has_the_reason_that_applied() {
    let mut hall = Hall::new();
    let stamp = hall.say(0, ms(1000));
    // A member that broke later was in the audience, one that broke before was not.
    hall.workers[0].leave(1, ms(900), Leaving::Disconnected);
    hall.workers[0].leave(2, ms(1500), Leaving::Disconnected);
    // This departure came after the settling time.
    hall.workers[1].leave(3, ms(6001), Leaving::Disconnected);
    let misplaced = stamp.broadcast().unwrap();
    let tallies = &mut hall.tallies;
    hall.workers[1].misplaced((&stamp, misplaced), 4, &mut tallies[0]);
    for worker in 0..2 {
        for member in (0..MEMBERS).filter(|member| !(1..=4).contains(member)) {
            hall.hear(&stamp, (worker, member), ms(1001));
        }
    }
    let tally = hall.close();
    assert_eq!(tally.expected, 139);
    let lost = [
        (LossReason::ReceiverDisconnected, 1),
        (LossReason::Misplaced, 1),
        // Members 3 and 4 of the first worker, members 1, 2 and 3 of the second.
        (LossReason::NeverSeen, 5),
    ];
    assert_eq!(tally.lost, BTreeMap::from(lost));
    assert_eq!((tally.misplaced, tally.last.count()), (1, 0));
}

#[test]
fn deliveries_that_headcount_did_not_wait_for_are_cut_off() {
    let mut hall = Hall::new();
    let late = Nanos::from_secs(96);
    hall.say(0, late);
    let tally = hall.close();
    assert_eq!(tally.cut_off, BTreeMap::from([(CutOff::LevelEnded, 140)]));
}

#[test]
fn a_message_that_was_never_sent_is_expected_by_nobody() {
    let mut hall = Hall::new();
    hall.stamp(0, ms(1000), true);
    let failed = hall.stamp(1, ms(1000), true);
    let sent = hall
        .ledger
        .send(1, ms(1000), ms(1000), true, &mut hall.tallies);
    assert!(sent[0].is_of(&failed));
    hall.ledger.refuse(sent[0]);
    let tally = hall.close();
    assert_eq!((tally.unsent, tally.messages), (1, 1));
    assert_eq!(tally.lost, BTreeMap::from([(LossReason::SendFailed, 140)]));
}

#[test]
fn messages_outside_of_the_measured_time_are_in_no_figure() {
    let mut hall = Hall::new();
    let stamp = hall.stamp(0, ms(1000), false);
    hall.ledger
        .send(0, ms(1000), ms(1000), false, &mut hall.tallies);
    hall.hear(&stamp, (0, 0), ms(1001));
    assert_eq!(
        hall.hear(&stamp, (0, 0), ms(1001)),
        Fate::Duplicated,
        "its fate is known"
    );
    let tally = hall.close();
    assert_eq!(
        (tally.messages, tally.expected, tally.duplicated),
        (0, 0, 0)
    );
}

#[test]
fn stamps_of_other_levels_and_impossible_numbers_are_misdelivered() {
    let mut hall = Hall::new();
    let stamp = hall.say(0, ms(1000));
    let of_group = |group| Stamp {
        group: GroupId(group),
        ..stamp
    };
    let far = Stamp {
        sequence: u32::MAX,
        ..stamp
    };
    let mut reason = |stamp: Stamp| match hall.hear(&stamp, (0, 0), ms(1001)) {
        Fate::Misdelivered(reason) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(of_group(4)), Forgotten);
    assert_eq!(reason(of_group(6)), Garbled);
    assert_eq!(reason(far), Garbled);
}

#[test]
fn a_number_too_far_ahead_of_all_others_is_no_message_of_this_run() {
    let first_heard = |sequence: u32| {
        let mut hall = Hall::new();
        let stamp = Stamp {
            sequence,
            ..hall.say(0, ms(1000))
        };
        hall.hear(&stamp, (0, 0), ms(1001))
    };
    assert_eq!(first_heard(65_536), Fate::Delivered);
    assert_eq!(first_heard(65_537), Fate::Misdelivered(Garbled));
}

#[test]
fn messages_of_an_unknown_sender_are_expected_by_those_who_received_them() {
    let mut hall = Hall::new();
    let measured = hall.say(0, ms(1000));
    let unmeasured = hall.stamp(0, ms(2000), false);
    for place in [(0, 3), (1, 4), (1, 5)] {
        hall.hear(&measured, place, ms(1010));
        hall.hear(&unmeasured, place, ms(2010));
    }
    let mut broadcasts = Broadcasts::default();
    for listeners in hall.workers {
        broadcasts.add_listeners(0, listeners, ENDED);
    }
    let tally = broadcasts.fates(&[0], SETTLE).remove(&0);
    let tally = tally.unwrap_or_default();
    assert_eq!((tally.expected, tally.lost_total()), (3, 0));
}

#[test]
fn members_have_all_when_each_who_still_listens_has_received_every_message() {
    let mut hall = Hall::new();
    let stamp = hall.say(0, ms(1000));
    let mut counts = [0];
    hall.ledger.broadcasts().count_sent(&mut counts);
    assert_eq!(counts, [1]);
    for member in 1..MEMBERS {
        hall.hear(&stamp, (0, member), ms(1001));
    }
    assert!(!hall.workers[0].have_all(1));
    hall.workers[0].leave(0, ms(2000), Leaving::Disconnected);
    assert!(hall.workers[0].have_all(1));
}

proptest! {
    /// Deliveries in any order, with losses, repetitions, delays and departures, against sets of what was received.
    #[test]
    fn counts_equal_brute_force(
        hears in prop::collection::vec((0..2_u32, 0..20_usize, 0..2_usize, 0..MEMBERS, 0..200_u64), 0..400),
        leaves in prop::collection::btree_map((0..2_usize, 0..MEMBERS), 0..25_u64, 0..20),
    ) {
        let mut hall = Hall::new();
        // Message n of each sender is sent at n seconds.
        let stamps = [0, 1].map(|sender| {
            (0..20).map(|n| hall.say(sender, Nanos::from_secs(n))).collect::<Vec<_>>()
        });
        let mut seen = BTreeMap::new();
        let mut last = BTreeMap::new();
        let (mut late, mut duplicated, mut reordered) = (0, 0, 0);
        for (sender, n, worker, member, delay) in hears {
            // Nothing arrives after a departure.
            let left = leaves.get(&(worker, member)).map(|&at| Nanos::from_secs(at));
            if left.is_some_and(|left| left <= Nanos::from_secs(n as u64)) {
                continue;
            }
            let at = Nanos::from_secs(n as u64) + ms(delay);
            hall.hear(&stamps[sender as usize][n], (worker, member), at);
            let all: &mut BTreeSet<_> = seen.entry((sender, n)).or_default();
            if all.insert((worker, member)) {
                late += u64::from(delay > 100);
                let last = last.entry((sender, worker, member)).or_insert(n);
                reordered += u64::from(n < *last);
                *last = n.max(*last);
            } else {
                duplicated += 1;
            }
        }
        for (&(worker, member), &at) in &leaves {
            hall.workers[worker].leave(member, Nanos::from_secs(at), Leaving::Disconnected);
        }
        let gone = |n: usize| leaves.values().filter(|&&at| at <= n as u64).count() as u64;
        let expected: u64 = (0..20).map(|n| 2 * (140 - gone(n))).sum();
        let received: u64 = seen.values().map(|all| all.len() as u64).sum();
        let tally = hall.close();
        prop_assert_eq!(tally.expected, expected);
        prop_assert_eq!(tally.delivered + tally.late, received);
        prop_assert_eq!((tally.late, tally.duplicated, tally.reordered), (late, duplicated, reordered));
        prop_assert_eq!(tally.lost_total(), expected - received);
        prop_assert_eq!(tally.first.count(), seen.len() as u64);
    }
}
