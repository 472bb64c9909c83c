use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kit::fault::Faults;
use tokio::sync::watch;

use crate::backend::Backend;
use crate::config::DeliveryConfig;
use crate::handover::Handover;
use crate::mailbox::{Receipt, Sent};
use crate::message::MessageId;
use crate::metrics::Counters;
use crate::refusal::Refusal;
use crate::tenant::{Tenant, Tenants};
use crate::time::Time;
use crate::tracking::State;

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Registry {
    pub(crate) tenants: Tenants,
    pub(crate) backend: Arc<Backend>,
    pub(crate) handover: Arc<Handover>,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) counters: Counters,
    pub(crate) delivery: DeliveryConfig,
    /// A random number that distinguishes the ids of this instance's messages.
    instance: u32,
    numbers: AtomicU64,
    stopping: watch::Sender<bool>,
    nats_is_gone: AtomicBool,
    redis_is_gone: AtomicBool,
}

impl Registry {
    pub(crate) fn new(
        tenants: Tenants,
        backend: Arc<Backend>,
        faults: Option<Arc<Faults>>,
        counters: Counters,
        delivery: DeliveryConfig,
    ) -> std::io::Result<Self> {
        let [a, b, c, d, ..] = kit::token::Token::random()?.to_bytes();
        Ok(Self {
            handover: Handover::new(backend.clone(), faults.clone()),
            tenants,
            backend,
            faults,
            counters,
            delivery,
            instance: u32::from_be_bytes([a, b, c, d]),
            numbers: AtomicU64::new(1),
            stopping: watch::Sender::new(false),
            nats_is_gone: AtomicBool::new(false),
            redis_is_gone: AtomicBool::new(false),
        })
    }

    /// The namespace, if the caller may use it.
    pub(crate) fn tenant(&self, name: &str, token: Option<&str>) -> Result<&Arc<Tenant>, Refusal> {
        let tenant = self.tenants.get(name).ok_or(Refusal::UnknownNamespace)?;
        tenant.admit(token)?;
        Ok(tenant)
    }

    /// The number of the next multicast in this process.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// The id of a new message with this number.
    pub(crate) fn message_id(&self, now: Time, number: u64) -> MessageId {
        MessageId::numbered(now, self.instance, number)
    }

    /// Becomes true when the registry stops.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Ends all watches.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Records whether NATS and Redis respond.
    pub(crate) fn note_health(&self, nats: bool, redis: bool) {
        self.nats_is_gone.store(!nats, Ordering::Relaxed);
        self.redis_is_gone.store(!redis, Ordering::Relaxed);
    }

    /// Reasons why the registry is not healthy.
    pub(crate) fn reasons(&self) -> Vec<&'static str> {
        let reasons = [
            (&self.nats_is_gone, "NATS does not respond"),
            (&self.redis_is_gone, "Redis does not respond"),
        ];
        let gone = reasons
            .into_iter()
            .filter(|(gone, _)| gone.load(Ordering::Relaxed));
        gone.map(|(_, reason)| reason).collect()
    }

    /// Tells the multicast of a message that an inbox has acknowledged it. Returns whether the message is kept, so that
    /// this instance must forget it.
    pub(crate) async fn acknowledged(&self, sent: &Sent) -> bool {
        self.counters.acknowledged.inc();
        match &sent.receipt {
            Receipt::Here(tracking, target) => tracking.settle(*target, State::Received),
            Receipt::There(reply) => {
                // The instance that sent the message also forgets it.
                if let Backend::Shared(shared) = &*self.backend {
                    shared.acknowledge(reply).await;
                }
                return false;
            }
            Receipt::Nobody => {}
        }
        sent.is_kept
    }
}
