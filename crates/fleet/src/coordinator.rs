//! The coordinator: it finds agents, prepares them, renews their lease, and carries messages between them and control.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc;
use std::time::Duration;

use async_nats::{Client, Request};
use bytes::Bytes;
use engine::{Clock, Fleet, FromFleet, RunConfig, ShippedRun, exit_order};
use futures_util::future::join_all;
use model::Nanos;
use record::Agent;
use tokio::runtime::Runtime;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::access::NatsAccess;
use crate::bundle;
use crate::clock::{MANY, TrackedClock, measure, offset};
use crate::collect::Collector;
use crate::error::FleetError;
use crate::inbox::Inbox;
use crate::lease::{EVERY, VALID};
use crate::membership;
use crate::nats::Link;
use crate::outbox::Outbox;
use crate::protocol::{self, Lease, Member, Prepare, Prepared, decode, encode};

/// Time limit for an agent to load the scenario and start its workers.
const PREPARE_LIMIT: Duration = Duration::from_mins(1);
/// Time limit for the last commands to reach the server.
const RELEASE_LIMIT: Duration = Duration::from_secs(2);

/// The settings of a run on a fleet.
#[derive(Clone, Debug, Default)]
pub struct FleetOptions {
    /// The NATS server.
    pub nats: NatsAccess,
    /// Number of agents; `None`: all that are free.
    pub agents: Option<usize>,
    /// Number of workers of each agent; `None`: each agent decides.
    pub workers: Option<u32>,
    /// The numbers of workers of single agents, by name. An agent's share of the load is proportional to its workers.
    pub weights: BTreeMap<String, u32>,
    /// Whether the run continues without an agent that is lost.
    pub continues_without_lost: bool,
    /// Whether the server keeps the messages of the run after its end, until [`crate::forget_runs`]. Otherwise they are
    /// deleted at its end.
    pub keeps_messages: bool,
}

/// The agents of a run, prepared and ready for it.
#[derive(Debug)]
pub struct Agents {
    runtime: Runtime,
    link: Link,
    run: String,
    clock: Clock,
    members: Vec<PreparedAgent>,
    collector: Collector,
    /// The task that renews the lease.
    renewing: AbortHandle,
    journal: Option<Outbox>,
    continues_without_lost: bool,
    keeps_messages: bool,
}

/// An agent that takes part in the run.
#[derive(Debug)]
struct PreparedAgent {
    member: Member,
    workers: u32,
    clock: TrackedClock,
    commands: Outbox,
}

/// Finds free agents and prepares them for a run. `clock` is the run's clock.
pub fn assemble(
    config: &RunConfig,
    clock: Clock,
    options: &FleetOptions,
) -> Result<Agents, FleetError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let random = || getrandom::u64().map_err(std::io::Error::from);
    let run = format!("{:016x}{:016x}", random()?, random()?);
    let (shipment, settings) = config.ship()?;
    let (link, members, frames, renewing, journal) = runtime.block_on(async {
        let link = Link::open(&options.nats, "coordinator").await?;
        let found = membership::find(&link.members().await?, options.agents).await?;
        let found = match options.agents {
            Some(_) => found,
            None => answering(&link, clock, found).await?,
        };
        check_weights(&options.weights, &found)?;
        let bundle = bundle::store(&link.bundles().await?, &shipment).await?;
        let frames = collect(&link, &run, &found).await?;
        let renewing = tokio::spawn(renew(link.client.clone(), run.clone(), clock));
        let renewing = renewing.abort_handle();
        let order = RunOrder {
            run: &run,
            bundle: &bundle,
            settings: &settings,
        };
        let prepared = found.into_iter().map(|member| {
            let workers = options.weights.get(&member.name).copied();
            prepare(&link, clock, &order, workers.or(options.workers), member)
        });
        let (prepared, refused): (Vec<_>, Vec<_>) = join_all(prepared)
            .await
            .into_iter()
            .partition(Result::is_ok);
        let prepared = prepared.into_iter().flatten().collect();
        if let Some(Err(why)) = refused.into_iter().next() {
            dismiss(&link, &run, prepared).await;
            return Err(why);
        }
        let journal = Outbox::open(&link, protocol::journal(&run));
        Ok::<_, FleetError>((link, prepared, frames, renewing, journal))
    })?;
    Ok(Agents {
        collector: Collector::new(clock, frames, members.len()),
        runtime,
        link,
        run,
        clock,
        members,
        renewing,
        journal: Some(journal),
        continues_without_lost: options.continues_without_lost,
        keeps_messages: options.keeps_messages,
    })
}

/// Lets the agents go that were prepared for a run, because others refuse.
async fn dismiss(link: &Link, run: &str, agents: Vec<PreparedAgent>) {
    let commands = agents.into_iter().map(|agent| {
        agent.commands.send(exit_order());
        agent.commands.close(RELEASE_LIMIT)
    });
    join_all(commands).await;
    // What remains is deleted after a day.
    let _ = timeout(RELEASE_LIMIT, link.forget(run)).await;
}

/// What all agents of a run are told.
#[derive(Debug)]
struct RunOrder<'a> {
    run: &'a str,
    bundle: &'a str,
    settings: &'a ShippedRun,
}

/// The agents that are still there. One that was killed is listed until its entry expires.
async fn answering(
    link: &Link,
    clock: Clock,
    found: Vec<Member>,
) -> Result<Vec<Member>, FleetError> {
    let first = found.first().map(|member| member.name.clone());
    let asked = found.into_iter().map(|member| async move {
        let exchanges = measure(&link.client, clock, &member, 1).await;
        (!exchanges.is_empty()).then_some(member)
    });
    let there: Vec<Member> = join_all(asked).await.into_iter().flatten().collect();
    match first {
        Some(name) if there.is_empty() => Err(FleetError::NoAnswer { name }),
        _ => Ok(there),
    }
}

/// Checks that each agent with a weight takes part.
fn check_weights(weights: &BTreeMap<String, u32>, agents: &[Member]) -> Result<(), FleetError> {
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    match weights.keys().find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(FleetError::NoSuchAgent {
            name: name.clone(),
            agents: names.join(", "),
        }),
    }
}

/// Begins to receive the frames of all agents.
async fn collect(
    link: &Link,
    run: &str,
    agents: &[Member],
) -> Result<mpsc::Receiver<(usize, Bytes)>, FleetError> {
    let (sender, frames) = mpsc::channel();
    let events = Inbox::open(link, protocol::events(run, "*")).await?;
    let subjects = agents
        .iter()
        .map(|member| protocol::events(run, &member.name));
    let numbers = subjects.zip(0..).collect();
    tokio::spawn(pass_on(events, numbers, sender));
    Ok(frames)
}

/// Passes frames on, each with the number of the agent that has this subject.
async fn pass_on(
    mut events: Inbox,
    numbers: HashMap<String, usize>,
    frames: mpsc::Sender<(usize, Bytes)>,
) {
    loop {
        let event = events.next().await;
        let Some(&number) = numbers.get(event.subject.as_str()) else {
            continue;
        };
        if frames.send((number, event.payload)).is_err() {
            return;
        }
    }
}

fn lease_from(now: Nanos) -> Lease {
    Lease { until: now + VALID }
}

/// Renews the lease of all agents again and again.
async fn renew(client: Client, run: String, clock: Clock) {
    loop {
        if let Ok(lease) = encode(&lease_from(clock.now())) {
            let _ = client.publish(protocol::lease(&run), lease).await; // the next renewal follows soon
        }
        sleep(EVERY).await;
    }
}

/// Measures an agent's clock, and waits until the agent is ready.
async fn prepare(
    link: &Link,
    clock: Clock,
    order: &RunOrder<'_>,
    workers: Option<u32>,
    member: Member,
) -> Result<PreparedAgent, FleetError> {
    let silent = || FleetError::NoAnswer {
        name: member.name.clone(),
    };
    let exchanges = measure(&link.client, clock, &member, MANY).await;
    let offset = offset(&exchanges).ok_or_else(silent)?;
    let prepare = Prepare {
        run: order.run.to_owned(),
        incarnation: member.incarnation,
        bundle: order.bundle.to_owned(),
        settings: ShippedRun {
            workers,
            ..order.settings.clone()
        },
        clock_offset: offset.offset().0,
        lease: lease_from(clock.now()),
    };
    let payload = encode(&prepare).map_err(FleetError::nats("prepare the agents"))?;
    let request = Request::new().payload(payload).timeout(Some(PREPARE_LIMIT));
    let subject = protocol::prepare(&member.name);
    let answer = link.client.send_request(subject, request);
    let answer = answer.await.map_err(|_| silent())?;
    match decode(&answer.payload).map_err(FleetError::nats("prepare the agents"))? {
        Prepared::Ready { workers } => Ok(PreparedAgent {
            workers,
            clock: TrackedClock::watch(link.client.clone(), clock, member.clone(), offset),
            commands: Outbox::open(link, protocol::commands(order.run, &member.name)),
            member,
        }),
        Prepared::Refused { kind, why } => Err(FleetError::Refused {
            name: member.name,
            kind,
            why,
        }),
    }
}

impl Agents {
    /// The names of the agents, and their numbers of workers.
    pub fn named(&self) -> impl Iterator<Item = (&str, u32)> {
        let agents = self.members.iter();
        agents.map(|agent| (agent.member.name.as_str(), agent.workers))
    }

    /// The name of the run on the NATS server.
    pub fn run(&self) -> &str {
        &self.run
    }
}

impl Fleet for Agents {
    fn len(&self) -> usize {
        self.members.len()
    }

    fn name(&self, agent: usize) -> &str {
        self.members
            .get(agent)
            .map_or("", |agent| &agent.member.name)
    }

    fn workers(&self, agent: usize) -> u32 {
        self.members.get(agent).map_or(0, |agent| agent.workers)
    }

    fn send(&mut self, agent: usize, message: Vec<u8>) {
        if let Some(agent) = self.members.get(agent) {
            agent.commands.send(message);
        }
    }

    fn note(&mut self, entry: Vec<u8>) {
        if let Some(journal) = &self.journal {
            journal.send(entry);
        }
    }

    fn hear(&mut self, patience: Duration) -> FromFleet {
        self.collector.hear(patience)
    }

    fn lose(&mut self, agent: usize, loss: record::AgentLoss) {
        self.collector.lose(agent, loss);
    }

    fn synchronise(&mut self) {
        let (client, clock) = (&self.link.client, self.clock);
        let collector = &self.collector;
        let agents = self.members.iter().enumerate();
        let measured = agents.map(|(number, agent)| async move {
            if collector.loss_of(number).is_none() {
                let exchanges = measure(client, clock, &agent.member, MANY).await;
                agent.clock.mark(&exchanges);
            }
        });
        self.runtime.block_on(join_all(measured));
    }

    fn clock_error(&self, agent: usize) -> Nanos {
        let agent = self.members.get(agent);
        agent.map_or(Nanos::ZERO, |agent| agent.clock.error())
    }

    fn time_on(&self, agent: usize, at: Nanos) -> Nanos {
        let agent = self.members.get(agent);
        let drifted = agent.map_or(0, |agent| agent.clock.drifted());
        Nanos(at.0.saturating_add_signed(drifted))
    }

    fn continues_without_lost(&self) -> bool {
        self.continues_without_lost
    }

    fn describe(&self) -> Vec<Agent> {
        let agents = self.members.iter().enumerate();
        let describe = |(number, agent): (usize, &PreparedAgent)| Agent {
            name: agent.member.name.clone(),
            version: agent.member.version.clone(),
            cores: agent.member.cores,
            memory_mb: agent.member.memory_mb,
            workers: agent.workers,
            clock: Some(agent.clock.to_record(&agent.member.started_at)),
            lost: self.collector.loss_of(number),
        };
        agents.map(describe).collect()
    }

    fn release(&mut self) {
        let commands = self.members.drain(..).map(|agent| agent.commands);
        let outboxes = commands.chain(self.journal.take());
        let closed = join_all(outboxes.map(|outbox| outbox.close(RELEASE_LIMIT)));
        self.runtime.block_on(async {
            closed.await; // without a connection, the leases lapse
            self.renewing.abort();
            if !self.keeps_messages {
                // What remains is deleted after a day.
                let _ = timeout(RELEASE_LIMIT, self.link.forget(&self.run)).await;
            }
        });
    }
}
