//! The number of awaited deliveries, under any sequence of events.

use super::*;

/// A message of a brute-force model, with the members who may still receive it.
struct Waiting {
    stamp: Stamp,
    sent: Sent,
    at: Nanos,
    by: BTreeSet<u32>,
}

proptest! {
    #[test]
    fn deliveries_that_may_still_happen_are_waited_for(
        members in 2_u32..6,
        actions in prop::collection::vec((0_u32..6, 0_u8..6, any::<prop::sample::Index>()), 1..60),
    ) {
        let mut room = Room::new(members, Audience::Others);
        let mut listening: BTreeSet<u32> = (0..members).collect();
        let mut messages: Vec<Waiting> = Vec::new();
        let mut now = ms(0);
        for (who, action, pick) in actions {
            let who = who % members;
            match action {
                0 => {
                    let old = |one: &&mut Waiting| one.stamp.sender == who && one.at + ms(35_000) < now;
                    for forgotten in messages.iter_mut().filter(old) {
                        forgotten.by.clear();
                    }
                    let stamp = room.ledger.stamp(room.channel, who, now, &mut room.tallies);
                    let sent = room.ledger.send(who, now, now, true, &mut room.tallies)[0];
                    let by = listening.iter().copied().filter(|&member| member != who).collect();
                    messages.push(Waiting { stamp, sent, at: now, by });
                }
                1 => now += ms(9_000),
                2 => {
                    room.ledger.leave(room.channel, who, now, Leaving::Left);
                    if listening.remove(&who) {
                        for one in &mut messages {
                            one.by.remove(&who);
                        }
                    }
                }
                3 => {
                    room.ledger.join(room.channel, who);
                    listening.insert(who);
                }
                _ if messages.is_empty() => {}
                4 => {
                    let one = pick.get_mut(&mut messages);
                    room.ledger.refuse(one.sent);
                    one.by.clear();
                }
                _ => {
                    let one = pick.get_mut(&mut messages);
                    room.hear(&one.stamp, who, now);
                    one.by.remove(&who);
                }
            }
            let waited_for: usize = messages.iter().map(|one| one.by.len()).sum();
            prop_assert_eq!(room.ledger.awaited(), waited_for as u64);
        }
    }
}

#[test]
fn a_message_that_was_heard_missed_and_refused_is_waited_for_by_nobody() {
    let mut room = Room::new(4, Audience::Others);
    let stamp = room.ledger.stamp(room.channel, 0, ms(0), &mut room.tallies);
    let sent = room.ledger.send(0, ms(0), ms(0), true, &mut room.tallies)[0];
    room.ledger.leave(room.channel, 1, ms(1), Leaving::Left);
    room.hear(&stamp, 2, ms(1));
    assert_eq!(room.ledger.awaited(), 1, "member 3");
    room.hear(&stamp, 1, ms(2));
    assert_eq!(room.ledger.awaited(), 1, "it had left");
    room.ledger.refuse(sent);
    assert_eq!(room.ledger.awaited(), 0);
    room.say(0, ms(36_000));
    assert_eq!(room.ledger.awaited(), 2, "the first is forgotten");
}
