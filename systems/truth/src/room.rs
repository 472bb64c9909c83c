use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::sync::Arc;

use kit::fault::{Kind, Lane, Step, Turn};
use serde_json::{Value, json};
use slab::Slab;
use tokio::time::Instant;

use crate::clock::Nanos;
use crate::order::{Places, RoomOrder};
use crate::sockets::{Key, Sockets};
use crate::station::Station;
use crate::workers::burn;

/// Maximum size in bytes of all messages that one room may hold.
const MAX_HELD: usize = 64 << 20;

/// A message to be sent, as one complete frame.
type Frame = Arc<[u8]>;

/// A room, which forwards each member's messages to all other members, with the configured faults.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about the room"
)]
pub(crate) struct Room {
    pub(crate) order: RoomOrder,
    /// Whether each message goes only to its sender.
    pub(crate) is_echo: bool,
    /// If set, every nth delivery is left out but reported as sent.
    lie: Option<NonZeroU64>,
    members: Slab<Member>,
    /// Time at which the first message arrived. The stall schedule starts there.
    first: Option<Nanos>,
    held: VecDeque<Held>,
    held_bytes: usize,
    /// The server in front of which members queue that join.
    entrance: Option<Station>,
    /// Whether a check for swapped deliveries without a successor is scheduled.
    pub(crate) lanes_alarm: bool,
    /// Whether a check is scheduled for whether messages can be sent again.
    pub(crate) wait_alarm: bool,
    /// Whether the slow member has been added.
    has_slow_member: bool,
    pub(crate) counts: RoomCounts,
}

#[derive(Debug)]
struct Member {
    connection: Key,
    lane: Lane<usize, Frame>,
    /// The time at which the server has finished the member's last message.
    free: Nanos,
}

#[derive(Debug)]
struct Held {
    leaves: Nanos,
    sender: usize,
    frame: Frame,
}

/// Exact counts of a room.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoomCounts {
    pub(crate) joined: u64,
    pub(crate) messages: u64,
    /// Deliveries of a message to one member each, with or without a fault. This count numbers them.
    pub(crate) deliveries: u64,
    /// Frames queued for members of this room.
    pub(crate) sent: u64,
    pub(crate) dropped: u64,
    pub(crate) duplicated: u64,
    pub(crate) swapped: u64,
    /// Frames of this room that were queued for a member of another room.
    pub(crate) strayed: u64,
    /// Messages that were held until the end of a stall.
    pub(crate) stalled: u64,
    /// Frames that were not sent, because their receiver did not read and was disconnected.
    pub(crate) unsent: u64,
    pub(crate) leaked_bytes: u64,
}

/// The time at which a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    Now,
    At(Nanos),
    /// The message cannot be held, because the room holds too many bytes. Its sender must be disconnected.
    Never,
}

/// Work that a batch of deliveries leaves to its caller.
#[derive(Debug, Default)]
pub(crate) struct Aftermath {
    /// Frames to hand to a member of another room.
    pub(crate) strays: Vec<Frame>,
    /// Whether a swapped delivery is waiting for its successor.
    pub(crate) holds: bool,
}

impl Room {
    pub(crate) fn new(order: RoomOrder, is_echo: bool, lie: Option<NonZeroU64>) -> Self {
        Self {
            entrance: (order.join > 0).then(|| Station::new(Places::constant(1, order.join))),
            order,
            is_echo,
            lie,
            members: Slab::new(),
            first: None,
            held: VecDeque::new(),
            held_bytes: 0,
            lanes_alarm: false,
            wait_alarm: false,
            has_slow_member: false,
            counts: RoomCounts::default(),
        }
    }

    /// Returns the time at which a client that arrives now may join. `None` if it may join at once.
    pub(crate) fn waits_until(&mut self, now: Nanos) -> Option<Nanos> {
        let entrance = self.entrance.as_mut()?;
        Some(entrance.arrive(now).done)
    }

    /// Returns the rate in bytes per second at which a member reads that is still to be added.
    pub(crate) fn slow_member(&mut self) -> Option<NonZeroU64> {
        let rate = self.order.slow?;
        (!std::mem::replace(&mut self.has_slow_member, true)).then_some(rate)
    }

    /// Whether too many bytes wait for one of the members.
    pub(crate) fn waits_for_a_member(&self, sockets: &mut Sockets) -> bool {
        let Some(limit) = self.order.wait else {
            return false;
        };
        self.members.iter().any(|(_, member)| {
            let connection = sockets.get(member.connection);
            connection.is_some_and(|connection| connection.waiting() as u64 > limit.get())
        })
    }

    /// Adds a member. Returns its seat.
    pub(crate) fn join(&mut self, connection: Key) -> usize {
        self.counts.joined += 1;
        let lane = Lane::default();
        self.members.insert(Member {
            connection,
            lane,
            free: 0,
        })
    }

    pub(crate) fn leave(&mut self, seat: usize) {
        self.members.try_remove(seat);
    }

    pub(crate) fn members(&self) -> usize {
        self.members.len()
    }

    /// Returns the member at index `number`, modulo the number of members.
    pub(crate) fn somebody(&self, number: u64) -> Option<Key> {
        let place = usize::try_from(number)
            .ok()?
            .checked_rem(self.members.len())?;
        self.members
            .iter()
            .nth(place)
            .map(|(_, member)| member.connection)
    }

    /// Decides when to send a message that was read at `now`. Held messages are sent in the order in which they are due,
    /// and with equal times in the order in which they arrived.
    pub(crate) fn say(
        &mut self,
        sender: usize,
        frame: &[u8],
        now: Nanos,
        sockets: &mut Sockets,
    ) -> Leaves {
        self.counts.messages += 1;
        let first = *self.first.get_or_insert(now);
        let delay = self.order.faults.delay.map_or(0, |delay| {
            u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX)
        });
        let ready = self.served(sender, now).saturating_add(delay);
        let leaves = match &self.order.stall {
            Some(stall) => {
                let (leaves, held) = stall.release(ready - first);
                self.counts.stalled += u64::from(held.is_some());
                first + leaves
            }
            None => ready,
        };
        if leaves <= now && self.held.is_empty() && !self.waits_for_a_member(sockets) {
            return Leaves::Now;
        }
        if self.held_bytes + frame.len() > MAX_HELD {
            return Leaves::Never;
        }
        self.held_bytes += frame.len();
        let frame = Arc::from(frame);
        let held = Held {
            leaves,
            sender,
            frame,
        };
        let place = self.held.partition_point(|held| held.leaves <= leaves);
        self.held.insert(place, held);
        Leaves::At(leaves)
    }

    /// The time at which the server has finished a message that arrives now.
    fn served(&mut self, sender: usize, now: Nanos) -> Nanos {
        let (serial, member) = (self.order.serial, self.members.get_mut(sender));
        match member {
            Some(member) if serial > 0 => {
                member.free = member.free.max(now) + serial;
                member.free
            }
            _ => now,
        }
    }

    /// Delivers the held messages that are due at `now`. Returns `false` if some of them must wait for a member.
    pub(crate) fn release(
        &mut self,
        now: Nanos,
        sockets: &mut Sockets,
        after: &mut Aftermath,
    ) -> bool {
        while self.held.front().is_some_and(|held| held.leaves <= now) {
            if self.waits_for_a_member(sockets) {
                return false;
            }
            if let Some(held) = self.held.pop_front() {
                self.held_bytes -= held.frame.len();
                self.deliver(held.sender, &held.frame, sockets, after);
            }
        }
        true
    }

    /// Sends a message to all its recipients, and applies the faults.
    pub(crate) fn deliver(
        &mut self,
        sender: usize,
        frame: &[u8],
        sockets: &mut Sockets,
        after: &mut Aftermath,
    ) {
        let before = self.counts.deliveries;
        if self.order.faults.touches_deliveries() || self.lie.is_some() {
            self.deliver_with_faults(sender, frame, sockets, after);
        } else {
            self.deliver_to_all(sender, frame, sockets);
        }
        let receivers = self.counts.deliveries - before;
        let work = receivers * self.order.work + receivers * receivers * self.order.pair_work;
        if work > 0 {
            burn(work); // even without work, it reads the thread's clock twice
        }
    }

    fn deliver_to_all(&mut self, sender: usize, frame: &[u8], sockets: &mut Sockets) {
        let (echo, alone) = (self.order.echo, self.is_echo);
        for (seat, member) in &self.members {
            let hears = if seat == sender {
                echo || alone
            } else {
                !alone
            };
            if hears {
                self.counts.deliveries += 1;
                count(&mut self.counts, sockets.queue(member.connection, frame));
            }
        }
    }

    fn deliver_with_faults(
        &mut self,
        sender: usize,
        frame: &[u8],
        sockets: &mut Sockets,
        after: &mut Aftermath,
    ) {
        let (echo, alone) = (self.order.echo, self.is_echo);
        let frame: Frame = Arc::from(frame);
        let now = Instant::now();
        let mut steps = Vec::new();
        for (seat, member) in &mut self.members {
            let hears = if seat == sender {
                echo || alone
            } else {
                !alone
            };
            if !hears {
                continue;
            }
            self.counts.deliveries += 1;
            if self
                .lie
                .is_some_and(|every| self.counts.deliveries.is_multiple_of(every.get()))
            {
                self.counts.sent += 1;
                continue;
            }
            let turn = self.order.faults.turn(self.counts.deliveries);
            member
                .lane
                .offer(sender, Arc::clone(&frame), turn, now, &mut steps);
            after.holds |= turn == Turn::Swap;
            for step in steps.drain(..) {
                take(step, member.connection, &mut self.counts, sockets, after);
            }
        }
    }

    /// Sends the swapped deliveries whose successor did not arrive in time. Returns whether others are still waiting.
    pub(crate) fn release_lanes(&mut self, sockets: &mut Sockets, after: &mut Aftermath) -> bool {
        let now = Instant::now();
        let mut steps = Vec::new();
        let mut waits = false;
        for (_, member) in &mut self.members {
            member.lane.release(now, &mut steps);
            for step in steps.drain(..) {
                take(step, member.connection, &mut self.counts, sockets, after);
            }
            waits |= member.lane.next_release().is_some();
        }
        waits
    }

    /// Resets all counts, the stall schedule and the numbers of deliveries.
    pub(crate) fn forget(&mut self) {
        self.counts = RoomCounts::default();
        self.first = None;
    }
}

fn take(
    step: Step<Frame>,
    connection: Key,
    counts: &mut RoomCounts,
    sockets: &mut Sockets,
    after: &mut Aftermath,
) {
    match step {
        Step::Send(frame) => count(counts, sockets.queue(connection, &frame)),
        Step::Stray(frame) => {
            count(counts, sockets.queue(connection, &frame));
            after.strays.push(frame);
        }
        Step::Count(Kind::Dropped) => counts.dropped += 1,
        Step::Count(Kind::Duplicated) => counts.duplicated += 1,
        Step::Count(Kind::Reordered) => counts.swapped += 1,
        Step::Count(_) => {}
    }
}

fn count(counts: &mut RoomCounts, taken: bool) {
    if taken {
        counts.sent += 1;
    } else {
        counts.unsent += 1;
    }
}

impl RoomCounts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.joined += other.joined;
        self.messages += other.messages;
        self.deliveries += other.deliveries;
        self.sent += other.sent;
        self.dropped += other.dropped;
        self.duplicated += other.duplicated;
        self.swapped += other.swapped;
        self.strayed += other.strayed;
        self.stalled += other.stalled;
        self.unsent += other.unsent;
        self.leaked_bytes += other.leaked_bytes;
    }

    pub(crate) fn to_json(self) -> Value {
        json!({
            "joined": self.joined, "messages": self.messages, "deliveries": self.deliveries,
            "sent": self.sent, "dropped": self.dropped, "duplicated": self.duplicated,
            "swapped": self.swapped, "strayed": self.strayed, "stalled": self.stalled,
            "unsent": self.unsent, "leaked_bytes": self.leaked_bytes,
        })
    }
}
