use std::sync::Arc;
use std::time::Duration;

use model::Nanos;

use super::machine::MachineWatch;
use super::travel::{Order, Report, What, decode, encode};
use crate::audience::AudiencePlan;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::level::{LevelPlan, SetupResult, plans};
use crate::messages::{Command, Event};
use crate::outcome::RunError;
use crate::starting::{start_threads, tls_of};
use crate::stop::Stop;
use crate::threads::Threads;
use crate::workers::{Heard, Workers};

/// Bytes per second that a worker's copies of its measurements may take on the way to the coordinator.
const COPIES_PER_S: u64 = 20_000;

/// The workers of an agent, which obey the coordinator of a fleet.
#[derive(Debug)]
pub struct AgentWorkers {
    threads: Box<Threads>,
    config: Arc<RunConfig>,
    clock: Clock,
    setup: Arc<SetupResult>,
    /// For each worker, the time from which its next copy is sent.
    next_copy: Vec<Nanos>,
    /// Measures the machine in the level in progress.
    machine: Option<MachineWatch>,
    /// A message that follows the last one at once.
    next: Option<Vec<u8>>,
    /// Whether the death of a worker was reported. A dead thread is found again and again.
    has_reported_death: bool,
}

impl AgentWorkers {
    /// Checks that the target can be reached, and starts the workers. They report by themselves when they are ready.
    /// `clock` shows the run's time, as far as it is known.
    pub fn start(config: RunConfig, clock: Clock, lease: Nanos) -> Result<Self, RunError> {
        let config = Arc::new(config);
        let threads = start_threads(&config, &tls_of(&config)?, clock)?;
        let mut workers = Self {
            next_copy: vec![Nanos::ZERO; threads.len()],
            threads: Box::new(threads),
            config,
            clock,
            setup: Arc::default(),
            machine: None,
            next: None,
            has_reported_death: false,
        };
        workers.renew(lease);
        Ok(workers)
    }

    /// The number of workers.
    pub fn count(&self) -> u32 {
        u32::try_from(self.threads.len()).unwrap_or(u32::MAX)
    }

    /// Extends the lease. Load that has ended because the lease had lapsed does not resume.
    pub fn renew(&mut self, until: Nanos) {
        self.threads.order_all(Command::Lease(until));
    }

    /// Ends all load at once. The workers report what they have measured.
    pub fn abort(&mut self) {
        self.cut_short();
        self.threads.order_all(Command::Abort);
    }

    /// Obeys a message of [`crate::Fleet::send`]. Returns false if the workers are to end.
    pub fn obey(&mut self, message: &[u8]) -> Result<bool, String> {
        let Order { worker, what } = decode(message)?;
        let command = match what {
            What::Exit => return Ok(false),
            What::Prepared(setup) => {
                self.setup = Arc::new(setup);
                return Ok(true);
            }
            What::Setup => Command::Setup,
            What::Audience {
                level,
                users,
                setup,
                slots,
            } => Command::Audience(Arc::new(AudiencePlan {
                level,
                users,
                setup: setup.map(Into::into),
                slots,
            })),
            What::SettleAudiences(sent) => Command::SettleAudiences(Arc::new(sent)),
            What::Level {
                index,
                start,
                slots,
            } => {
                let plan = self.plan(index);
                let plan = plan.ok_or_else(|| format!("the plan has no level {index}"))?;
                let plan = LevelPlan {
                    start,
                    slots,
                    ..plan
                };
                self.machine = Some(MachineWatch::begin_level(plan.hold()));
                Command::Level(Arc::new(plan))
            }
            What::Teardown => Command::Teardown(Arc::clone(&self.setup)),
            What::Snapshot => Command::Snapshot,
            What::EndHold => {
                self.cut_short();
                Command::EndHold
            }
            What::Abort => {
                self.cut_short();
                Command::Abort
            }
        };
        match worker {
            None => self.threads.order_all(command),
            Some(worker) if (worker as usize) < self.threads.len() => {
                self.threads.order(worker as usize, command);
            }
            Some(worker) => return Err(format!("there is no worker {worker}")),
        }
        Ok(true)
    }

    fn cut_short(&mut self) {
        let now = self.clock.now();
        if let Some(machine) = &mut self.machine {
            machine.cut_short(now);
        }
    }

    fn plan(&self, index: u32) -> Option<LevelPlan> {
        let options = &self.config.options;
        let plans = plans(
            &options.load,
            &options.grouping,
            options.settle,
            &self.setup,
        );
        plans.into_iter().nth(index as usize)
    }

    /// Waits up to `patience` for the next message to the coordinator.
    pub fn hear(&mut self, patience: Duration) -> Option<Vec<u8>> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        if let Some(machine) = &mut self.machine {
            machine.watch(self.clock.now());
        }
        let (worker, report) = loop {
            let (worker, report) = match self.threads.hear(patience) {
                Heard::Event(worker, event) => (worker, Report::Event(worker, event)),
                Heard::Died(name) if !self.has_reported_death => {
                    self.has_reported_death = true;
                    (0, Report::Died(name))
                }
                Heard::Died(_) | Heard::Nothing | Heard::Lost(_) => return None,
            };
            let next_copy = self.next_copy.get(worker as usize);
            let is_too_early = next_copy.is_some_and(|&next| self.clock.now() < next);
            if !(is_copy(&report) && is_too_early) {
                break (worker, report);
            }
        };
        let now = self.clock.now();
        let message = encode(&report).ok()?;
        let is_end = matches!(report, Report::Event(_, Event::LevelDone(_)));
        if let Some(machine) = self.machine.take_if(|_| is_end) {
            self.next = Some(message);
            return encode(&Report::Machine(machine.end(now))).ok();
        }
        if let Some(next) = self
            .next_copy
            .get_mut(worker as usize)
            .filter(|_| is_copy(&report))
        {
            *next = now + Nanos(message.len() as u64 * 1_000_000_000 / COPIES_PER_S);
        }
        Some(message)
    }

    /// Ends the workers.
    pub fn dismiss(self) {
        self.threads.dismiss(&Stop::default(), self.clock);
    }
}

fn is_copy(report: &Report) -> bool {
    matches!(report, Report::Event(_, Event::Copy(_)))
}
