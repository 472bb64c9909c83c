//! Runs a scenario on a fleet.

use std::env::current_exe;

use engine::{Clock, RunConfig};
use fleet::{Agents, FleetOptions, LocalFleet, assemble};

use crate::args::{FleetPlace, LostAgent, RunArgs};
use crate::screen::say;

/// The agents of a run. Those on this machine end when this is dropped.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) agents: Agents,
    pub(crate) local: Option<LocalFleet>,
}

/// Finds or starts the agents, and prepares them. `None` if the run needs no agents.
pub(crate) fn prepare(
    RunArgs {
        fleet: args,
        generator,
        screen,
        ..
    }: &RunArgs,
    config: &RunConfig,
    clock: Clock,
) -> anyhow::Result<Option<Fleet>> {
    let Some(place) = &args.fleet else {
        return Ok(None);
    };
    let (local, nats, agents) = match place {
        FleetPlace::Nats(url) => (None, url.clone(), args.agents.map(|agents| agents as usize)),
        FleetPlace::Local(agents) => {
            let local = LocalFleet::start(&current_exe()?, *agents, generator.target_is_mine)?;
            let nats = local.nats();
            (Some(local), nats, Some(*agents))
        }
    };
    let options = FleetOptions {
        nats,
        token: args.credentials.nats_token.clone(),
        agents,
        workers: generator.workers,
        continues_without_lost: args.lost_agent == LostAgent::Continue,
    };
    let agents = assemble(config, clock, &options)?;
    if screen.quiet {
        return Ok(Some(Fleet { agents, local }));
    }
    let named = agents.named();
    let named: Vec<String> = named
        .map(|(name, workers)| format!("{name} ({workers})"))
        .collect();
    say(&format!("agents, with their workers: {}", named.join(", ")));
    Ok(Some(Fleet { agents, local }))
}
