use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use yrs::sync::AwarenessUpdate;

use super::document::Document;
use super::member::{Listener, Member};
use super::presence::Speaker;
use super::state::State;
use crate::metrics::Counters;
use crate::store::Behind;
use crate::yjs;

/// After so long without an edit, members whose text may differ get the document. An edit that comes
/// within this time after another's text went to its sender may have crossed with it.
pub(crate) const QUIET: Duration = Duration::from_secs(3);
/// What Yjs clients change is gathered so long before members get the whole text.
const GATHERED: Duration = Duration::from_millis(50);
/// What may wait for the document; more is refused.
pub(super) const WISHES: usize = 4096;

/// One room.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) name: Arc<str>,
    state: Mutex<State>,
}

/// Nobody can come in any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    /// As many are here as may be.
    Full,
    /// It was closed because nobody was here; ask for it again.
    Closed,
    /// Too much waits for the document.
    Behind,
}

/// What a departure left behind.
#[derive(Debug)]
pub(crate) struct Left {
    /// Nobody is here any more.
    pub(crate) nobody: bool,
    /// The clients of Yjs that went with it.
    pub(crate) gone: Option<AwarenessUpdate>,
}

impl Room {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            state: Mutex::default(),
        }
    }

    /// What goes on in it. It is held for moments only, never while waiting for anything.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody comes in by Socket.IO.
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
        // Not before it is known who is at other nodes.
        let wished = self.wish(&mut state, move |_, state| {
            if state.member(visit).is_some() {
                state.announce(&who, &counters);
                state.show_to(visit);
            }
        });
        wished.map_err(|Behind| Shut::Behind)
    }

    /// Somebody speaks here without having joined.
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

    /// Somebody comes in by Yjs.
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

    /// Somebody goes, however it came.
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

    /// Closes it if nobody is here. `false` when somebody is, or when it was closed already: whoever was the
    /// last to leave asks for it, and there may be several before it is.
    pub(super) fn close(&self) -> bool {
        let mut state = self.state();
        let closes = !state.closed && state.is_empty() && state.wishes.is_none();
        state.closed |= closes;
        closes
    }

    /// Whether nobody is here while the document is still to come.
    pub(crate) fn waits_alone(&self) -> bool {
        let state = self.state();
        state.is_empty() && state.wishes.is_some()
    }

    /// Does something once the document is here, unless too much waits for that already.
    pub(crate) fn when_loaded(
        self: &Arc<Self>,
        wish: impl FnOnce(&Arc<Self>, &mut State) + Send + 'static,
    ) -> Result<(), Behind> {
        self.wish(&mut self.state(), wish)
    }

    /// The same, by one who holds the state already.
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
            Some(wishes) => wishes.push(Box::new(wish)),
        }
        Ok(())
    }

    /// Whether the document is here.
    pub(crate) fn is_loaded(state: &State) -> bool {
        state.wishes.is_none()
    }

    /// The document is here: what waited for it is done.
    pub(crate) fn load(self: &Arc<Self>, document: Document, counters: &Counters) {
        let mut state = self.state();
        state.document = document;
        for wish in mem::take(&mut state.wishes).unwrap_or_default() {
            wish(self, &mut state);
        }
        // Of all that was written meanwhile, members get what came of it.
        if mem::take(&mut state.unseen) {
            state.show(counters);
        }
    }

    /// Clients of Yjs say where they are; what of it is new.
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
        // Of one who speaks for itself alone, only the newest matters.
        let caret = visit.filter(|_| news.clients.len() == 1);
        state.post_listeners(&yjs::presence(news.clone()), visit, caret, counters);
        Some(news)
    }

    /// Of the clients of Yjs at another node only those are there that `update` names.
    pub(crate) fn list_presence(&self, update: AwarenessUpdate, node: u64, counters: &Counters) {
        let mut state = self.state();
        let named = |id| update.clients.contains_key(&id);
        if let Some(gone) = state.presence.keep(Speaker::Node(node), named) {
            state.post_listeners(&yjs::presence(gone), None, None, counters);
        }
        drop(state);
        self.tell_presence(update, Speaker::Node(node), counters);
    }

    /// Another node is gone, and everybody with it.
    pub(crate) fn node_gone(&self, node: u64, counters: &Counters) {
        let mut state = self.state();
        state.leave_abroad(|of, _| of == node, counters);
        if let Some(gone) = state.presence.leave(Speaker::Node(node)) {
            state.post_listeners(&yjs::presence(gone), None, None, counters);
        }
    }

    /// Members get the text soon: it is no more what it was `before`.
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

    /// Sees to it that all texts are the same once the room is quiet.
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
