//! The fleet on which a command runs its load.

mod note;

use std::env::current_exe;
use std::path::Path;

use engine::{Clock, Fleet as _, Notice, Outcome, RunConfig, Stop};
use fleet::{Agents, FleetOptions, LocalFleet, NatsAccess, assemble, forget_runs};

pub(crate) use note::read as noted_runs;

use crate::args::{FleetArgs, FleetPlace, GeneratorArgs, LostAgent};
use crate::screen::say;

/// The fleet of a command. Its agents on this machine end when this is dropped.
#[derive(Debug)]
pub(crate) struct Fleet {
    options: FleetOptions,
    local: Option<LocalFleet>,
    quiet: bool,
}

impl Fleet {
    /// Starts the agents of a fleet on this machine. `None` if the command runs without a fleet.
    pub(crate) fn open(
        args: &FleetArgs,
        generator: &GeneratorArgs,
        quiet: bool,
    ) -> anyhow::Result<Option<Self>> {
        let Some(place) = &args.fleet else {
            return Ok(None);
        };
        let (local, nats, agents) = match place {
            FleetPlace::Nats(url) => {
                let nats = args.credentials.access(url.clone());
                (None, nats, args.agents.map(|agents| agents as usize))
            }
            FleetPlace::Local(agents) => {
                let local = LocalFleet::start(&current_exe()?, *agents, generator.target_is_mine)?;
                let nats = NatsAccess::to(local.nats());
                (Some(local), nats, Some(*agents))
            }
        };
        let options = FleetOptions {
            nats,
            agents,
            workers: generator.workers,
            weights: args.weights.iter().cloned().collect(),
            continues_without_lost: args.lost_agent == LostAgent::Continue,
            keeps_messages: false,
        };
        Ok(Some(Self {
            options,
            local,
            quiet,
        }))
    }

    /// Finds free agents, and prepares them for a run. `clock` is the run's clock. Further runs have as many agents,
    /// unless they may continue without a lost one.
    pub(crate) fn assemble(&mut self, config: &RunConfig, clock: Clock) -> anyhow::Result<Agents> {
        let agents = assemble(config, clock, &self.options)?;
        if !self.options.continues_without_lost {
            self.options.agents = Some(agents.len());
        }
        if !std::mem::replace(&mut self.quiet, true) {
            let named = agents.named();
            let named: Vec<String> = named
                .map(|(name, workers)| format!("{name} ({workers})"))
                .collect();
            say(&format!("agents, with their workers: {}", named.join(", ")));
        }
        Ok(agents)
    }

    /// Lets the NATS server keep the messages of runs until [`Fleet::forget`]. The server of a local fleet ends with this
    /// process, so there is nothing to keep.
    pub(crate) fn keeping(mut self) -> Self {
        self.options.keeps_messages = self.local.is_none();
        self
    }

    /// Deletes what the NATS server and the folder have for resuming the run, whose record is saved.
    pub(crate) fn forget(&self, folder: &Path) {
        if !self.options.keeps_messages {
            return;
        }
        let forgotten = note::read(folder).map(|runs| forget_runs(&self.options.nats, &runs));
        if let Ok(Err(why)) = forgotten {
            say(&format!(
                "warning: {why}; the server deletes them after a day"
            ));
        }
        note::remove(folder);
    }
}

/// Opens the fleet of a command with one run, and prepares its agents. If there is a folder, the run can be resumed from
/// there until [`Fleet::forget`].
pub(crate) fn prepare(
    (args, generator): (&FleetArgs, &GeneratorArgs),
    quiet: bool,
    config: &RunConfig,
    clock: Clock,
    folder: Option<&Path>,
) -> anyhow::Result<(Option<Fleet>, Option<Agents>)> {
    let mut fleet = Fleet::open(args, generator, quiet)?;
    if folder.is_some() {
        fleet = fleet.map(Fleet::keeping);
    }
    let keeps = |fleet: &Fleet| fleet.options.keeps_messages;
    let folder = folder.filter(|_| fleet.as_ref().is_some_and(keeps));
    let agents = fleet.as_mut().map(|fleet| fleet.assemble(config, clock));
    let agents: Option<Agents> = agents.transpose()?;
    if let (Some(agents), Some(folder)) = (&agents, folder) {
        note::add(folder, agents.run())?;
    }
    Ok((fleet, agents))
}

/// Runs the load on these agents or, without any, on threads of this process.
pub(crate) fn run_on(
    agents: Option<Agents>,
    config: RunConfig,
    clock: Clock,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice),
) -> Outcome {
    match agents {
        None => engine::run(config, clock, stop, tell),
        Some(agents) => engine::run_on_fleet(config, clock, stop, Box::new(agents), tell),
    }
}
