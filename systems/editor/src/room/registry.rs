use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::place::Room;
use crate::metrics::Counters;

/// Maximum numbers of rooms and of members per room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) rooms: usize,
    pub(crate) members: usize,
}

/// All open rooms.
#[derive(Debug)]
pub(crate) struct RoomRegistry {
    pub(crate) limits: Limits,
    counters: Counters,
    rooms: Mutex<HashMap<Arc<str>, Arc<Room>>>,
}

/// The maximum number of rooms is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl RoomRegistry {
    pub(crate) fn new(limits: Limits, counters: Counters) -> Self {
        Self {
            limits,
            counters,
            rooms: Mutex::default(),
        }
    }

    /// Returns the room with this name, and whether this call created it. The caller must load the document of a room
    /// that it created.
    pub(crate) fn enter(&self, name: &str) -> Result<(Arc<Room>, bool), TooMany> {
        let mut rooms = self.rooms();
        if let Some(room) = rooms.get(name) {
            return Ok((room.clone(), false));
        }
        if rooms.len() >= self.limits.rooms {
            return Err(TooMany);
        }
        let room = Arc::new(Room::new(name));
        rooms.insert(room.name.clone(), room.clone());
        self.counters.rooms.inc();
        Ok((room, true))
    }

    /// Finds an open room.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Room>> {
        self.rooms().get(name).cloned()
    }

    /// All open rooms.
    pub(crate) fn all(&self) -> Vec<Arc<Room>> {
        self.rooms().values().cloned().collect()
    }

    /// Closes and removes a room if it is empty. Calls `last` before another room of this name can be opened.
    pub(crate) fn close(&self, room: &Room, last: impl FnOnce()) -> bool {
        let mut rooms = self.rooms();
        let closed = room.close();
        if closed {
            rooms.remove(&room.name);
            self.counters.rooms.dec();
            last();
        }
        closed
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn a_room_is_closed_once_and_the_next_of_its_name_is_left_alone() {
        let counters = Counters::default();
        let limits = Limits {
            rooms: 1,
            members: 1,
        };
        let registry = RoomRegistry::new(limits, counters.clone());
        let open = || {
            let (room, fresh) = registry.enter("room").unwrap();
            assert!(fresh);
            room.load(Document::default());
            assert!(room.run_waiting(&counters));
            room
        };
        let first = open();
        assert!(registry.close(&first, || {}));
        let second = open();
        // A second attempt to close the first room must not close the new one.
        assert!(!registry.close(&first, || panic!("it is another's")));
        assert!(Arc::ptr_eq(&registry.find("room").unwrap(), &second));
        assert_eq!(counters.rooms.get(), 1);
    }
}
