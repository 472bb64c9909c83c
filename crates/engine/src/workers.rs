use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

use record::{Agent, AgentLoss};

use crate::clock::Clock;
use crate::messages::{Command, Event};
use crate::outcome::RunError;
use crate::remote::{Entry, MachineUse};
use crate::stop::Stop;
use model::Nanos;

/// Maximum time between two checks of control.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// The workers of a run, as seen by control: threads of this process, or of the agents of a fleet.
pub(crate) trait Workers: Debug {
    /// The number of workers that run the next level, or the level in progress. Workers are numbered from 0.
    fn len(&self) -> usize;

    /// Sends a command to one worker.
    fn order(&mut self, worker: usize, command: Command);

    /// Sends a command to all workers.
    fn order_all(&mut self, command: Command) {
        for worker in 0..self.len() {
            self.order(worker, command.clone());
        }
    }

    /// Waits up to `patience` for the next event.
    fn hear(&mut self, patience: Duration) -> Heard;

    /// Prepares the next level: lost agents take no part in it, so the workers are numbered anew.
    fn begin_level(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    /// Time that a command to start a level needs to reach all workers.
    fn lead(&self) -> Nanos {
        Nanos::from_millis(10)
    }

    /// Whether the workers are threads of this process.
    fn are_here(&self) -> bool {
        true
    }

    /// Whether a run continues without an agent that is lost.
    fn continues_without_lost(&self) -> bool {
        false
    }

    /// The agents that run the level in progress; empty if the workers are threads of this process.
    fn crew(&self) -> Vec<AgentCrew> {
        Vec::new()
    }

    /// The agents of the fleet, for the record; empty if the workers are threads of this process.
    fn agents(&self) -> Vec<Agent> {
        Vec::new()
    }

    /// Notes how far the run has come, so that it can be resumed. Without a fleet, it ends with this process.
    fn note(&mut self, _: &Entry) {}

    /// The largest error of latencies between users on different machines, in the level that has ended. `None` if all
    /// workers are on one machine.
    fn clock_error(&mut self) -> Option<Nanos> {
        None
    }

    /// Ends the workers.
    fn dismiss(self: Box<Self>, stop: &Stop, clock: Clock);
}

/// Result of waiting for an event.
#[derive(Debug)]
pub(crate) enum Heard {
    /// An event of the worker with this number.
    Event(u32, Event),
    Nothing,
    /// A worker's thread ended without a command.
    Died(String),
    /// An agent is lost, with all of its workers.
    Lost(LostAgent),
}

/// An agent, and its workers by their numbers in the level in progress.
#[derive(Clone, Debug)]
pub(crate) struct AgentCrew {
    pub(crate) name: String,
    pub(crate) workers: Range<u32>,
    /// The figures of its machine, once it has finished the level.
    pub(crate) machine: MachineUse,
}

/// An agent that takes no further part in the run.
#[derive(Clone, Debug)]
pub(crate) struct LostAgent {
    pub(crate) name: String,
    pub(crate) loss: AgentLoss,
    /// The agent's workers, by their numbers in the level in progress.
    pub(crate) workers: Range<u32>,
}

/// The agents of the whole run. `earlier` are those of the part that was interrupted, if it was.
pub(crate) fn all_agents(workers: &dyn Workers, earlier: &[Agent]) -> Vec<Agent> {
    let now = workers.agents();
    let is_back = |agent: &&Agent| now.iter().any(|other| other.name == agent.name);
    let gone = earlier.iter().filter(|agent| !is_back(agent)).cloned();
    gone.chain(now.iter().cloned()).collect()
}
