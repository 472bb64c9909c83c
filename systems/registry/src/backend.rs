use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::embedded::Embedded;
use crate::hub::Posted;
use crate::mailbox::Delivery;
use crate::message::{Message, MessageId};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Change, Wish};
use crate::shared::Shared;
use crate::store::Saved;
use crate::tenant::Tenant;
use crate::tracking::{Cause, State, Tracking};

/// Where registrations and kept messages are, and how messages reach receivers.
#[derive(Debug)]
pub(crate) enum Backend {
    Embedded(Embedded),
    Shared(Shared),
}

impl Backend {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Embedded(_) => "embedded",
            Self::Shared(_) => "redis+nats",
        }
    }

    pub(crate) async fn register(&self, tenant: &Tenant, wish: Wish) -> Result<Change, Refusal> {
        match self {
            Self::Embedded(embedded) => embedded.register(tenant, wish).await,
            Self::Shared(shared) => shared.register(tenant, wish).await,
        }
    }

    pub(crate) async fn refresh(
        &self,
        tenant: &Tenant,
        identity: &Name,
        ttl_seconds: Option<u64>,
    ) -> Result<Change, Refusal> {
        match self {
            Self::Embedded(embedded) => embedded.refresh(tenant, identity, ttl_seconds).await,
            Self::Shared(shared) => shared.refresh(tenant, identity, ttl_seconds).await,
        }
    }

    /// Returns `None` if the identity was not registered.
    pub(crate) async fn unregister(
        &self,
        tenant: &Tenant,
        identity: &Name,
    ) -> Result<Option<Change>, Refusal> {
        match self {
            Self::Embedded(embedded) => embedded.unregister(tenant, identity).await,
            Self::Shared(shared) => shared.unregister(tenant, identity).await,
        }
    }

    /// Saves a message for identities until they acknowledge it. Returns the identities for which too many messages
    /// wait, and `None` if `is_new` is false and a message with this id was saved before.
    pub(crate) async fn keep(
        &self,
        tenant: &Tenant,
        message: &Arc<Message>,
        identities: &[Name],
        retention: Duration,
        is_new: bool,
    ) -> Result<Option<HashSet<Name>>, Refusal> {
        match self {
            Self::Embedded(embedded) => {
                let kept = embedded.keep(tenant, message, identities, retention, is_new);
                kept.await
            }
            Self::Shared(shared) => {
                let kept = shared.keep(tenant, message, identities, retention, is_new);
                kept.await
            }
        }
    }

    /// Forgets kept messages that an identity has acknowledged. Whoever promises that must wait for the write.
    pub(crate) fn settle(
        &self,
        space: &Name,
        identity: &Name,
        ids: &[MessageId],
    ) -> Result<Option<Saved>, Refusal> {
        match self {
            Self::Embedded(_) if ids.is_empty() => Ok(None),
            Self::Embedded(embedded) => embedded.settle(space, identity, ids).map(Some),
            Self::Shared(shared) => {
                let settled = ids
                    .iter()
                    .try_for_each(|id| shared.settle(space, identity, id));
                settled.map(|()| None)
            }
        }
    }

    /// The kept messages of an identity, oldest first. They count as sent before. Returns whether these are all, because
    /// there may be too little memory for them.
    pub(crate) async fn pending(
        &self,
        tenant: &Tenant,
        identity: &Name,
    ) -> Result<(Vec<Arc<Message>>, bool), Refusal> {
        match self {
            Self::Embedded(embedded) => embedded.pending(tenant, identity).await,
            Self::Shared(shared) => {
                let found = shared.pending(&tenant.name, identity).await?;
                Ok((found, true))
            }
        }
    }

    /// Whether a delivery to this identity can reach anyone, as far as this instance knows.
    pub(crate) fn may_reach(&self, tenant: &Tenant, identity: &Name) -> bool {
        match self {
            Self::Embedded(_) => tenant.hub.has(identity),
            Self::Shared(_) => true,
        }
    }

    /// Prepares for the acknowledgements of a multicast.
    pub(crate) fn expect(&self, tracking: &Arc<Tracking>) {
        if let Self::Shared(shared) = self {
            shared.expect(tracking);
        }
    }

    /// Hands a message over to the inboxes of an identity here, and to all other receivers. The receipt learns what is
    /// known at once.
    pub(crate) async fn send(&self, tenant: &Tenant, identity: &Name, delivery: &Delivery) {
        let receipt = &delivery.receipt;
        let posted = tenant.hub.post(identity, delivery);
        match posted {
            Posted::Accepted => receipt.settle(State::HandedOver),
            Posted::Full => receipt.settle(State::Failed(Cause::SlowReceiver)),
            Posted::Nobody => {}
        }
        match self {
            Self::Embedded(_) if posted == Posted::Nobody => {
                receipt.settle(State::Failed(Cause::NoReceiver));
            }
            Self::Embedded(_) => {}
            // A failure counts only if there is no inbox here.
            Self::Shared(shared) => {
                if !shared.publish(&tenant.name, identity, delivery).await {
                    receipt.settle(State::Failed(Cause::Backend));
                }
            }
        }
    }

    /// Prepares the deliveries to an identity that has its first inbox here.
    pub(crate) async fn enter(&self, tenant: &Arc<Tenant>, identity: &Name) -> Result<(), Refusal> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Shared(shared) => shared.enter(tenant, identity).await,
        }
    }

    /// Ends the deliveries to an identity without inboxes here.
    pub(crate) fn leave(&self, tenant: &Tenant, identity: &Name) {
        if let Self::Shared(shared) = self {
            shared.leave(&tenant.name, identity);
        }
    }
}
