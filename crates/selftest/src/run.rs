use std::path::{Path, PathBuf};

use engine::{Clock, Stop, prepare};
use launch::System;
use model::Nanos;
use script::Bundle;

use crate::compare::Rows;
use crate::evidence::{Evidence, SelftestError};
use crate::outcome::{Outcome, PartOutcome};
use crate::parts::{PARTS, Part};
use crate::tell;

/// What the caller decides.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program that serves the truth: `EXE serve truth`.
    pub exe: PathBuf,
    /// Seed of all random choices.
    pub seed: u64,
    /// Cores for the server; empty: any.
    pub system_cores: Vec<usize>,
    /// Cores for the generator; empty: any.
    pub generator_cores: Vec<usize>,
    /// Deliveries of the part that counts them, at least.
    pub deliveries: u64,
    /// The parts to run; empty: all.
    pub only: Vec<String>,
    /// Flags of the server: what it lies about, in tests.
    pub server_flags: Vec<String>,
}

/// What is worth telling while it is on.
#[derive(Debug)]
pub enum Notice<'a> {
    /// A part begins.
    Part {
        /// From 1.
        number: usize,
        /// How many there are.
        parts: usize,
        /// What it is about.
        title: &'a str,
    },
    /// From the part's run.
    Run(engine::Notice),
}

/// The names of all parts.
pub(crate) fn names() -> Vec<&'static str> {
    PARTS.iter().map(|part| part.name).collect()
}

/// Proves the measurements on this machine, in under a minute. A stop ends it after the part that is on.
pub fn selftest(
    settings: &Settings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Outcome, SelftestError> {
    let known = names();
    if let Some(name) = settings
        .only
        .iter()
        .find(|name| !known.contains(&name.as_str()))
    {
        return Err(SelftestError::Unknown(name.clone(), known.join(", ")));
    }
    let wanted = |part: &&Part| {
        settings.only.is_empty() || settings.only.iter().any(|name| name == part.name)
    };
    let parts: Vec<&Part> = PARTS.iter().filter(wanted).collect();
    let mut outcome = Outcome::default();
    for (part, number) in parts.iter().zip(1..) {
        if stop.asked() > 0 {
            break;
        }
        tell(Notice::Part {
            number,
            parts: parts.len(),
            title: part.title,
        });
        let found = run(part, settings, stop, tell)?;
        if stop.asked() == 0 {
            outcome.parts.push(judge(part, &found));
        }
    }
    Ok(outcome)
}

fn judge(part: &Part, found: &Evidence) -> PartOutcome {
    let mut rows = Rows::default();
    (part.judge)(found, &mut rows);
    let disturbance = found.disturbance();
    let is_excuse = rows.disturbed(disturbance.share);
    let is_told = is_excuse || disturbance.is_complete();
    PartOutcome {
        name: part.name,
        title: part.title,
        rows: rows.0,
        disturbance: is_told.then_some(disturbance.why),
    }
}

fn run(
    part: &Part,
    settings: &Settings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Evidence, SelftestError> {
    let name = part.name;
    let system = System::start(
        &settings.exe,
        "truth",
        &settings.server_flags,
        &settings.system_cores,
    )?;
    let prepared = |why| SelftestError::Prepare { part: name, why };
    let bundle = Bundle::embedded(part.file, part.source).map_err(|why| prepared(why.into()))?;
    let hold = part.deliveries_per_s.map(|per_s| {
        let seconds = settings.deliveries.div_ceil(per_s).max(1);
        format!("{seconds}s")
    });
    let overrides = plan::Overrides {
        target: Some(system.url().to_owned()),
        seed: Some(settings.seed),
        hold,
        ..Default::default()
    };
    let run_settings = engine::Settings {
        overrides,
        workers: Some(1),
        cores: settings.generator_cores.clone(),
        target_pid: Some(system.pid()),
        fresh_seed: settings.seed,
        ..engine::Settings::default()
    };
    let config = prepare(bundle, Path::new(""), run_settings).map_err(prepared)?;
    let seed = config.arrivals_seed(0);
    let open = config
        .options
        .load
        .levels
        .first()
        .and_then(|level| level.open.as_ref());
    let planned: Vec<u64> = open
        .into_iter()
        .flat_map(|open| open.arrivals.starts(seed))
        .map(|(_, Nanos(due))| due)
        .collect();
    let outcome = engine::run(config, Clock::start(), stop, &mut |notice| {
        tell(Notice::Run(notice));
    });
    if let Some(why) = outcome.error.filter(|_| stop.asked() == 0) {
        return Err(SelftestError::Run { part: name, why });
    }
    let truth = tell::ask(system.url())?;
    let level = outcome
        .record
        .levels
        .into_iter()
        .next()
        .ok_or(SelftestError::Nothing(name))?;
    Ok(Evidence {
        level,
        truth,
        planned,
    })
}
