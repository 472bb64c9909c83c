use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kit::rate::Rate;

use crate::editor::Editor;
use crate::recipient::Recipient;
use crate::refusal::Refusal;
use crate::room::Room;

/// Maximum number of rooms per client.
const ROOMS: usize = 32;

/// The state of one connected Socket.IO client. Dropping this value removes the client from its rooms.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(super) editor: Arc<Editor>,
    pub(super) visit: u64,
    pub(super) id: Arc<str>,
    pub(super) recipient: Recipient,
    pub(super) rooms: Vec<Arc<Room>>,
    pub(super) rate: Rate,
    /// Whether a program of this client is running or waiting for a free slot.
    pub(super) running: Arc<AtomicBool>,
    /// Whether the client was warned about its rate and has not slowed down since.
    pub(super) warned: bool,
}

impl Visitor {
    /// A room in which the client is a member or a guest.
    pub(super) fn room(&self, name: &str) -> Option<&Arc<Room>> {
        self.rooms.iter().find(|room| &*room.name == name)
    }

    /// Returns the room with this name. A client that has not joined the room becomes a guest, because the original
    /// lets any client write to any room. After a reconnection, the original's front end never joins again, and its
    /// load tester first sends the messages that were queued.
    pub(super) fn reach(&mut self, name: &str) -> Result<Arc<Room>, Refusal> {
        if let Some(room) = self.room(name) {
            return Ok(room.clone());
        }
        self.has_place()?;
        let room = self.editor.admit_guest(name, self.visit)?;
        self.rooms.push(room.clone());
        Ok(room)
    }

    /// Checks that the client may enter one more room.
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
