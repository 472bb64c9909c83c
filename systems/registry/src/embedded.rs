use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::mailbox::End;
use crate::message::{Message, MessageId, Mode};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Change, ChangeKind, Registration, Wish};
use crate::size;
use crate::store::{Kept, Saved, Store};
use crate::tenant::{Tenant, Tenants};
use crate::time::Time;

/// The embedded backend: a single instance, whose views and inboxes are the whole registry, and a database for what must
/// last. A change is applied to the view first and acknowledged when it is on disk, and the view and the database see all
/// changes in the same order.
#[derive(Debug)]
pub(crate) struct Embedded {
    store: Store,
}

impl Embedded {
    /// Loads all registrations from the store. Those of namespaces that are no longer configured stay in the store.
    pub(crate) async fn start(store: Store, tenants: &Tenants) -> Result<Self, sqlx::Error> {
        for (namespace, registration) in store.registrations(Time::now()).await? {
            match tenants.get(&namespace) {
                Some(tenant) => tenant.view.edit().load(registration),
                None => {
                    tracing::warn!(%namespace, identity = %registration.identity,
                                   "the namespace of a saved registration is not configured");
                }
            }
        }
        Ok(Self { store })
    }

    pub(crate) async fn register(&self, tenant: &Tenant, wish: Wish) -> Result<Change, Refusal> {
        let slot = self.store.slot()?;
        let now = Time::now();
        let (change, saved) = {
            let mut view = tenant.view.edit();
            let is_known = view.get(&wish.identity, now).is_some();
            if is_known && !wish.replace {
                return Err(Refusal::AlreadyRegistered);
            }
            let limit = tenant.limits.max_identities;
            if !is_known && view.len() >= limit as usize && view.live(now).count() >= limit as usize
            {
                return Err(Refusal::QuotaExceeded(limit, "identities"));
            }
            let known = view.get(&wish.identity, now);
            let replaced = known.map_or(0, |known| size::memory(&known.metadata));
            let limit = tenant.limits.max_stored;
            if view.memory() - replaced + size::memory(&wish.metadata) > limit as usize {
                return Err(Refusal::QuotaExceeded(limit, "bytes of metadata in memory"));
            }
            let change = Change {
                kind: if is_known {
                    ChangeKind::Replaced
                } else {
                    ChangeKind::Registered
                },
                registration: Arc::new(Registration {
                    identity: wish.identity,
                    metadata: wish.metadata,
                    registered_at: now,
                    expires_at: end(now, wish.ttl_seconds),
                    ttl_seconds: wish.ttl_seconds,
                    generation: view.next_generation(now),
                }),
            };
            view.apply(change.clone());
            let saved = slot.put(&tenant.name, &change.registration);
            (change, saved)
        };
        saved.wait().await?;
        Ok(change)
    }

    pub(crate) async fn refresh(
        &self,
        tenant: &Tenant,
        identity: &Name,
        ttl_seconds: Option<u64>,
    ) -> Result<Change, Refusal> {
        let slot = self.store.slot()?;
        let now = Time::now();
        let (change, saved) = {
            let mut view = tenant.view.edit();
            let known = view.get(identity, now).ok_or(Refusal::NotRegistered)?;
            let ttl_seconds = ttl_seconds.or(known.ttl_seconds);
            let registration = Registration {
                expires_at: end(now, ttl_seconds),
                ttl_seconds,
                generation: view.next_generation(now),
                ..Registration::clone(known)
            };
            let change = Change {
                kind: ChangeKind::Refreshed,
                registration: Arc::new(registration),
            };
            view.apply(change.clone());
            let saved = slot.put(&tenant.name, &change.registration);
            (change, saved)
        };
        saved.wait().await?;
        Ok(change)
    }

    /// Returns `None` if the identity was not registered. Its messages are forgotten.
    pub(crate) async fn unregister(
        &self,
        tenant: &Tenant,
        identity: &Name,
    ) -> Result<Option<Change>, Refusal> {
        let (remove, clear) = (self.store.slot()?, self.store.slot()?);
        let now = Time::now();
        let (change, cleared) = {
            let mut view = tenant.view.edit();
            let Some(known) = view.get(identity, now) else {
                return Ok(None);
            };
            let generation = view.next_generation(now);
            let change = Change {
                kind: ChangeKind::Unregistered,
                registration: Arc::new(Registration {
                    generation,
                    ..Registration::clone(known)
                }),
            };
            view.apply(change.clone());
            // Writes are saved in order, so the wait for the second one covers both.
            drop(remove.remove(&tenant.name, identity, generation));
            (change, clear.clear(&tenant.name, identity))
        };
        tenant.hub.close(identity, End::Unregistered);
        cleared.wait().await?;
        Ok(Some(change))
    }

    /// Ends the registrations whose time has passed. Returns their number.
    pub(crate) fn expire(&self, tenant: &Tenant, now: Time) -> Result<usize, Refusal> {
        let over = tenant.expire(now);
        // The row is removed only up to this generation. A row that stays is ignored at the next start.
        for registration in &over {
            let (identity, generation) = (&registration.identity, registration.generation);
            drop(
                self.store
                    .slot()?
                    .remove(&tenant.name, identity, generation),
            );
        }
        Ok(over.len())
    }

    /// Saves a message for identities until they acknowledge it. Returns the identities that already have too many
    /// messages, and `None` if the id was used before.
    pub(crate) async fn keep(
        &self,
        tenant: &Tenant,
        message: &Arc<Message>,
        identities: &[Name],
        retention: Duration,
        is_new: bool,
    ) -> Result<Option<HashSet<Name>>, Refusal> {
        let failed = |error: sqlx::Error| Refusal::BackendUnavailable(error.to_string());
        if !is_new
            && self
                .store
                .knows(&tenant.name, &message.id)
                .await
                .map_err(failed)?
        {
            return Ok(None);
        }
        let queued = self
            .store
            .queued(&tenant.name, identities)
            .await
            .map_err(failed)?;
        let limit = tenant.limits.max_queued;
        let full: HashSet<Name> = queued
            .into_iter()
            .filter(|(_, count)| *count >= limit)
            .map(|(name, _)| name)
            .collect();
        let accepting = identities.iter().filter(|name| !full.contains(*name));
        // The id of a message that is delivered exactly once is remembered even if nobody gets the message.
        if message.mode != Mode::ExactlyOnce && full.len() == identities.len() {
            return Ok(Some(full));
        }
        let kept = Kept {
            message: message.clone(),
            identities: Arc::new(accepting.cloned().collect()),
            until: Time::now().after(retention),
        };
        self.store.slot()?.keep(kept).wait().await?;
        Ok(Some(full))
    }

    /// Forgets messages that an identity has acknowledged.
    pub(crate) fn settle(
        &self,
        namespace: &Name,
        identity: &Name,
        ids: &[MessageId],
    ) -> Result<Saved, Refusal> {
        Ok(self.store.slot()?.settle(namespace, identity, ids))
    }

    /// The kept messages of an identity, oldest first, as far as there is memory for them. Returns whether these are all.
    pub(crate) async fn pending(
        &self,
        tenant: &Tenant,
        identity: &Name,
    ) -> Result<(Vec<Arc<Message>>, bool), Refusal> {
        let (namespace, memory) = (&tenant.name, &tenant.waiting);
        let found = self.store.pending(namespace, identity, Time::now(), memory);
        let found = found.await;
        found.map_err(|error| Refusal::BackendUnavailable(error.to_string()))
    }

    /// Forgets messages whose retention has ended.
    pub(crate) fn forget(&self, now: Time) -> Result<(), Refusal> {
        drop(self.store.slot()?.forget(now));
        Ok(())
    }

    /// Waits for all writes.
    pub(crate) async fn close(&self) {
        self.store.close().await;
    }
}

fn end(now: Time, ttl_seconds: Option<u64>) -> Option<Time> {
    ttl_seconds.map(|seconds| now.after(Duration::from_secs(seconds)))
}
