//! Tests stamps of each origin: this group, another group, an earlier run, or a channel that another socket follows.

use super::*;

fn stamp_of(run: u32, group: u32) -> Stamp {
    Stamp {
        run,
        group: GroupId(group),
        channel: 0,
        sender: 0,
        sequence: 0,
        made: ms(0),
    }
}

#[test]
fn a_stamp_is_a_groups_own_by_its_run_and_its_group() {
    let ledger = Ledger::new(1, GroupId(5), Nanos::from_secs(5));
    let mut tally = Tally::default();
    assert!(ledger.is_own(&stamp_of(1, 5)));
    for (run, group, reason) in [
        (1, 6, MisdeliveryReason::AnotherGroup),
        (2, 5, MisdeliveryReason::AnotherRun),
        (2, 6, MisdeliveryReason::AnotherRun),
    ] {
        let stamp = stamp_of(run, group);
        assert!(!ledger.is_own(&stamp), "{run} {group}");
        assert_eq!(ledger.stranger(&stamp, &mut tally), reason);
    }
    let counts = [
        (MisdeliveryReason::AnotherGroup, 1),
        (MisdeliveryReason::AnotherRun, 2),
    ];
    assert_eq!(tally.misdelivered, counts.into());
}

#[test]
fn what_was_sent_is_known_by_its_stamp() {
    let mut room = Room::new(2, Audience::Others);
    let stamp = room.ledger.stamp(room.channel, 0, ms(0), &mut room.tallies);
    let sent = room.ledger.send(0, ms(0), ms(0), true, &mut room.tallies)[0];
    assert!(sent.is_of(&stamp));
    for other in [
        Stamp {
            channel: 1,
            ..stamp
        },
        Stamp { sender: 1, ..stamp },
        Stamp {
            sequence: 1,
            ..stamp
        },
    ] {
        assert!(!sent.is_of(&other), "{other:?}");
    }
}

#[test]
fn each_channel_counts_into_its_own_tally() {
    let mut ledger = Ledger::new(1, GroupId(5), Nanos::from_secs(5));
    let mut tallies = vec![Tally::default(); 3];
    let channels = [2, 0].map(|tally| ledger.add_channel(tally, Audience::Everyone, DEADLINE));
    for (channel, tally) in channels.into_iter().zip([2, 0]) {
        assert_eq!(ledger.tally_of(channel), tally);
        ledger.join(channel, 0);
        ledger.stamp(channel, 0, ms(0), &mut tallies);
    }
    ledger.send(0, ms(0), ms(0), true, &mut tallies);
    let messages: Vec<_> = tallies.iter().map(|tally| tally.messages).collect();
    assert_eq!(messages, [1, 0, 1]);
}

#[test]
fn what_is_read_where_only_other_channels_are_followed_strays_unless_it_is_for_the_reader() {
    for (measured, strays) in [(true, 1), (false, 0)] {
        let mut room = Room::new(4, Audience::Members(vec![1, 2]));
        let stamp = room.ledger.stamp(room.channel, 0, ms(0), &mut room.tallies);
        room.ledger
            .send(0, ms(0), ms(0), measured, &mut room.tallies);
        for member in [1, 3] {
            room.ledger.overhear(&stamp, member, &mut room.tallies);
        }
        assert_eq!(room.tallies[0].misdelivered_total(), strays);
        assert_eq!(room.tallies[0].delivered, 0, "it is no receipt");
    }
}

#[test]
fn a_message_to_others_that_returns_to_its_sender_is_an_echo_and_one_to_a_list_is_not() {
    for (audience, echoes) in [(Audience::Others, 2), (Audience::Members(vec![1]), 0)] {
        let mut room = Room::new(2, audience);
        let stamp = room.say(0, ms(0));
        room.hear(&stamp, 0, ms(1));
        room.ledger.overhear(&stamp, 0, &mut room.tallies);
        let tally = &room.tallies[0];
        assert_eq!((tally.echoes, tally.misdelivered_total()), (echoes, 2));
    }
}
