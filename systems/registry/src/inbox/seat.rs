use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::backend::Backend;
use crate::handover::Destination;
use crate::mailbox::{Delivery, End, Receipt, Slot, mailbox};
use crate::message::MessageId;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registry::Registry;
use crate::tenant::Tenant;
use crate::time::Time;

/// Maximum number of messages that are sent before the connection looks for anything else.
const BURST: usize = 256;

/// An inbox that is connected here. Dropping it disconnects it, whatever ended the connection.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(super) registry: Arc<Registry>,
    tenant: Arc<Tenant>,
    identity: Name,
    slot: Slot,
    again: Interval,
    _place: watch::Receiver<()>,
}

impl Seat {
    /// Connects an inbox. When it returns, every further message to the identity reaches the inbox.
    pub(crate) async fn take(
        registry: Arc<Registry>,
        tenant: Arc<Tenant>,
        identity: Name,
    ) -> Result<Self, Refusal> {
        let place = tenant.place()?;
        if tenant.view.get(&identity, Time::now()).is_none() {
            return Err(Refusal::NotRegistered);
        }
        let queue = usize::try_from(registry.delivery.queue).unwrap_or(usize::MAX);
        let slot = mailbox(queue);
        let is_first = tenant.hub.enter(&identity, &slot.mailbox);
        let span = registry.delivery.ack_timeout;
        let mut again = interval_at(Instant::now() + span, span);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let seat = Self {
            registry,
            tenant,
            identity,
            slot,
            again,
            _place: place,
        };
        if is_first {
            let backend = &seat.registry.backend;
            backend.enter(&seat.tenant, &seat.identity).await?;
        }
        Ok(seat)
    }

    pub(super) fn tenant(&self) -> &Name {
        &self.tenant.name
    }

    pub(super) fn identity(&self) -> &Name {
        &self.identity
    }

    /// Hands over the messages that were kept while the identity was offline. Returns their number.
    pub(super) async fn catch_up(&self) -> Result<usize, Refusal> {
        let registry = &self.registry;
        let pending = registry
            .backend
            .pending(&self.tenant.name, &self.identity)
            .await?;
        let count = pending.len();
        for message in pending {
            let receipt = Receipt::Nobody;
            let delivery = Delivery { message, receipt };
            let destination = Destination::Mailbox(self.slot.mailbox.clone());
            let handed =
                registry
                    .handover
                    .hand(&self.tenant, &self.identity, destination, delivery);
            handed.await;
        }
        Ok(count)
    }

    /// Waits for messages that must be sent now, and appends them. Cancel safe.
    pub(super) async fn next(&mut self, ready: &mut Vec<Delivery>) -> Result<(), End> {
        let limit = self.registry.delivery.ack_timeout;
        tokio::select! {
            biased;
            received = self.slot.receive(ready, BURST) => {
                received?;
                let (mailbox, now) = (&self.slot.mailbox, Instant::now());
                ready.retain(|delivery| mailbox.admit(delivery, limit, now));
                Ok(())
            }
            _ = self.again.tick() => {
                self.send_again(ready, limit);
                Ok(())
            }
        }
    }

    fn send_again(&self, ready: &mut Vec<Delivery>, limit: Duration) {
        let overdue = self.slot.mailbox.overdue(limit, Instant::now());
        // With the shared backend, one of the instances sends messages again for all receivers.
        if let Backend::Embedded(_) = &*self.registry.backend {
            self.registry
                .counters
                .redelivered
                .inc_by(overdue.len() as u64);
            ready.extend(overdue);
        }
    }

    /// Appends what is queued, without waiting.
    pub(super) fn rest(&mut self, ready: &mut Vec<Delivery>) {
        self.slot.rest(ready);
    }

    /// Waits until the connection must close, without sending what is queued.
    pub(super) fn cut(&self) -> impl Future<Output = End> + Send + use<> {
        self.slot.ended()
    }

    /// Records that the receiver has acknowledged messages. Ids of other messages are ignored, because a message may be
    /// acknowledged twice.
    pub(super) async fn acknowledge(&self, ids: &[MessageId]) {
        for id in ids {
            if let Some(delivery) = self.slot.mailbox.acknowledge(id) {
                let acknowledged =
                    self.registry
                        .acknowledged(&self.tenant, &self.identity, delivery);
                acknowledged.await;
            }
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let was_last = self.tenant.hub.leave(&self.identity, &self.slot.mailbox);
        if was_last && !self.tenant.hub.has(&self.identity) {
            self.registry.backend.leave(&self.tenant, &self.identity);
        }
    }
}
