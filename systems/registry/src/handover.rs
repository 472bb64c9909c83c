use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use kit::fault::{Faults, HOLD_LIMIT, Kind, Lane, Step};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::backend::Backend;
use crate::mailbox::{Delivery, End, Mailbox, Receipt};
use crate::name::Name;
use crate::tenant::Tenant;

/// Maximum number of deliveries that wait for an injected delay or stall. A multicast waits while there are more.
const WAITING: usize = 65_536;

/// Where a delivery goes.
#[derive(Clone, Debug)]
pub(crate) enum Destination {
    /// All receivers of the identity.
    Identity,
    /// One inbox, which just opened.
    Mailbox(Arc<Mailbox>),
}

/// Hands deliveries over to their receivers, with injected faults if configured.
#[derive(Debug)]
pub(crate) struct Handover {
    backend: Arc<Backend>,
    tampering: Option<Tampering>,
}

/// The faults, and the deliveries that wait for them.
#[derive(Debug)]
struct Tampering {
    faults: Arc<Faults>,
    /// The deliveries that are held for a swap.
    lanes: Mutex<HashMap<(Name, Name), Lane<(), Parcel>>>,
    /// One task hands over what passed the faults, so that a delay changes no order.
    waiting: mpsc::Sender<Waiting>,
}

/// A delivery that passed the faults and waits for a delay or a stall.
#[derive(Debug)]
struct Waiting {
    ready: Instant,
    tenant: Arc<Tenant>,
    identity: Name,
    steps: Vec<Step<Parcel>>,
}

#[derive(Clone, Debug)]
struct Parcel {
    destination: Destination,
    delivery: Delivery,
}

impl Handover {
    pub(crate) fn new(backend: Arc<Backend>, faults: Option<Arc<Faults>>) -> Arc<Self> {
        let Some(faults) = faults else {
            return Arc::new(Self {
                backend,
                tampering: None,
            });
        };
        let (waiting, queue) = mpsc::channel(WAITING);
        let tampering = Tampering {
            faults: faults.clone(),
            lanes: Mutex::default(),
            waiting,
        };
        let handover = Arc::new(Self {
            backend,
            tampering: Some(tampering),
        });
        tokio::spawn(pass_on(Arc::downgrade(&handover), faults, queue));
        handover
    }

    /// Hands over one delivery.
    pub(crate) async fn hand(
        self: &Arc<Self>,
        tenant: &Arc<Tenant>,
        identity: &Name,
        destination: Destination,
        delivery: Delivery,
    ) {
        let parcel = Parcel {
            destination,
            delivery,
        };
        match &self.tampering {
            // A delivery that reaches nobody gets no number.
            Some(tampering) if self.backend.may_reach(tenant, identity) => {
                self.tamper(tampering, tenant, identity, parcel).await;
            }
            _ => self.send(tenant, identity, &parcel).await,
        }
    }

    async fn tamper(
        self: &Arc<Self>,
        tampering: &Tampering,
        tenant: &Arc<Tenant>,
        identity: &Name,
        parcel: Parcel,
    ) {
        let turn = tampering.faults.next_turn();
        let mut steps = Vec::new();
        let ready = Instant::now();
        let held = {
            let key = (tenant.name.clone(), identity.clone());
            let mut lanes = tampering.lanes();
            let lane = lanes.entry(key).or_default();
            lane.offer((), parcel, turn, ready, &mut steps);
            lane.next_release()
        };
        let waiting = Waiting {
            ready,
            tenant: tenant.clone(),
            identity: identity.clone(),
            steps,
        };
        // The task lives as long as this handover.
        let _ = tampering.waiting.send(waiting).await;
        if let Some(release) = held.filter(|release| *release == ready + HOLD_LIMIT) {
            let (handover, tenant, identity) = (self.clone(), tenant.clone(), identity.clone());
            drop(tokio::spawn(async move {
                sleep_until(release).await;
                handover.release(&tenant, &identity).await;
            }));
        }
    }

    /// Hands over a delivery that was held for a swap and got no successor.
    async fn release(&self, tenant: &Tenant, identity: &Name) {
        let Some(tampering) = &self.tampering else {
            return;
        };
        let mut steps = Vec::new();
        let key = (tenant.name.clone(), identity.clone());
        if let Some(lane) = tampering.lanes().get_mut(&key) {
            lane.release(Instant::now(), &mut steps);
        }
        self.perform(tenant, identity, steps).await;
    }

    async fn perform(&self, tenant: &Tenant, identity: &Name, steps: Vec<Step<Parcel>>) {
        for step in steps {
            match step {
                Step::Send(parcel) => self.send(tenant, identity, &parcel).await,
                Step::Stray(parcel) => {
                    self.send(tenant, identity, &parcel).await;
                    self.stray(tenant, identity, parcel).await;
                }
                Step::Count(kind) => self.count(kind),
            }
        }
    }

    /// Delivers a message also to an identity for which it is not meant.
    async fn stray(&self, tenant: &Tenant, identity: &Name, parcel: Parcel) {
        let Some(wrong) = tenant.hub.other_than(identity) else {
            return;
        };
        let stray = Parcel {
            destination: Destination::Identity,
            delivery: Delivery {
                receipt: Receipt::Nobody,
                ..parcel.delivery
            },
        };
        self.send(tenant, &wrong, &stray).await;
        self.count(Kind::Strayed);
    }

    async fn send(&self, tenant: &Tenant, identity: &Name, parcel: &Parcel) {
        match &parcel.destination {
            Destination::Identity => {
                self.backend.send(tenant, identity, &parcel.delivery).await;
            }
            Destination::Mailbox(mailbox) => {
                if !mailbox.post(parcel.delivery.clone()) {
                    mailbox.finish(End::TooSlow);
                }
            }
        }
    }

    fn count(&self, kind: Kind) {
        if let Some(tampering) = &self.tampering {
            tampering.faults.tally().add(kind, 1);
        }
    }
}

impl Tampering {
    fn lanes(&self) -> MutexGuard<'_, HashMap<(Name, Name), Lane<(), Parcel>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands over deliveries after the configured delay, and outside of stalls.
async fn pass_on(
    handover: Weak<Handover>,
    faults: Arc<Faults>,
    mut queue: mpsc::Receiver<Waiting>,
) {
    while let Some(waiting) = queue.recv().await {
        faults.hold(waiting.ready).await;
        let Some(handover) = handover.upgrade() else {
            return;
        };
        handover
            .perform(&waiting.tenant, &waiting.identity, waiting.steps)
            .await;
    }
}
