use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use slab::Slab;

use super::session::Link;
use crate::mailbox::{Mail, Mailbox, Said};
use crate::metrics::Counters;
use crate::wire::{self, Event};

/// A room: who is in it, who listens, and how much was said.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) name: Arc<str>,
    pub(crate) sequence: u64,
    members: Slab<Arc<str>>,
    listeners: Slab<Listener>,
    /// Listeners who want to know who comes and goes.
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

    /// Somebody comes in; those who listen already are told.
    pub(crate) fn enter(&mut self, user: Arc<str>) -> usize {
        self.tell_watchers(&Event::Joined {
            room: &self.name,
            user: &user,
        });
        self.members.insert(user)
    }

    /// Somebody goes; those who still listen are told.
    pub(crate) fn leave(&mut self, member: usize) {
        let user = self.members.remove(member);
        self.tell_watchers(&Event::Left {
            room: &self.name,
            user: &user,
        });
    }

    /// A connection listens here from now on.
    pub(crate) fn listen(&mut self, mailbox: Arc<Mailbox>, presence: bool) -> usize {
        self.watchers += usize::from(presence);
        self.listeners.insert(Listener { mailbox, presence })
    }

    /// A connection no longer listens here.
    pub(crate) fn deafen(&mut self, link: &Link) {
        let listener = self.listeners.remove(link.listener);
        self.watchers -= usize::from(listener.presence);
    }

    /// Hands what was said to all who listen. It is written once, whatever their number.
    pub(crate) fn hear(&self, said: Said, counters: &Counters) {
        let said = Arc::new(said);
        for (_, listener) in &self.listeners {
            if !listener.mailbox.post(Mail::Said(said.clone())) {
                counters.too_slow.inc();
            }
        }
        counters.deliveries.inc_by(self.listeners.len() as u64);
    }

    /// One of those who listen, a different one for each `turn`.
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
