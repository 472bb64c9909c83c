//! An agent's share of a run: a thread between the messages of the coordinator and the workers of the engine.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use engine::{AgentWorkers, Clock, PrepareError, RunError, Shipment, prepare_shipped};
use model::{FaultKind, Nanos};
use script::ScriptError;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::lease::FAREWELL;
use crate::protocol::{Lease, Prepare, Prepared, RefusalKind};

/// Maximum time between two looks for commands.
const LOOK: Duration = Duration::from_millis(10);

/// What comes from the coordinator.
#[derive(Debug)]
pub(crate) enum Incoming {
    Command(Vec<u8>),
    Lease(Lease),
    /// A command is missing.
    Broken,
}

/// The ends of the channels to the agent.
#[derive(Debug)]
pub(crate) struct Channels {
    pub(crate) incoming: Receiver<Incoming>,
    pub(crate) outgoing: UnboundedSender<Vec<u8>>,
    pub(crate) answer: oneshot::Sender<Prepared>,
}

/// Takes part in a run until the coordinator releases the agent, or the lease has lapsed. `clock` is the agent's own.
pub(crate) fn run(prepare: Prepare, shipment: &Shipment, clock: Clock, channels: Channels) {
    let Channels {
        incoming,
        outgoing,
        answer,
    } = channels;
    let Some(clock) = clock.behind_by(prepare.clock_offset) else {
        let kind = RefusalKind::Machine;
        let why = "its clock cannot show the run's time".to_owned();
        let _ = answer.send(Prepared::Refused { kind, why }); // the agent may have ended
        return;
    };
    let lease = prepare.lease.until;
    let mut workers = match start(prepare, shipment, clock) {
        Ok(workers) => workers,
        Err((kind, why)) => {
            let _ = answer.send(Prepared::Refused { kind, why }); // the agent may have ended
            return;
        }
    };
    let ready = Prepared::Ready {
        workers: workers.count(),
    };
    if answer.send(ready).is_ok() {
        obey(&mut workers, clock, lease, (&incoming, &outgoing));
    }
    while let Some(message) = workers.hear(Duration::ZERO) {
        let _ = outgoing.send(message);
    }
    workers.dismiss();
}

type Refusal = (RefusalKind, String);

fn start(prepare: Prepare, shipment: &Shipment, clock: Clock) -> Result<AgentWorkers, Refusal> {
    let lease = prepare.lease.until;
    let config = prepare_shipped(shipment, prepare.settings);
    let config = config.map_err(|why| (kind_of_mistake(&why), why.to_string()))?;
    let workers = AgentWorkers::start(config, clock, lease);
    workers.map_err(|why| (kind_of_error(&why), why.to_string()))
}

/// Passes messages in both directions, until the agent is released.
fn obey(
    workers: &mut AgentWorkers,
    clock: Clock,
    mut lease: Nanos,
    (incoming, outgoing): (&Receiver<Incoming>, &UnboundedSender<Vec<u8>>),
) {
    let mut has_ended_load = false;
    loop {
        while let Ok(incoming) = incoming.try_recv() {
            match incoming {
                Incoming::Command(command) => match workers.obey(&command) {
                    Ok(true) => {}
                    Ok(false) | Err(_) => return,
                },
                Incoming::Lease(renewed) if renewed.until > lease => {
                    lease = renewed.until;
                    workers.renew(lease);
                }
                Incoming::Lease(_) => {}
                Incoming::Broken => return,
            }
        }
        let now = clock.now();
        if now > lease + FAREWELL {
            return;
        }
        // The workers notice this by themselves. A worker that runs `setup` does not.
        if now > lease && !has_ended_load {
            workers.abort();
        }
        has_ended_load = now > lease;
        if let Some(message) = workers.hear(LOOK) {
            let _ = outgoing.send(message); // without a connection, the lease lapses
        }
    }
}

fn kind_of_mistake(error: &PrepareError) -> RefusalKind {
    match error {
        PrepareError::Script(ScriptError::Thrown(_)) => RefusalKind::Script,
        _ => RefusalKind::Usage,
    }
}

fn kind_of_error(error: &RunError) -> RefusalKind {
    match error {
        RunError::Unreachable { fault, .. } if fault.kind == FaultKind::NotAllowed => {
            RefusalKind::Usage
        }
        RunError::Unreachable { .. } | RunError::Endpoint { .. } => RefusalKind::Unreachable,
        RunError::Script(_) => RefusalKind::Script,
        RunError::Usage(_) => RefusalKind::Usage,
        RunError::Generator(_) | RunError::LostAgent { .. } | RunError::NotResumed { .. } => {
            RefusalKind::Machine
        }
    }
}
