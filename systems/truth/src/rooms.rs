use std::collections::HashMap;
use std::num::NonZeroU64;

use kit::fault::FaultSpec;
use serde_json::{Map, Value, json};
use slab::Slab;

use crate::alarm::Alarm;
use crate::clock::{MILLI, Nanos};
use crate::leak::Leak;
use crate::order::RoomOrder;
use crate::room::{Aftermath, Leaves, Room, RoomCounts};
use crate::sockets::{Key, Sockets};
use crate::timers::Timers;

/// Maximum number of rooms listed individually. The sum includes all rooms.
const SHOWN: usize = 1000;

/// All rooms.
#[derive(Debug)]
pub(crate) struct Rooms {
    by_name: HashMap<String, usize>,
    all: Slab<Room>,
    /// Counts of rooms that were removed.
    past: RoomCounts,
    limit: usize,
    /// If set, every nth delivery is left out without being reported.
    lie: Option<NonZeroU64>,
    pub(crate) leak: Leak,
}

/// What a room needs to send messages now (sockets) or later (timers).
#[derive(Debug)]
pub(crate) struct Outlet<'a> {
    pub(crate) sockets: &'a mut Sockets,
    pub(crate) timers: &'a mut Timers<Alarm>,
}

impl Rooms {
    pub(crate) fn new(limit: usize, max_leak: u64, lie: &FaultSpec) -> Self {
        Self {
            by_name: HashMap::new(),
            all: Slab::new(),
            past: RoomCounts::default(),
            limit,
            lie: lie.drop,
            leak: Leak::new(max_leak),
        }
    }

    /// Finds or opens a room. The configuration comes from the first client; later clients must request the same one.
    pub(crate) fn find(
        &mut self,
        name: &str,
        query: &str,
        is_echo: bool,
    ) -> Result<usize, (u16, String)> {
        let order = RoomOrder::read(query).map_err(|error| (400, error.to_string()))?;
        if let Some(found) = self.by_name.get(name) {
            if self.all[*found].order == order {
                return Ok(*found);
            }
            return Err((409, format!("room `{name}` is open with another query")));
        }
        if self.all.len() >= self.limit {
            self.sweep();
        }
        if self.all.len() >= self.limit {
            return Err((503, format!("more than {} rooms", self.limit)));
        }
        let key = self.all.insert(Room::new(order, is_echo, self.lie));
        self.by_name.insert(name.to_owned(), key);
        Ok(key)
    }

    pub(crate) fn get(&mut self, room: usize) -> Option<&mut Room> {
        self.all.get_mut(room)
    }

    /// Removes empty rooms to make space, and keeps their counts.
    fn sweep(&mut self) {
        let (all, past) = (&mut self.all, &mut self.past);
        self.by_name.retain(|_, key| {
            if all[*key].members() > 0 {
                return true;
            }
            past.add(&all.remove(*key).counts);
            false
        });
    }

    /// Sends a member's message. Returns `false` if the member must be disconnected.
    pub(crate) fn say(
        &mut self,
        (room, seat): (usize, usize),
        frame: &[u8],
        now: Nanos,
        outlet: &mut Outlet<'_>,
    ) -> bool {
        let Some(open) = self.all.get_mut(room) else {
            return false;
        };
        if let Some(bytes) = open.order.faults.leak
            && self.leak.keep(bytes.get())
        {
            open.counts.leaked_bytes += bytes.get();
        }
        let mut after = Aftermath::default();
        match open.say(seat, frame, now, outlet.sockets) {
            Leaves::Now => open.deliver(seat, frame, outlet.sockets, &mut after),
            Leaves::At(at) => outlet.timers.set(at, Alarm::Room(room)),
            Leaves::Never => return false,
        }
        self.finish(room, &after, now, outlet);
        true
    }

    /// Sends the room's held messages that are due at `now`.
    pub(crate) fn release(&mut self, room: usize, now: Nanos, outlet: &mut Outlet<'_>) {
        let Some(open) = self.all.get_mut(room) else {
            return;
        };
        let mut after = Aftermath::default();
        let is_done = open.release(now, outlet.sockets, &mut after);
        if !is_done && !std::mem::replace(&mut open.wait_alarm, true) {
            outlet.timers.set(now + WAIT, Alarm::Wait(room));
        }
        self.finish(room, &after, now, outlet);
    }

    /// Checks whether the room's messages can be sent that waited for a member.
    pub(crate) fn release_waiting(&mut self, room: usize, now: Nanos, outlet: &mut Outlet<'_>) {
        if let Some(open) = self.all.get_mut(room) {
            open.wait_alarm = false;
        }
        self.release(room, now, outlet);
    }

    /// Sends the swapped deliveries whose successor did not arrive in time.
    pub(crate) fn release_lanes(&mut self, room: usize, now: Nanos, outlet: &mut Outlet<'_>) {
        let Some(open) = self.all.get_mut(room) else {
            return;
        };
        open.lanes_alarm = false;
        let mut after = Aftermath::default();
        after.holds = open.release_lanes(outlet.sockets, &mut after);
        self.finish(room, &after, now, outlet);
    }

    fn finish(&mut self, room: usize, after: &Aftermath, now: Nanos, outlet: &mut Outlet<'_>) {
        for frame in &after.strays {
            let number = self.all[room].counts.strayed;
            let stranger = self.stranger(room, number);
            if stranger.is_some_and(|stranger| outlet.sockets.queue(stranger, frame)) {
                self.all[room].counts.strayed += 1;
            }
        }
        let open = &mut self.all[room];
        if after.holds && !open.lanes_alarm {
            open.lanes_alarm = true;
            outlet.timers.set(now + LANES, Alarm::Lanes(room));
        }
    }

    /// Returns a member of the next room that has members. `number` selects the member.
    fn stranger(&self, room: usize, number: u64) -> Option<Key> {
        let later = self.all.iter().filter(|(key, _)| *key > room);
        let earlier = self.all.iter().filter(|(key, _)| *key < room);
        later
            .chain(earlier)
            .filter(|(_, other)| !other.is_echo)
            .find_map(|(_, other)| other.somebody(number))
    }

    /// Resets the counts of every room.
    pub(crate) fn forget(&mut self) {
        self.past = RoomCounts::default();
        self.all.iter_mut().for_each(|(_, room)| room.forget());
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut sum = self.past;
        self.all.iter().for_each(|(_, room)| sum.add(&room.counts));
        let mut names: Vec<_> = self.by_name.iter().collect();
        names.sort();
        let mut shown = Map::new();
        for (name, key) in names.into_iter().take(SHOWN) {
            let room = &self.all[*key];
            let mut counts = room.counts.to_json();
            counts["members"] = room.members().into();
            shown.insert(name.clone(), counts);
        }
        json!({ "sum": sum.to_json(), "rooms": shown })
    }
}

/// Interval at which lanes are checked while deliveries wait in them.
const LANES: Nanos = 100 * MILLI;
/// Interval at which a room checks whether a member has read enough.
const WAIT: Nanos = MILLI;
