use std::path::Path;

use engine::{RunConfig, Settings, prepare};
use plan::Overrides;
use script::{Bundle, Env};

use crate::args::RunArgs;
use crate::command::generator::generator_settings;
use crate::env;
use crate::screen;

/// Reads the scenario, and applies the options of the command line.
pub(super) fn configure(args: &RunArgs, fresh_seed: u64) -> anyhow::Result<(RunConfig, Env)> {
    let base = args.scenario.parent().unwrap_or(Path::new(""));
    let root = args.root.as_deref().unwrap_or(base);
    let bundle = Bundle::read_within(&args.scenario, root).map_err(engine::PrepareError::from)?;
    let settings = Settings {
        fresh_seed,
        ..settings(args)?
    };
    let env = settings.env.clone();
    screen::hide(env.hidden());
    Ok((prepare(bundle, base, settings)?, env))
}

fn settings(args: &RunArgs) -> anyhow::Result<Settings> {
    let overrides = Overrides {
        target: args.target.clone(),
        users: args.users.clone(),
        rate: args.rate.clone(),
        duration: args.duration.clone(),
        ramp: args.ramp.clone(),
        warmup: args.warmup.clone(),
        no_repeat: args.no_repeat,
        seed: args.seed,
        metrics: args.watch_metrics.clone(),
        source: args.generator.source.clone(),
        one_iteration: args.trace.then(|| limit_of_trace(args)),
        ..Overrides::default()
    };
    Ok(Settings {
        root: args.root.clone(),
        env: env::passed(&args.env)?,
        trace: args.trace,
        ..generator_settings(&args.generator, overrides)?
    })
}

/// The time limit of a traced iteration, which ends calls of `stay`.
fn limit_of_trace(args: &RunArgs) -> String {
    const DEFAULT: &str = "5s";
    args.duration.clone().unwrap_or_else(|| DEFAULT.to_owned())
}
