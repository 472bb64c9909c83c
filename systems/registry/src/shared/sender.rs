use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_nats::message::OutboundMessage;
use tokio::sync::mpsc;

use super::codec::{self, Ack, LineId};
use super::nats::Lines;
use super::redis::Data;
use super::settle::Settled;
use crate::mailbox::{Delivery, Receipt};
use crate::message::MessageId;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::tracking::{State, Tracking};

/// Number of open multicasts above which finished ones are removed.
const OPEN: usize = 1024;

/// Publishes messages, and knows which multicasts wait for their acknowledgements.
#[derive(Debug)]
pub(super) struct Sender {
    /// A random number, by which acknowledgements find this instance.
    pub(super) instance: u32,
    pub(super) data: Data,
    pub(super) lines: Lines,
    settled: mpsc::Sender<Settled>,
    /// Multicasts that wait for acknowledgements, by their numbers.
    open: Mutex<HashMap<u64, Weak<Tracking>>>,
}

impl Sender {
    pub(super) fn new(
        instance: u32,
        data: Data,
        lines: Lines,
        settled: mpsc::Sender<Settled>,
    ) -> Self {
        Self {
            instance,
            data,
            lines,
            settled,
            open: Mutex::default(),
        }
    }

    /// The id of a connection.
    pub(super) fn line(&self, number: usize) -> LineId {
        LineId {
            instance: self.instance,
            number,
        }
    }

    /// Queues the end of a kept message.
    pub(super) fn settle(
        &self,
        space: &Name,
        identity: &Name,
        id: &MessageId,
    ) -> Result<(), Refusal> {
        let settled = (space.clone(), identity.clone(), id.clone());
        self.settled.try_send(settled).map_err(|_| Refusal::Busy)
    }

    /// Publishes a message for an identity. Whoever subscribes on its subject gets it, on another instance or directly on
    /// NATS. A message that needs no acknowledgement has no reply subject. Returns whether it was published.
    pub(super) async fn publish(&self, space: &Name, identity: &Name, delivery: &Delivery) -> bool {
        let Some((number, client)) = self.lines.of(identity) else {
            return false;
        };
        let Delivery { message, receipt } = delivery;
        let target = match receipt {
            Receipt::Here(tracking, target) if tracking.is_awaited() => {
                Some((tracking.number, *target))
            }
            _ => None,
        };
        let kept = message.mode.is_kept();
        let ack = (kept || target.is_some()).then(|| Ack {
            target,
            kept,
            space: space.clone(),
            identity: identity.clone(),
            id: message.id.clone(),
        });
        let outgoing = OutboundMessage {
            subject: self.lines.subject(space, identity).into(),
            reply: ack.map(|ack| ack.subject(self.line(number)).into()),
            headers: Some(codec::headers(message)),
            payload: message.payload.clone(),
        };
        Lines::publish(client, outgoing).await
    }

    /// Remembers a multicast that waits for acknowledgements.
    pub(super) fn expect(&self, tracking: &Arc<Tracking>) {
        if !tracking.is_awaited() {
            return;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN {
            open.retain(|_, waiting| waiting.strong_count() > 0);
        }
        open.insert(tracking.number, Arc::downgrade(tracking));
    }

    /// Settles the target of an acknowledgement, if its multicast still waits.
    pub(super) fn settle_target(&self, ack: &Ack, state: State) {
        let Some((number, target)) = ack.target else {
            return;
        };
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tracking) = open.get(&number).and_then(Weak::upgrade) {
            tracking.settle(target, state);
        }
    }
}
