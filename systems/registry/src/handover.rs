use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kit::fault::{Faults, HOLD_LIMIT, Kind, Lane, Step};
use tokio::time::{Instant, sleep_until};

use crate::backend::Backend;
use crate::mailbox::{Delivery, Mailbox};
use crate::name::Name;
use crate::tenant::Tenant;

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
    faults: Option<Arc<Faults>>,
    /// The deliveries that are held for a swap. Empty unless swaps are configured.
    lanes: Mutex<HashMap<(Name, Name), Lane<(), Parcel>>>,
}

#[derive(Clone, Debug)]
struct Parcel {
    destination: Destination,
    delivery: Delivery,
}

impl Handover {
    pub(crate) fn new(backend: Arc<Backend>, faults: Option<Arc<Faults>>) -> Arc<Self> {
        Arc::new(Self {
            backend,
            faults,
            lanes: Mutex::default(),
        })
    }

    /// Hands over one delivery. With a configured delay or stall, it waits in a task of its own, so that it delays no
    /// other.
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
        let Some(faults) = &self.faults else {
            return self.send(tenant, identity, &parcel).await;
        };
        if !self.backend.may_reach(tenant, identity) {
            // The delivery reaches nobody, so it gets no number.
            return self.send(tenant, identity, &parcel).await;
        }
        let turn = faults.next_turn();
        let mut steps = Vec::new();
        let now = Instant::now();
        let key = (tenant.name.clone(), identity.clone());
        let release = {
            let mut lanes = self.lanes();
            let lane = lanes.entry(key).or_default();
            lane.offer((), parcel, turn, now, &mut steps);
            lane.next_release()
                .filter(|release| *release == now + HOLD_LIMIT)
        };
        let (handover, tenant, identity) = (self.clone(), tenant.clone(), identity.clone());
        let faults = faults.clone();
        drop(tokio::spawn(async move {
            faults.hold(now).await;
            handover.perform(&tenant, &identity, steps).await;
            if let Some(release) = release {
                sleep_until(release).await;
                handover.release(&tenant, &identity).await;
            }
        }));
    }

    async fn release(&self, tenant: &Tenant, identity: &Name) {
        let mut steps = Vec::new();
        let key = (tenant.name.clone(), identity.clone());
        if let Some(lane) = self.lanes().get_mut(&key) {
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
                receipt: crate::mailbox::Receipt::Nobody,
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
                    mailbox.finish(crate::mailbox::End::TooSlow);
                }
            }
        }
    }

    fn count(&self, kind: Kind) {
        if let Some(faults) = &self.faults {
            faults.tally().add(kind, 1);
        }
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<(Name, Name), Lane<(), Parcel>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
