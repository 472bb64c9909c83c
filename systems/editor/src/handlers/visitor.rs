use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::editor::Editor;
use crate::rate::Rate;
use crate::recipient::Recipient;
use crate::refusal::Refusal;
use crate::room::Room;

/// Rooms that one client may be in.
const ROOMS: usize = 32;

/// One client while it is here. Dropped when it is gone: then it leaves its rooms.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(super) editor: Arc<Editor>,
    pub(super) visit: u64,
    pub(super) id: Arc<str>,
    pub(super) recipient: Recipient,
    pub(super) rooms: Vec<Arc<Room>>,
    pub(super) rate: Rate,
    /// A program of it runs or waits for its turn.
    pub(super) running: Arc<AtomicBool>,
    /// It was told that it is too fast, and has not slowed down since.
    pub(super) warned: bool,
}

impl Visitor {
    /// A room in which it has a place, as a member or a guest.
    pub(super) fn room(&self, name: &str) -> Option<&Arc<Room>> {
        self.rooms.iter().find(|room| &*room.name == name)
    }

    /// The room that it speaks into. One who did not join it is a guest there: the original let anybody
    /// speak into any room, and after a reconnection its front end never joins again, and its load tester
    /// only after what it had kept meanwhile.
    pub(super) fn reach(&mut self, name: &str) -> Result<Arc<Room>, Refusal> {
        if let Some(room) = self.room(name) {
            return Ok(room.clone());
        }
        self.has_place()?;
        let room = self.editor.admit_guest(name, self.visit)?;
        self.rooms.push(room.clone());
        Ok(room)
    }

    /// Whether it may be in one more room.
    pub(super) fn has_place(&self) -> Result<(), Refusal> {
        if self.rooms.len() < ROOMS {
            Ok(())
        } else {
            Err(Refusal::TooManyJoined)
        }
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.editor.counters.visits.dec();
        for room in self.rooms.drain(..) {
            self.editor.leave(&room, self.visit, Some(&self.id));
        }
    }
}
