use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kit::memory::Budget;
use kit::rate::Rate;
use kit::secret::Secret;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use crate::hub::Hub;
use crate::limits::Limits;
use crate::mailbox::End;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Change, Registration};
use crate::time::Time;
use crate::view::View;

/// A namespace: identities, receivers and limits of its own.
#[derive(Debug)]
pub(crate) struct Tenant {
    pub(crate) name: Name,
    pub(crate) limits: Limits,
    pub(crate) view: View,
    pub(crate) hub: Hub,
    /// Permits for multicasts in progress.
    pub(crate) multicasts: Semaphore,
    /// Memory for messages that wait for their receivers.
    pub(crate) waiting: Budget,
    token: Option<Secret>,
    rates: Mutex<[Rate; 3]>,
    /// Each open inbox or watch has a receiver of this channel, so that the number of receivers is their number.
    open: watch::Sender<()>,
}

/// All namespaces by their names.
pub(crate) type Tenants = Arc<HashMap<Name, Arc<Tenant>>>;

/// The kind of request that a rate limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rated {
    Change = 0,
    Enumerate = 1,
    Multicast = 2,
}

impl Tenant {
    pub(crate) fn new(name: Name, token: Option<Secret>, limits: Limits, now: Instant) -> Self {
        let full = |rate| Rate::full(rate, now);
        let rates = [
            full(limits.register_rate),
            full(limits.enumerate_rate),
            full(limits.multicast_rate),
        ];
        Self {
            name,
            multicasts: Semaphore::new(usize::from(limits.multicasts)),
            waiting: Budget::new(limits.max_waiting as usize),
            limits,
            view: View::default(),
            hub: Hub::default(),
            token,
            rates: Mutex::new(rates),
            open: watch::Sender::new(()),
        }
    }

    /// Checks the caller's token. A namespace without a token is open to everyone.
    pub(crate) fn admit(&self, token: Option<&str>) -> Result<(), Refusal> {
        let Some(wanted) = &self.token else {
            return Ok(());
        };
        let given = token.ok_or(Refusal::Unauthenticated)?;
        if is_same(wanted.reveal().as_bytes(), given.as_bytes()) {
            Ok(())
        } else {
            Err(Refusal::Unauthenticated)
        }
    }

    /// Counts a request against its rate limit.
    pub(crate) fn spend(&self, rated: Rated, now: Instant) -> Result<(), Refusal> {
        let limit = match rated {
            Rated::Change => self.limits.register_rate,
            Rated::Enumerate => self.limits.enumerate_rate,
            Rated::Multicast => self.limits.multicast_rate,
        };
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let admitted = rates
            .get_mut(rated as usize)
            .is_none_or(|rate| rate.spend(limit, now));
        if admitted {
            Ok(())
        } else {
            Err(Refusal::RateLimited(limit))
        }
    }

    /// Applies a change of a registration. Closes the inboxes of an identity that is no longer registered. Returns
    /// `false` if a newer change was applied before.
    pub(crate) fn apply(&self, change: Change) -> bool {
        let ended = !change.kind.leaves_it_registered();
        let identity = change.registration.identity.clone();
        let applied = self.view.edit().apply(change);
        if ended && applied {
            self.hub.close(&identity, End::Unregistered);
        }
        applied
    }

    /// Ends the registrations whose time has passed, and closes their inboxes. Returns these registrations.
    pub(crate) fn expire(&self, now: Time) -> Vec<Arc<Registration>> {
        if self.view.read().first_end().is_none_or(|end| end > now) {
            return Vec::new();
        }
        let over = self.view.edit().expire(now);
        for registration in &over {
            self.hub.close(&registration.identity, End::Unregistered);
        }
        over
    }

    /// Takes a place among the open inboxes and watches.
    pub(crate) fn place(&self) -> Result<watch::Receiver<()>, Refusal> {
        if self.receivers() >= self.limits.max_receivers as usize {
            let limit = self.limits.max_receivers;
            return Err(Refusal::QuotaExceeded(limit, "open inboxes and watches"));
        }
        Ok(self.open.subscribe())
    }

    /// The number of open inboxes and watches.
    pub(crate) fn receivers(&self) -> usize {
        self.open.receiver_count()
    }

    /// Waits until all inboxes and watches are closed.
    pub(crate) async fn closed(&self) {
        self.open.closed().await;
    }
}

/// Compares without ending at the first difference, which the time of the answer would show.
fn is_same(wanted: &[u8], given: &[u8]) -> bool {
    let differences = wanted
        .iter()
        .zip(given)
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    wanted.len() == given.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_as_a_whole() {
        assert!(is_same(b"secret", b"secret"));
        for wrong in ["", "secre", "secrets", "Secret"] {
            assert!(!is_same(b"secret", wrong.as_bytes()), "{wrong}");
        }
    }
}
