use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use model::Nanos;
use record::{Agent, AgentLoss};

use super::journal::Entry;
use super::machine::MachineUse;
use super::travel::{Order, Report, What, decode, encode};
use crate::clock::Clock;
use crate::level::{SetupResult, SlotRange};
use crate::messages::{Command, Event, Fatal};
use crate::outcome::RunError;
use crate::stop::Stop;
use crate::workers::{AgentCrew, Heard, LostAgent, Workers};

/// Time that a command to start a level needs to reach all agents.
const LEAD: Nanos = Nanos::from_millis(300);

/// The agents of a run, and the way to them. Agents are numbered from 0, in an order that never changes.
pub trait Fleet: Debug {
    /// The number of agents, including lost ones.
    fn len(&self) -> usize;

    /// Whether the fleet has no agents.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of an agent.
    fn name(&self, agent: usize) -> &str;

    /// The number of workers of an agent.
    fn workers(&self, agent: usize) -> u32;

    /// Sends a message for [`crate::AgentWorkers::obey`].
    fn send(&mut self, agent: usize, message: Vec<u8>);

    /// Stores an entry of the journal, from which another coordinator can resume the run: see [`crate::Stored`].
    fn note(&mut self, entry: Vec<u8>);

    /// Waits up to `patience` for the next message or loss. A lost agent stays lost.
    fn hear(&mut self, patience: Duration) -> FromFleet;

    /// Notes that the run goes on without an agent, whose further messages are ignored.
    fn lose(&mut self, agent: usize, loss: AgentLoss);

    /// Measures the clocks of the agents anew, before and after a level.
    fn synchronise(&mut self);

    /// The largest error of the times of an agent's workers, from the second to last measurement of its clock to the last.
    fn clock_error(&self, agent: usize) -> Nanos;

    /// Converts a time of the run's clock into the time of the clock that the agent's workers use.
    fn time_on(&self, agent: usize, at: Nanos) -> Nanos;

    /// Whether a run continues without an agent that is lost.
    fn continues_without_lost(&self) -> bool;

    /// The agents, for the record.
    fn describe(&self) -> Vec<Agent>;

    /// Releases the agents, so that they can take part in other runs.
    fn release(&mut self);
}

/// What comes from the agents.
#[derive(Debug)]
pub enum FromFleet {
    /// A message of [`crate::AgentWorkers::hear`].
    Message {
        /// The agent.
        agent: usize,
        /// The message.
        message: Vec<u8>,
    },
    /// An agent is lost.
    Lost {
        /// The agent.
        agent: usize,
        /// How it was lost.
        loss: AgentLoss,
    },
    /// Nothing has happened.
    Nothing,
}

/// The workers of all agents, numbered in the order of the agents.
#[derive(Debug)]
pub(crate) struct RemoteWorkers {
    fleet: Box<dyn Fleet>,
    lost: BTreeSet<usize>,
    /// The agents that run the level in progress, or the next one.
    crew: Vec<Part>,
    /// The agents that have the result of `setup`.
    prepared: BTreeSet<usize>,
    /// The figures of the agents' machines in the level in progress, or the last one.
    machines: BTreeMap<usize, MachineUse>,
}

/// An agent's part of the workers.
#[derive(Clone, Copy, Debug)]
struct Part {
    agent: usize,
    /// The number of its first worker.
    first: u32,
    workers: u32,
}

impl RemoteWorkers {
    pub(crate) fn new(fleet: Box<dyn Fleet>) -> Self {
        let mut workers = Self {
            fleet,
            lost: BTreeSet::new(),
            crew: Vec::new(),
            prepared: BTreeSet::new(),
            machines: BTreeMap::new(),
        };
        workers.number();
        workers
    }

    /// Numbers the workers of all agents that are not lost.
    fn number(&mut self) {
        let mut first = 0;
        let agents = (0..self.fleet.len()).filter(|agent| !self.lost.contains(agent));
        let parts = agents.map(|agent| {
            let workers = self.fleet.workers(agent);
            let part = Part {
                agent,
                first,
                workers,
            };
            first += workers;
            part
        });
        self.crew = parts.collect();
    }

    fn part_of(&self, agent: usize) -> Option<Part> {
        self.crew.iter().find(|part| part.agent == agent).copied()
    }

    /// Sends a command to one of an agent's workers, or to all of them.
    fn send(&mut self, part: Part, worker: Option<u32>, command: &Command) {
        if self.lost.contains(&part.agent) {
            return;
        }
        if let Command::Level(plan) = command {
            self.send_setup(part.agent, &plan.setup);
        }
        if let Command::Teardown(setup) = command {
            self.send_setup(part.agent, setup);
        }
        let Some(what) = self.what(part, command) else {
            return;
        };
        self.send_order(part.agent, &Order { worker, what });
    }

    fn send_order(&mut self, agent: usize, order: &Order) {
        if let Ok(message) = encode(order) {
            self.fleet.send(agent, message);
        }
    }

    fn send_setup(&mut self, agent: usize, setup: &Arc<SetupResult>) {
        if self.prepared.insert(agent) {
            let what = What::Prepared(SetupResult::clone(setup));
            self.send_order(agent, &Order { worker: None, what });
        }
    }

    /// A command as it travels. `None` for a command that only threads get.
    fn what(&self, part: Part, command: &Command) -> Option<What> {
        let slots = |all: SlotRange| SlotRange {
            first: part.first,
            ..all
        };
        Some(match command {
            Command::Setup => What::Setup,
            Command::Audience(plan) => What::Audience {
                level: plan.level,
                users: plan.users,
                setup: plan.setup.as_deref().map(str::to_owned),
                slots: slots(plan.slots),
            },
            Command::SettleAudiences(sent) => What::SettleAudiences(sent.to_vec()),
            Command::Level(plan) => What::Level {
                index: plan.index,
                start: self.fleet.time_on(part.agent, plan.start),
                slots: slots(plan.slots),
            },
            Command::Teardown(_) => What::Teardown,
            Command::Snapshot => What::Snapshot,
            Command::EndHold => What::EndHold,
            Command::Abort => What::Abort,
            Command::Exit => What::Exit,
            Command::Lease(_) => return None,
        })
    }

    /// Handles the loss of an agent. Whatever still comes from it is ignored, and its load ends if it can be reached.
    fn lose(&mut self, agent: usize, loss: AgentLoss) -> Heard {
        let part = self.part_of(agent);
        if self.lost.contains(&agent) {
            return Heard::Nothing;
        }
        self.fleet.send(agent, exit_order());
        self.lost.insert(agent);
        self.fleet.lose(agent, loss);
        let name = self.fleet.name(agent).to_owned();
        part.map_or(Heard::Nothing, |part| {
            Heard::Lost(LostAgent {
                name,
                loss,
                workers: part.first..part.first + part.workers,
            })
        })
    }

    fn message(&mut self, agent: usize, message: &[u8]) -> Heard {
        let Some(part) = self.part_of(agent).filter(|_| !self.lost.contains(&agent)) else {
            return Heard::Nothing;
        };
        let name = self.fleet.name(agent);
        match decode(message) {
            Ok(Report::Event(_, Event::Lapsed)) => self.lose(agent, AgentLoss::LeaseLapsed),
            Ok(Report::Event(worker, event)) => Heard::Event(part.first + worker, event),
            Ok(Report::Machine(machine)) => {
                self.machines.insert(agent, machine);
                Heard::Nothing
            }
            Ok(Report::Died(worker)) => Heard::Died(format!("{worker} of agent `{name}`")),
            Err(why) => {
                let why = format!("cannot read a message of agent `{name}`: {why}");
                Heard::Event(part.first, Event::Fatal(Box::new(Fatal::Generator(why))))
            }
        }
    }
}

impl Workers for RemoteWorkers {
    fn len(&self) -> usize {
        self.crew.iter().map(|part| part.workers as usize).sum()
    }

    fn order(&mut self, worker: usize, command: Command) {
        let has = |part: &&Part| {
            let first = part.first as usize;
            (first..first + part.workers as usize).contains(&worker)
        };
        if let Some(&part) = self.crew.iter().find(has) {
            let within = u32::try_from(worker).unwrap_or(u32::MAX) - part.first;
            self.send(part, Some(within), &command);
        }
    }

    fn order_all(&mut self, command: Command) {
        for part in self.crew.clone() {
            self.send(part, None, &command);
        }
    }

    fn hear(&mut self, patience: Duration) -> Heard {
        match self.fleet.hear(patience) {
            FromFleet::Nothing => Heard::Nothing,
            FromFleet::Lost { agent, loss } => self.lose(agent, loss),
            FromFleet::Message { agent, message } => self.message(agent, &message),
        }
    }

    fn begin_level(&mut self) -> Result<(), RunError> {
        self.fleet.synchronise();
        // What has happened since the last level: the loss of an agent, or late events, which nobody waits for.
        loop {
            match self.hear(Duration::ZERO) {
                Heard::Nothing => break,
                Heard::Lost(lost) if !self.continues_without_lost() => {
                    return Err(RunError::LostAgent {
                        name: lost.name,
                        loss: lost.loss,
                    });
                }
                _ => {}
            }
        }
        self.number();
        self.machines.clear();
        if self.crew.is_empty() {
            return Err(RunError::Generator("all agents are lost".to_owned()));
        }
        Ok(())
    }

    fn lead(&self) -> Nanos {
        LEAD
    }

    fn are_here(&self) -> bool {
        false
    }

    fn continues_without_lost(&self) -> bool {
        self.fleet.continues_without_lost()
    }

    fn crew(&self) -> Vec<AgentCrew> {
        let crew = self.crew.iter();
        crew.map(|part| AgentCrew {
            name: self.fleet.name(part.agent).to_owned(),
            workers: part.first..part.first + part.workers,
            machine: self.machines.get(&part.agent).copied().unwrap_or_default(),
        })
        .collect()
    }

    fn note(&mut self, entry: &Entry) {
        if let Ok(entry) = encode(entry) {
            self.fleet.note(entry);
        }
    }

    fn agents(&self) -> Vec<Agent> {
        self.fleet.describe()
    }

    fn clock_error(&mut self) -> Option<Nanos> {
        self.fleet.synchronise();
        let agents = self.crew.iter().map(|part| part.agent);
        let mut errors: Vec<Nanos> = agents.map(|agent| self.fleet.clock_error(agent)).collect();
        errors.sort_unstable();
        match errors.as_slice() {
            // The worst case: a sender and a receiver on the agents with the largest errors.
            [.., second, first] => Some(*second + *first),
            _ => None,
        }
    }

    /// Dropping releases the agents.
    fn dismiss(self: Box<Self>, _: &Stop, _: Clock) {}
}

impl Drop for RemoteWorkers {
    fn drop(&mut self) {
        self.order_all(Command::Exit);
        self.fleet.release();
    }
}

/// The order by which an agent leaves a run.
pub fn exit_order() -> Vec<u8> {
    let what = What::Exit;
    encode(&Order { worker: None, what }).unwrap_or_default() // a constant, so it can be encoded
}
