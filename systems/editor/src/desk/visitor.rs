use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::editor::Editor;
use crate::outlet::Outlet;
use crate::rate::Rate;
use crate::room::Room;

/// One client while it is here. Dropped when it is gone: then it leaves its rooms.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(super) editor: Arc<Editor>,
    pub(super) visit: u64,
    pub(super) id: Arc<str>,
    pub(super) outlet: Outlet,
    pub(super) rooms: Vec<Arc<Room>>,
    pub(super) rate: Rate,
    /// A program of it runs or waits for its turn.
    pub(super) running: Arc<AtomicBool>,
    /// It was told that it is too fast, and has not slowed down since.
    pub(super) warned: bool,
}

impl Visitor {
    /// A room that it is in.
    pub(super) fn room(&self, name: &str) -> Option<&Arc<Room>> {
        self.rooms.iter().find(|room| &*room.name == name)
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
