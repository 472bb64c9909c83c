use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use slab::Slab;

use super::session::Link;
use crate::mailbox::{Mail, Mailbox, Said};
use crate::metrics::Counters;
use crate::wire::{self, Event};

/// A room: its members, its listeners and the number of its latest message.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) name: Arc<str>,
    pub(crate) sequence: u64,
    members: Slab<Arc<str>>,
    listeners: Slab<Listener>,
    /// Number of listeners that receive `joined` and `left` events.
    watchers: usize,
}

#[derive(Debug)]
struct Listener {
    mailbox: Arc<Mailbox>,
    presence: bool,
}

impl Room {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            sequence: 0,
            members: Slab::new(),
            listeners: Slab::new(),
            watchers: 0,
        }
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(_, user)| &**user)
    }

    pub(crate) fn count(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn listening(&self) -> usize {
        self.listeners.len()
    }

    /// Notifies the watchers, and then adds a member. Returns the member's index.
    pub(crate) fn enter(&mut self, user: Arc<str>) -> usize {
        self.tell_watchers(&Event::Joined {
            room: &self.name,
            user: &user,
        });
        self.members.insert(user)
    }

    /// Removes a member and notifies the remaining watchers.
    pub(crate) fn leave(&mut self, member: usize) {
        let user = self.members.remove(member);
        self.tell_watchers(&Event::Left {
            room: &self.name,
            user: &user,
        });
    }

    /// Adds a listener and returns its index.
    pub(crate) fn listen(&mut self, mailbox: Arc<Mailbox>, presence: bool) -> usize {
        self.watchers += usize::from(presence);
        self.listeners.insert(Listener { mailbox, presence })
    }

    /// Removes the listener of `link`.
    pub(crate) fn deafen(&mut self, link: &Link) {
        let listener = self.listeners.remove(link.listener);
        self.watchers -= usize::from(listener.presence);
    }

    /// Posts a message to all listeners, which share one serialized copy.
    pub(crate) fn hear(&self, said: Said, counters: &Counters) {
        let said = Arc::new(said);
        for (_, listener) in &self.listeners {
            if !listener.mailbox.post(Mail::Said(said.clone())) {
                counters.too_slow.inc();
            }
        }
        counters.deliveries.inc_by(self.listeners.len() as u64);
    }

    /// Returns one of the listeners; successive values of `turn` select different ones. `None` if nobody is listening.
    pub(crate) fn somebody(&self, turn: u64) -> Option<&Arc<Mailbox>> {
        let count = u64::try_from(self.listeners.len())
            .ok()
            .filter(|n| *n > 0)?;
        let nth = usize::try_from(turn % count).ok()?;
        let (_, listener) = self.listeners.iter().nth(nth)?;
        Some(&listener.mailbox)
    }

    fn tell_watchers(&self, event: &Event<'_>) {
        if self.watchers == 0 {
            return;
        }
        let text = Utf8Bytes::from(wire::write(event, 128));
        let watchers = self.listeners.iter().filter(|(_, l)| l.presence);
        for (_, watcher) in watchers {
            watcher.mailbox.post(Mail::Own(text.clone()));
        }
    }
}
