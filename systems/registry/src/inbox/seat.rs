use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::backend::Backend;
use crate::handover::Destination;
use crate::mailbox::{Delivery, End, Receipt, Slot, mailbox};
use crate::message::Message;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registry::Registry;
use crate::tenant::Tenant;
use crate::time::Time;

/// Maximum number of messages that are sent before the connection looks for anything else.
const BURST: usize = 256;

/// The messages that wait for an identity, and whether these are all.
type Pending = Result<(Vec<Arc<Message>>, bool), Refusal>;

/// An inbox that is connected here. Dropping it disconnects it, whatever ended the connection.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(super) registry: Arc<Registry>,
    tenant: Arc<Tenant>,
    identity: Name,
    slot: Slot,
    again: Interval,
    /// Whether messages that were kept for the identity are still in the store.
    lacks: bool,
    /// Reads messages that are sent again.
    reading: Option<JoinHandle<Pending>>,
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
            lacks: false,
            reading: None,
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
    pub(super) async fn catch_up(&mut self) -> Result<usize, Refusal> {
        let registry = &self.registry;
        let pending = registry.backend.pending(&self.tenant, &self.identity);
        let (pending, is_all) = pending.await?;
        self.lacks = !is_all;
        let mut count = 0;
        for message in pending {
            if !self.slot.mailbox.has_room(&message) {
                self.lacks = true;
                break;
            }
            count += 1;
            let delivery = again(message);
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
            received = self.slot.receive(ready, BURST, limit) => received,
            found = reading(&mut self.reading), if self.reading.is_some() => {
                self.reading = None;
                self.post_again(found);
                Ok(())
            }
            _ = self.again.tick() => {
                self.send_again(limit);
                Ok(())
            }
        }
    }

    /// Begins to send the messages again that were not acknowledged in time, and those for which there was no room before. A
    /// task reads them, because other events interrupt the wait for them.
    fn send_again(&mut self, limit: Duration) {
        let overdue = self.slot.mailbox.overdue(limit, Instant::now());
        // With the shared backend, one of the instances sends messages again for all receivers.
        let sends = matches!(&*self.registry.backend, Backend::Embedded(_));
        if !sends || self.reading.is_some() || overdue == 0 && !self.lacks {
            return;
        }
        self.registry.counters.redelivered.inc_by(overdue as u64);
        let (registry, tenant) = (self.registry.clone(), self.tenant.clone());
        let identity = self.identity.clone();
        self.reading = Some(tokio::spawn(async move {
            registry.backend.pending(&tenant, &identity).await
        }));
    }

    /// Adds messages to the queue. Those that were sent in time are left out when they are taken from it.
    fn post_again(&mut self, found: Pending) {
        let (messages, is_all) = match found {
            Ok(found) => found,
            Err(refusal) => {
                tracing::warn!(%refusal, "an inbox cannot read the messages that wait for it yet");
                return;
            }
        };
        let mut messages = messages.into_iter();
        let has_room = messages.all(|message| self.slot.mailbox.post(again(message)));
        self.lacks = !is_all || !has_room;
    }

    /// Appends what is queued, without waiting.
    pub(super) fn rest(&mut self, ready: &mut Vec<Delivery>) {
        self.slot.rest(ready);
    }

    /// Waits until the connection must close, without sending what is queued.
    pub(super) async fn cut(&self) -> End {
        self.slot.ended().await
    }

    /// Records that the receiver has acknowledged messages. Ids of other messages are ignored, because a message may be
    /// acknowledged twice.
    pub(super) async fn acknowledge(&self, ids: impl Iterator<Item = &str> + Send) {
        let mut kept = Vec::new();
        for id in ids {
            if let Some((id, sent)) = self.slot.mailbox.acknowledge(id)
                && self.registry.acknowledged(&sent).await
            {
                kept.push(id);
            }
        }
        if kept.is_empty() {
            return;
        }
        // Nobody waits until this is saved. Meanwhile, the connection sends further messages.
        let (backend, space) = (&self.registry.backend, &self.tenant.name);
        if let Err(refusal) = backend.settle(space, &self.identity, &kept) {
            tracing::debug!(%refusal, "acknowledgements are not saved; the messages are sent again");
        }
    }
}

/// A delivery of a message that was saved earlier, so that no multicast waits for it.
fn again(message: Arc<Message>) -> Delivery {
    Delivery {
        message,
        receipt: Receipt::Nobody,
    }
}

/// Waits for the task that reads messages. Cancel safe.
async fn reading(task: &mut Option<JoinHandle<Pending>>) -> Pending {
    match task {
        Some(task) => {
            let found = task.await;
            found.unwrap_or_else(|error| Err(Refusal::Internal(error.to_string())))
        }
        None => std::future::pending().await,
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
