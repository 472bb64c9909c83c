//! The fleet on which a command runs its load.

use std::env::current_exe;

use engine::{Clock, Fleet as _, Notice, Outcome, RunConfig, Stop};
use fleet::{Agents, FleetOptions, LocalFleet, NatsAccess, assemble};

use crate::args::{FleetArgs, FleetPlace, GeneratorArgs, LostAgent};
use crate::screen::say;

/// The fleet of a command. Its agents on this machine end when this is dropped.
#[derive(Debug)]
pub(crate) struct Fleet {
    options: FleetOptions,
    _local: Option<LocalFleet>,
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
        };
        Ok(Some(Self {
            options,
            _local: local,
            quiet,
        }))
    }

    /// Finds free agents, and prepares them for a run. `clock` is the run's clock. Further runs have as many agents.
    pub(crate) fn assemble(&mut self, config: &RunConfig, clock: Clock) -> anyhow::Result<Agents> {
        let agents = assemble(config, clock, &self.options)?;
        self.options.agents = Some(agents.len());
        if !std::mem::replace(&mut self.quiet, true) {
            let named = agents.named();
            let named: Vec<String> = named
                .map(|(name, workers)| format!("{name} ({workers})"))
                .collect();
            say(&format!("agents, with their workers: {}", named.join(", ")));
        }
        Ok(agents)
    }
}

/// Opens the fleet of a command with one run, and prepares its agents.
pub(crate) fn prepare(
    (args, generator): (&FleetArgs, &GeneratorArgs),
    quiet: bool,
    config: &RunConfig,
    clock: Clock,
) -> anyhow::Result<(Option<Fleet>, Option<Agents>)> {
    let mut fleet = Fleet::open(args, generator, quiet)?;
    let agents = fleet.as_mut().map(|fleet| fleet.assemble(config, clock));
    let agents = agents.transpose()?;
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
