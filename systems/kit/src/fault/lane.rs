use std::time::Duration;

use tokio::time::Instant;

use super::tally::Kind;
use super::turn::Turn;

/// Maximum time for which a delivery is held for a swap. It is then sent without a swap.
pub const HOLD_LIMIT: Duration = Duration::from_millis(500);

/// Actions for one receiver, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// Hand this to the receiver's socket.
    Send(T),
    /// Hand this to the receiver's socket, and then also to one listener in a wrong room.
    Stray(T),
    /// Count this fault if the previous steps succeeded.
    Count(Kind),
}

/// Applies faults to the deliveries of one receiver before they reach its socket. `S` identifies a sender.
#[derive(Debug)]
pub struct Lane<S, T> {
    held: Vec<Held<S, T>>,
}

#[derive(Debug)]
struct Held<S, T> {
    sender: S,
    item: T,
    until: Instant,
}

impl<S, T> Default for Lane<S, T> {
    fn default() -> Self {
        Self { held: Vec::new() }
    }
}

impl<S: PartialEq, T: Clone> Lane<S, T> {
    /// Applies the fault `turn` to the next delivery from `sender`, and appends the resulting actions to `steps`.
    pub fn offer(
        &mut self,
        sender: S,
        item: T,
        turn: Turn,
        now: Instant,
        steps: &mut Vec<Step<T>>,
    ) {
        if let Some(at) = self.held.iter().position(|held| held.sender == sender) {
            let earlier = self.held.remove(at);
            let swapped = [
                Step::Send(item),
                Step::Send(earlier.item),
                Step::Count(Kind::Reordered),
            ];
            steps.extend(swapped);
            return;
        }
        match turn {
            Turn::Pass => steps.push(Step::Send(item)),
            Turn::Drop => steps.push(Step::Count(Kind::Dropped)),
            Turn::Duplicate => steps.extend([
                Step::Send(item.clone()),
                Step::Send(item),
                Step::Count(Kind::Duplicated),
            ]),
            Turn::Swap => self.held.push(Held {
                sender,
                item,
                until: now + HOLD_LIMIT,
            }),
            Turn::Stray => steps.push(Step::Stray(item)),
        }
    }

    /// The time at which [`Self::release`] must be called next.
    #[must_use]
    pub fn next_release(&self) -> Option<Instant> {
        self.held.first().map(|held| held.until)
    }

    /// Releases the deliveries whose [`HOLD_LIMIT`] has passed at `now`.
    pub fn release(&mut self, now: Instant, steps: &mut Vec<Step<T>>) {
        let due = self.held.iter().take_while(|held| held.until <= now);
        let due = due.count();
        steps.extend(self.held.drain(..due).map(|held| Step::Send(held.item)));
    }

    /// Releases all held deliveries when the connection stops.
    pub fn release_all(&mut self, steps: &mut Vec<Step<T>>) {
        steps.extend(self.held.drain(..).map(|held| Step::Send(held.item)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fault::FaultSpec;

    fn offer(lane: &mut Lane<u8, u32>, sender: u8, item: u32, turn: Turn) -> Vec<Step<u32>> {
        let mut steps = Vec::new();
        lane.offer(sender, item, turn, Instant::now(), &mut steps);
        steps
    }

    #[test]
    fn a_held_delivery_follows_its_successor_and_is_counted_then() {
        let mut lane = Lane::default();
        assert_eq!(offer(&mut lane, 1, 10, Turn::Swap), []);
        let counted = Step::Count(Kind::Reordered);
        assert_eq!(
            offer(&mut lane, 1, 11, Turn::Pass),
            [Step::Send(11), Step::Send(10), counted]
        );
    }

    #[test]
    fn another_sender_neither_releases_a_held_delivery_nor_is_held_up() {
        let mut lane = Lane::default();
        offer(&mut lane, 1, 10, Turn::Swap);
        assert_eq!(offer(&mut lane, 2, 20, Turn::Pass), [Step::Send(20)]);
    }

    #[test]
    fn the_successor_of_a_held_delivery_is_spared() {
        for turn in [Turn::Drop, Turn::Duplicate, Turn::Swap, Turn::Stray] {
            let mut lane = Lane::default();
            offer(&mut lane, 1, 10, Turn::Swap);
            let steps = offer(&mut lane, 1, 11, turn);
            assert_eq!(steps[..2], [Step::Send(11), Step::Send(10)], "{turn:?}");
        }
    }

    #[test]
    fn without_successor_it_is_released_in_time_and_not_counted() {
        let mut lane = Lane::default();
        offer(&mut lane, 1, 10, Turn::Swap);
        let due = lane.next_release().unwrap();
        let mut steps = Vec::new();
        lane.release(due - Duration::from_millis(1), &mut steps);
        assert_eq!(steps, []);
        lane.release(due, &mut steps);
        assert_eq!(steps, [Step::Send(10)]);
        assert_eq!(lane.next_release(), None);
    }

    proptest! {
        /// Judges the received messages like a load tester, without knowing the turns.
        #[test]
        fn the_counts_are_what_a_receiver_sees(
            senders in proptest::collection::vec(0u8..4, 1..400),
            drop in 1u64..9, duplicate in 1u64..9, swap in 1u64..9, stray in 1u64..9,
        ) {
            let order = format!("drop={drop},duplicate={duplicate},swap={swap},stray={stray}");
            let spec: FaultSpec = order.parse().unwrap();
            let mut lane = Lane::default();
            let mut steps = Vec::new();
            let now = Instant::now();
            for (n, sender) in senders.iter().enumerate() {
                lane.offer(*sender, (*sender, n), spec.turn(n as u64 + 1), now, &mut steps);
            }
            lane.release_all(&mut steps);

            let counted = |kind| steps.iter().filter(|s| **s == Step::Count(kind)).count();
            let received: Vec<(u8, usize)> = steps.iter().filter_map(|step| match step {
                Step::Send(item) | Step::Stray(item) => Some(*item),
                Step::Count(_) => None,
            }).collect();
            let mut seen = std::collections::HashSet::new();
            let mut latest = [None; 4];
            let (mut twice, mut overtaken) = (0, 0);
            for (sender, n) in received {
                if !seen.insert(n) {
                    twice += 1;
                } else if latest[usize::from(sender)] > Some(n) {
                    overtaken += 1;
                }
                latest[usize::from(sender)] = latest[usize::from(sender)].max(Some(n));
            }
            prop_assert_eq!(counted(Kind::Dropped), senders.len() - seen.len());
            prop_assert_eq!(counted(Kind::Duplicated), twice);
            prop_assert_eq!(counted(Kind::Reordered), overtaken);
        }
    }
}
