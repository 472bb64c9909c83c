use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::mailbox::{Delivery, End, Mailbox};
use crate::name::Name;

/// The inboxes of one namespace that are connected to this instance.
#[derive(Debug, Default)]
pub(crate) struct Hub(Mutex<HashMap<Name, Vec<Arc<Mailbox>>>>);

/// The result of posting a message to an identity's mailboxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Posted {
    /// At least one mailbox accepted the message.
    Accepted,
    /// The identity has no mailbox here.
    Nobody,
    /// All mailboxes are full. Their connections were closed.
    Full,
}

impl Hub {
    /// Connects a mailbox. Returns `true` if it is the first one of the identity.
    pub(crate) fn enter(&self, identity: &Name, mailbox: &Arc<Mailbox>) -> bool {
        let mut hub = self.inside();
        let mailboxes = hub.entry(identity.clone()).or_default();
        mailboxes.push(mailbox.clone());
        mailboxes.len() == 1
    }

    /// Disconnects a mailbox. Returns `true` if it was the last one of the identity.
    pub(crate) fn leave(&self, identity: &Name, mailbox: &Arc<Mailbox>) -> bool {
        let mut hub = self.inside();
        let Some(mailboxes) = hub.get_mut(identity) else {
            return false;
        };
        mailboxes.retain(|known| !Arc::ptr_eq(known, mailbox));
        let was_last = mailboxes.is_empty();
        if was_last {
            hub.remove(identity);
        }
        was_last
    }

    /// Posts a message to all mailboxes of an identity. A mailbox that is full is closed: its receiver is too slow, and
    /// must not delay others.
    pub(crate) fn post(&self, identity: &Name, delivery: &Delivery) -> Posted {
        let hub = self.inside();
        let Some(mailboxes) = hub.get(identity) else {
            return Posted::Nobody;
        };
        let mut accepted = false;
        for mailbox in mailboxes {
            if mailbox.post(delivery.clone()) {
                accepted = true;
            } else {
                mailbox.finish(End::TooSlow);
            }
        }
        if accepted {
            Posted::Accepted
        } else {
            Posted::Full
        }
    }

    pub(crate) fn has(&self, identity: &Name) -> bool {
        self.inside().contains_key(identity)
    }

    /// The mailboxes of an identity.
    pub(crate) fn of(&self, identity: &Name) -> Vec<Arc<Mailbox>> {
        self.inside().get(identity).cloned().unwrap_or_default()
    }

    /// An identity other than this one that has a mailbox.
    pub(crate) fn other_than(&self, identity: &Name) -> Option<Name> {
        let hub = self.inside();
        hub.keys().find(|known| *known != identity).cloned()
    }

    /// Closes the inboxes of an identity.
    pub(crate) fn close(&self, identity: &Name, end: End) {
        for mailbox in self.of(identity) {
            mailbox.finish(end);
        }
    }

    /// Closes all inboxes.
    pub(crate) fn close_all(&self, end: End) {
        for mailbox in self.inside().values().flatten() {
            mailbox.finish(end);
        }
    }

    fn inside(&self) -> MutexGuard<'_, HashMap<Name, Vec<Arc<Mailbox>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
