use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::filter::Filter;
use crate::handover::Destination;
use crate::mailbox::{Delivery, Receipt};
use crate::message::{Message, MessageId, Mode};
use crate::metrics::Timed;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registry::Registry;
use crate::tenant::{Rated, Tenant};
use crate::time::Time;
use crate::tracking::{Cause, State, Status, Tracking};

/// Number of deliveries that are handed over before other tasks run.
const BATCH: usize = 128;

/// A message, and whom it is for.
#[derive(Debug)]
pub(crate) struct Multicast {
    pub(crate) to: Targets,
    pub(crate) content_type: Arc<str>,
    pub(crate) mode: Mode,
    pub(crate) payload: Bytes,
    /// Time to wait for acknowledgements. Zero: do not wait.
    pub(crate) timeout: Duration,
    /// The caller's own id. A repeated multicast with the same id is not sent again, if the mode is exactly once.
    pub(crate) id: Option<MessageId>,
}

/// The targets of a multicast.
#[derive(Debug)]
pub(crate) enum Targets {
    Filter(Filter),
    List(Vec<Name>),
}

/// What is known about the deliveries at the end of a multicast.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) id: MessageId,
    /// The message was sent before, and was not sent again.
    pub(crate) repeated: bool,
    pub(crate) results: Vec<(Name, Status, Option<Cause>)>,
}

impl Registry {
    /// Sends a message to all targets at once, and waits for their acknowledgements.
    pub(crate) async fn multicast(
        &self,
        tenant: &Arc<Tenant>,
        multicast: Multicast,
    ) -> Result<Outcome, Refusal> {
        let begin = Instant::now();
        tenant.spend(Rated::Multicast, begin)?;
        let permit = tenant.multicasts.acquire().await;
        let _permit = permit.map_err(|_| Refusal::Stopping)?;
        if let Some(faults) = &self.faults {
            faults.message();
        }
        let (now, number) = (Time::now(), self.next_number());
        let is_new = multicast.id.is_none();
        let message = Message::new(
            multicast.id.unwrap_or_else(|| self.message_id(now, number)),
            tenant.name.clone(),
            multicast.content_type,
            multicast.mode,
            multicast.payload,
            now,
        );
        let message = message.within(&tenant.waiting);
        let message = Arc::new(message.ok_or(Refusal::TooManyWaiting)?);
        let (targets, unknown) = targets(tenant, multicast.to, now).await;
        let sending = Sending {
            number,
            targets,
            message,
            timeout: multicast.timeout,
        };
        let mut outcome = self.send(tenant, sending, is_new).await?;
        let unknown = unknown
            .into_iter()
            .map(|name| (name, Status::Failed, Some(Cause::NotRegistered)));
        outcome.results.extend(unknown);
        self.count(&outcome);
        let seconds = begin.elapsed().as_secs_f64();
        self.counters.time(Timed::Multicast, seconds);
        Ok(outcome)
    }

    async fn send(
        &self,
        tenant: &Arc<Tenant>,
        sending: Sending,
        is_new: bool,
    ) -> Result<Outcome, Refusal> {
        let Sending {
            number,
            targets,
            message,
            timeout,
        } = sending;
        let mut full = HashSet::new();
        if message.mode.is_kept() && !targets.is_empty() {
            let retention = self.delivery.retention;
            let may_be_known = message.mode == Mode::ExactlyOnce && !is_new;
            let kept = self
                .backend
                .keep(tenant, &message, &targets, retention, !may_be_known);
            let Some(refused) = kept.await? else {
                return Ok(Outcome {
                    id: message.id.clone(),
                    repeated: true,
                    results: Vec::new(),
                });
            };
            full = refused;
        }
        let tracking = Arc::new(Tracking::new(number, targets.len(), timeout));
        self.backend.expect(&tracking);
        for (n, identity) in targets.iter().enumerate() {
            if full.contains(identity) {
                tracking.settle(n, State::Failed(Cause::QueueFull));
                continue;
            }
            let delivery = Delivery {
                message: message.clone(),
                receipt: Receipt::Here(tracking.clone(), n),
            };
            self.handover
                .hand(tenant, identity, Destination::Identity, delivery)
                .await;
            if n % BATCH == BATCH - 1 {
                yield_now().await;
            }
        }
        let states = tracking.wait().await;
        let results = targets.into_iter().zip(states).map(|(identity, state)| {
            let (status, cause) = status(state, message.mode, tracking.is_awaited());
            (identity, status, cause)
        });
        Ok(Outcome {
            id: message.id.clone(),
            repeated: false,
            results: results.collect(),
        })
    }

    fn count(&self, outcome: &Outcome) {
        let mut failures: HashMap<Cause, u64> = HashMap::new();
        for cause in outcome.results.iter().filter_map(|(_, _, cause)| *cause) {
            *failures.entry(cause).or_default() += 1;
        }
        let failed: u64 = failures.values().sum();
        for (cause, deliveries) in failures {
            self.counters.failed(cause, deliveries);
        }
        let failed = usize::try_from(failed).unwrap_or(usize::MAX);
        let delivered = outcome.results.len().saturating_sub(failed);
        self.counters.delivered(delivered);
    }
}

/// One multicast whose targets are known.
#[derive(Debug)]
struct Sending {
    number: u64,
    targets: Vec<Name>,
    message: Arc<Message>,
    timeout: Duration,
}

/// The registered targets, each once, and the listed identities that are not registered.
async fn targets(tenant: &Tenant, to: Targets, now: Time) -> (Vec<Name>, Vec<Name>) {
    match to {
        Targets::Filter(filter) => {
            let found = tenant.view.search(&filter, now).await;
            let names = found.iter().map(|found| found.identity.clone());
            (names.collect(), Vec::new())
        }
        Targets::List(names) => {
            let view = tenant.view.read();
            let mut seen = HashSet::new();
            let once = names.into_iter().filter(|name| seen.insert(name.clone()));
            once.partition(|name| view.get(name, now).is_some())
        }
    }
}

fn status(state: State, mode: Mode, is_awaited: bool) -> (Status, Option<Cause>) {
    match state {
        State::Received => (Status::Received, None),
        State::Open | State::HandedOver if is_awaited => (Status::TimedOut, None),
        State::Open | State::HandedOver => (Status::Published, None),
        // A kept message waits, whatever happened to its first delivery.
        State::Failed(Cause::NoReceiver | Cause::SlowReceiver | Cause::Backend)
            if mode.is_kept() =>
        {
            (Status::Queued, None)
        }
        State::Failed(cause) => (Status::Failed, Some(cause)),
    }
}
