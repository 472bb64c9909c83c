mod error;

use std::path::{Path, PathBuf};

use plan::{Options, Overrides, Problem, Problems, with_overrides};
use script::{Bundle, DataStore, Env, NoData, Script};
use url::Url;

use crate::certificates::Certificates;
use crate::clock::Clock;
use crate::config::{RunConfig, RunIdentity};
use crate::program::{Plain, Program, Scenario};
use crate::run_tag::run_tag;
use crate::shipment::{Shipment, ShippedRun};
use crate::sources::check_sources;
use crate::unique_rows;

pub use error::PrepareError;

/// Settings that do not come from the scenario.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Changes to the scenario's options on the command line.
    pub overrides: Overrides,
    /// Number of worker threads; `None`: half of the cores if the target is on this machine, otherwise all cores.
    pub workers: Option<u32>,
    /// Cores to pin the workers to.
    pub cores: Vec<usize>,
    /// Whether the user states that the target is theirs (`--target-is-mine`).
    pub target_is_mine: bool,
    /// The version of the target, for the record.
    pub target_version: Option<String>,
    /// The target's process ID.
    pub target_pid: Option<u32>,
    /// The folder from which the scenario may read files; `None`: the scenario's own folder.
    pub root: Option<PathBuf>,
    /// Environment variables that the scenario may read.
    pub env: Env,
    /// Whether to print each request and message.
    pub trace: bool,
    /// Seed, if neither the scenario nor the command line sets one.
    pub fresh_seed: u64,
}

/// Reads the scenario's options and checks everything that can be checked before the first byte is sent.
pub fn prepare(bundle: Bundle, base: &Path, settings: Settings) -> Result<RunConfig, PrepareError> {
    let data = DataStore::within(base, settings.root.as_deref().unwrap_or(base));
    let clock = Clock::start();
    let declared = Script::declare(&bundle, &data, &settings.env, move || clock.now())?;
    if settings.overrides.one_iteration.is_some() {
        check_full_load(&declared.options, &settings.overrides, &data)?;
    }
    let options_json = with_overrides(declared.options, &settings.overrides);
    let read = Options::from_json(&options_json);
    let options = with_problems(declared.problems, read).map_err(PrepareError::Options)?;
    if let Some(mix) = &options.mix {
        mix.check(&declared.scenarios)
            .map_err(PrepareError::Options)?;
    }
    unique_rows::check(&data.unique_tables(), &options.load).map_err(PrepareError::Unusable)?;
    let program = Program::Scenario(Box::new(Scenario {
        bundle,
        data,
        env: settings.env.clone(),
        audiences: declared.audiences,
        http2: options.http2,
        has_setup: declared.has_setup,
        has_teardown: declared.has_teardown,
    }));
    let root = settings.root.as_deref().unwrap_or(base);
    let certificates = Certificates::read(&options, base, root)?;
    config(program, options, options_json, certificates, settings)
}

/// Prepares an agent's share of a run, whose options the coordinator has checked.
pub fn prepare_shipped(shipment: &Shipment, run: ShippedRun) -> Result<RunConfig, PrepareError> {
    let env = Env::new(run.env);
    let options = Options::from_json(&run.options).map_err(PrepareError::Options)?;
    let program = match run.plain {
        Some(plain) => Program::Plain(Box::new(plain)),
        None => scenario_of(shipment, env.clone(), options.http2)?,
    };
    let settings = Settings {
        workers: run.workers,
        cores: run.cores,
        target_is_mine: run.target_is_mine,
        env,
        fresh_seed: run.seed,
        ..Settings::default()
    };
    let certificates = Certificates::shipped(run.ca_pem);
    let mut config = config(program, options, run.options, certificates, settings)?;
    config.run.id = run.run_id;
    config.seed = run.seed;
    config.run.tag = run_tag(run.seed);
    Ok(config)
}

fn scenario_of(shipment: &Shipment, env: Env, http2: bool) -> Result<Program, PrepareError> {
    let (bundle, data) = (shipment.bundle()?, shipment.data()?);
    let clock = Clock::start();
    let declared = Script::declare(&bundle, &data, &env, move || clock.now())?;
    Ok(Program::Scenario(Box::new(Scenario {
        bundle,
        data,
        env,
        audiences: declared.audiences,
        http2,
        has_setup: declared.has_setup,
        has_teardown: declared.has_teardown,
    })))
}

/// Checks the load and the thresholds that a trace replaces, so that it reports what a run would report. A scenario may
/// have no load yet.
fn check_full_load(
    declared: &serde_json::Value,
    overrides: &Overrides,
    data: &DataStore,
) -> Result<(), PrepareError> {
    if declared.get("load").is_none() {
        return Ok(());
    }
    let overrides = Overrides {
        one_iteration: None,
        duration: None, // that of the trace
        ..overrides.clone()
    };
    let options = with_overrides(declared.clone(), &overrides);
    let options = Options::from_json(&options).map_err(PrepareError::Options)?;
    unique_rows::check(&data.unique_tables(), &options.load).map_err(PrepareError::Unusable)
}

/// Prepares a run without a script.
pub fn prepare_plain(
    plain: Plain,
    options_json: serde_json::Value,
    settings: Settings,
) -> Result<RunConfig, PrepareError> {
    let options = Options::from_json(&options_json).map_err(PrepareError::Options)?;
    plain.check(&options.headers).map_err(|fault| {
        PrepareError::Unusable(format!("the request cannot be sent: {}", fault.detail))
    })?;
    let shared = plain.shared;
    let root = settings.root.as_deref().unwrap_or(Path::new(""));
    let certificates = Certificates::read(&options, Path::new(""), root)?;
    let mut config = config(
        Program::Plain(Box::new(plain)),
        options,
        options_json,
        certificates,
        settings,
    )?;
    if let Some(shared) = shared {
        config.workers = shared.workers(config.workers);
    }
    Ok(config)
}

fn config(
    program: Program,
    options: Options,
    options_json: serde_json::Value,
    certificates: Certificates,
    settings: Settings,
) -> Result<RunConfig, PrepareError> {
    let target = options.target.as_deref().ok_or(PrepareError::NoTarget)?;
    let target = Url::parse(target)
        .map_err(|why| PrepareError::Unusable(format!("target `{target}`: {why}")))?;
    check_sources(&options.source)?;
    let workers = settings.workers.unwrap_or_else(|| default_workers(&target));
    let seed = options.seed.unwrap_or(settings.fresh_seed);
    Ok(RunConfig {
        program,
        options,
        options_json,
        target,
        target_is_mine: settings.target_is_mine,
        workers: workers.max(1),
        cores: settings.cores,
        seed,
        run: RunIdentity {
            tag: run_tag(seed),
            id: run_id(settings.fresh_seed),
            target_version: settings.target_version,
        },
        target_pid: settings.target_pid,
        certificates,
        trace: settings.trace,
    })
}

/// Returns the options if they contain only plain data. Other values arrive as null, so parsing problems at their paths
/// are omitted.
fn with_problems(
    no_data: Vec<NoData>,
    read: Result<Options, Problems>,
) -> Result<Options, Problems> {
    if no_data.is_empty() {
        return read;
    }
    let of_reading = read.err().unwrap_or_default();
    let others = of_reading
        .iter()
        .filter(|problem| no_data.iter().all(|known| known.path != problem.path))
        .cloned()
        .collect::<Vec<_>>();
    let no_data = no_data.into_iter().map(|known| Problem {
        path: known.path,
        message: known.message,
        excerpt: None,
        hint: None,
    });
    Err(no_data.chain(others).collect())
}

/// A target on this machine needs cores too, so half of the cores are left to it.
fn default_workers(target: &Url) -> u32 {
    let cores = std::thread::available_parallelism()
        .map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(1));
    let here = match target.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if here { cores.div_ceil(2) } else { cores }
}

/// A new ID for each run, so that messages of runs with the same seed can be distinguished.
#[expect(clippy::cast_possible_truncation, reason = "any 32 bits will do")]
fn run_id(fresh_seed: u64) -> u32 {
    (fresh_seed ^ (fresh_seed >> 32)) as u32
}
