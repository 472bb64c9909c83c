use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use yrs::sync::AwarenessUpdate;

use super::member::{Listener, Member};
use super::presence::Speaker;
use super::state::{QUIET, State};
use crate::document::Document;
use crate::metrics::Counters;
use crate::store::Behind;
use crate::yjs;

/// Time for which changes of Yjs clients are collected before members receive the whole text.
const GATHERED: Duration = Duration::from_millis(50);

/// Time for which waiting operations run before other tasks.
const TURN: Duration = Duration::from_micros(250);

/// One room.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) name: Arc<str>,
    state: Mutex<State>,
}

/// Reason why a client cannot enter a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    /// The room has its maximum number of members.
    Full,
    /// The room was closed because it was empty. The caller must look it up again.
    Closed,
    /// Too many operations wait for the document.
    Behind,
}

/// The result of leaving a room.
#[derive(Debug)]
pub(crate) struct Left {
    /// Whether the room is empty now.
    pub(crate) nobody: bool,
    /// The update that removes the session's Yjs clients, if it had any.
    pub(crate) gone: Option<AwarenessUpdate>,
}

impl Room {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            state: Mutex::default(),
        }
    }

    /// Locks the room's state. Hold it only briefly and never across an `await`.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a member by Socket.IO.
    pub(crate) fn join(
        self: &Arc<Self>,
        member: Member,
        most: usize,
        counters: &Counters,
    ) -> Result<(), Shut> {
        let visit = member.visit;
        let mut state = self.state();
        if state.closed {
            return Err(Shut::Closed);
        }
        if state.member(visit).is_none() && state.occupied_beside(visit) >= most {
            return Err(Shut::Full);
        }
        if !state.may_wish() {
            return Err(Shut::Behind);
        }
        let (who, counters) = (member.who.clone(), counters.clone());
        state.admit(member);
        // Wait until the document is loaded, because the members on other nodes are then known.
        let wished = self.wish(&mut state, move |_, state| {
            if state.member(visit).is_some() {
                state.announce(&who, &counters);
                state.show_to(visit);
            }
        });
        wished.map_err(|Behind| Shut::Behind)
    }

    /// Admits a client that writes to the room without having joined it.
    pub(crate) fn admit_guest(&self, visit: u64, most: usize) -> Result<(), Shut> {
        let mut state = self.state();
        if state.closed {
            return Err(Shut::Closed);
        }
        if state.occupied_beside(visit) >= most {
            return Err(Shut::Full);
        }
        state.guests.push(visit);
        Ok(())
    }

    /// Adds a Yjs client.
    pub(crate) fn listen(&self, listener: Listener, most: usize) -> Result<(), Shut> {
        let mut state = self.state();
        if state.closed {
            return Err(Shut::Closed);
        }
        if state.listeners.len() >= most {
            return Err(Shut::Full);
        }
        state.listeners.push(listener);
        Ok(())
    }

    /// Removes a session, whatever its protocol.
    pub(crate) fn leave(&self, visit: u64, counters: &Counters) -> Left {
        let mut state = self.state();
        state.leave(visit, counters);
        state.listeners.retain(|listener| listener.visit != visit);
        state.guests.retain(|guest| *guest != visit);
        let gone = state.presence.leave(Speaker::Visit(visit));
        if let Some(gone) = &gone {
            state.post_listeners(&yjs::presence(gone.clone()), None, None, counters);
        }
        Left {
            nobody: state.is_empty(),
            gone,
        }
    }

    /// Closes the room if it is empty. Returns `false` if it is not empty or already closed. Several clients may try to
    /// close the room, if each was the last to leave.
    pub(super) fn close(&self) -> bool {
        let mut state = self.state();
        let closes = !state.closed && state.is_empty() && state.wishes.is_none();
        state.closed |= closes;
        closes
    }

    /// Whether the room is empty while its document is still loading.
    pub(crate) fn waits_alone(&self) -> bool {
        let state = self.state();
        state.is_empty() && state.wishes.is_some()
    }

    /// Runs an operation when the document is loaded, or now if it already is. Refuses the operation if too many are
    /// waiting.
    pub(crate) fn when_loaded(
        self: &Arc<Self>,
        wish: impl FnOnce(&Arc<Self>, &mut State) + Send + 'static,
    ) -> Result<(), Behind> {
        self.wish(&mut self.state(), wish)
    }

    /// Does the same as [`Self::when_loaded`] for a caller that holds the state's lock.
    pub(crate) fn wish(
        self: &Arc<Self>,
        state: &mut State,
        wish: impl FnOnce(&Arc<Self>, &mut State) + Send + 'static,
    ) -> Result<(), Behind> {
        if !state.may_wish() {
            return Err(Behind);
        }
        match &mut state.wishes {
            None => wish(self, state),
            Some(wishes) => {
                // The room itself runs the operation, so it still exists then.
                let room = Arc::downgrade(self);
                wishes.push_back(Box::new(move |state: &mut State| {
                    if let Some(room) = room.upgrade() {
                        wish(&room, state);
                    }
                }));
            }
        }
        Ok(())
    }

    /// Whether the document is loaded.
    pub(crate) fn is_loaded(state: &State) -> bool {
        state.wishes.is_none()
    }

    /// Sets the loaded document. [`Self::run_waiting`] then runs the operations that wait for it.
    pub(crate) fn load(&self, document: Document) {
        self.state().document = document;
    }

    /// Runs operations that waited for the document, for a short time. Returns `false` if more are waiting. The caller lets
    /// other tasks run between two calls, because there may be thousands of operations, each of which takes milliseconds.
    pub(crate) fn run_waiting(&self, counters: &Counters) -> bool {
        let mut state = self.state();
        let until = Instant::now() + TURN;
        // Without a queue, the document counts as loaded, so that an operation runs the operations that it wants.
        let mut waiting = mem::take(&mut state.wishes).unwrap_or_default();
        while let Some(wish) = waiting.pop_front() {
            wish(&mut state);
            if !waiting.is_empty() && Instant::now() > until {
                state.wishes = Some(waiting);
                return false;
            }
        }
        // Members receive only the final text after all waiting edits.
        if mem::take(&mut state.unseen) {
            state.show(counters);
        }
        true
    }

    /// Applies awareness states of Yjs clients, and distributes and returns the new ones.
    pub(crate) fn tell_presence(
        &self,
        update: AwarenessUpdate,
        speaker: Speaker,
        counters: &Counters,
    ) -> Option<AwarenessUpdate> {
        let visit = match speaker {
            Speaker::Visit(visit) => Some(visit),
            Speaker::Node(_) => None,
        };
        let mut state = self.state();
        let news = state.presence.take(update, speaker)?;
        // An update with a single client usually moves that client's caret, so only the newest such update matters.
        let caret = visit.filter(|_| news.clients.len() == 1);
        state.post_listeners(&yjs::presence(news.clone()), visit, caret, counters);
        Some(news)
    }

    /// Replaces the Yjs clients of another node with the clients in `update`.
    pub(crate) fn list_presence(&self, update: AwarenessUpdate, node: u64, counters: &Counters) {
        let mut state = self.state();
        let named = |id| update.clients.contains_key(&id);
        if let Some(gone) = state.presence.keep(Speaker::Node(node), named) {
            state.post_listeners(&yjs::presence(gone), None, None, counters);
        }
        drop(state);
        self.tell_presence(update, Speaker::Node(node), counters);
    }

    /// Removes all members and Yjs clients of another node that is gone.
    pub(crate) fn node_gone(&self, node: u64, counters: &Counters) {
        let mut state = self.state();
        state.leave_abroad(|of, _| of == node, counters);
        if let Some(gone) = state.presence.leave(Speaker::Node(node)) {
            state.post_listeners(&yjs::presence(gone), None, None, counters);
        }
    }

    /// Schedules sending the text to members, because it has changed from `before`.
    pub(crate) fn show_soon(
        self: &Arc<Self>,
        state: &mut State,
        before: String,
        counters: &Counters,
    ) {
        if !state.wants_text() {
            return;
        }
        state.shown = Some(before);
        let (room, counters) = (self.clone(), counters.clone());
        tokio::spawn(async move {
            sleep(GATHERED).await;
            let mut state = room.state();
            if state.shown.is_some() {
                state.show(&counters);
            }
        });
    }

    /// Waits until the room is quiet, and sends the document to members whose text may differ.
    pub(crate) fn watch(self: &Arc<Self>, state: &mut State, counters: &Counters) {
        if state.watched || !state.members.iter().any(|member| member.doubtful) {
            return;
        }
        state.watched = true;
        let (room, counters) = (self.clone(), counters.clone());
        tokio::spawn(async move {
            while let Some(edited) = room.edited() {
                sleep_until(edited + QUIET).await;
                let mut state = room.state();
                if state.edited == Some(edited) {
                    state.watched = false;
                    state.settle(&counters);
                    return;
                }
            }
        });
    }

    fn edited(&self) -> Option<Instant> {
        self.state().edited
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn operations_that_waited_run_in_order_a_few_at_a_time() {
        let (room, counters) = (Arc::new(Room::new("room")), Counters::default());
        let ran = Arc::new(Mutex::new(Vec::new()));
        let wish = |number: usize| {
            let ran = ran.clone();
            let waits = room.when_loaded(move |_, state| {
                thread::sleep(TURN);
                assert!(Room::is_loaded(state));
                ran.lock().unwrap().push(number);
            });
            waits.unwrap();
        };
        (0..3).for_each(&wish);
        room.load(Document::default());
        assert!(!room.run_waiting(&counters));
        assert_eq!(*ran.lock().unwrap(), [0]);
        wish(3); // after those that wait
        while !room.run_waiting(&counters) {}
        assert_eq!(*ran.lock().unwrap(), [0, 1, 2, 3]);
        wish(4); // now
        assert_eq!(*ran.lock().unwrap(), [0, 1, 2, 3, 4]);
    }
}
