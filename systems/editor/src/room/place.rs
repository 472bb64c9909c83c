use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::sleep_until;

use super::state::State;
use crate::metrics::Counters;

/// After so long without an edit, members whose text may differ get the document. An edit that comes
/// within this time after another's text went to its sender may have crossed with it.
pub(crate) const QUIET: Duration = Duration::from_secs(3);

/// One room.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) name: Arc<str>,
    state: Mutex<State>,
}

impl Room {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            state: Mutex::default(),
        }
    }

    /// What goes on in it. It is held for moments only, never while waiting for anything.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn edited(&self) -> Option<tokio::time::Instant> {
        self.state().edited
    }
}
