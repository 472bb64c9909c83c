use std::path::Path;

use engine::{Clock, PrepareError, RunError, Settings, Stop, prepare};
use launch::{LaunchError, System};
use record::Run;
use script::Bundle;
use thiserror::Error;

/// Why a study could not be made.
#[derive(Debug, Error)]
pub enum StudyError {
    /// Its system does not start.
    #[error(transparent)]
    System(#[from] LaunchError),
    /// One of its scenarios cannot be run.
    #[error("part `{part}`: {why}")]
    Prepare {
        /// Which part.
        part: &'static str,
        /// Why.
        why: PrepareError,
    },
    /// A run broke off.
    #[error("part `{part}`: {why}")]
    Run {
        /// Which part.
        part: &'static str,
        /// Why.
        why: RunError,
    },
}

/// What the caller decides.
#[derive(Clone, Debug)]
pub struct StudySettings {
    /// The program that serves the systems: `EXE serve NAME`.
    pub exe: std::path::PathBuf,
    /// Seed of all random choices.
    pub seed: u64,
    /// Cores for the system; empty: any.
    pub system_cores: Vec<usize>,
    /// Cores for the generator; empty: any.
    pub generator_cores: Vec<usize>,
}

/// One part, run.
#[derive(Clone, Debug)]
pub struct PartRun {
    /// Its name, fit for a folder.
    pub name: &'static str,
    /// Whether the study's verdict needs its levels to be sound: not of a part that repeats a mistake on
    /// purpose, nor of one that goes flat out, where an unsound level is a lower bound and is called so.
    pub must_be_sound: bool,
    /// What was measured.
    pub record: Run,
}

/// A study, told.
#[derive(Clone, Debug)]
pub struct StudyOutcome {
    /// The parts in order.
    pub parts: Vec<PartRun>,
    /// The report, as Markdown.
    pub markdown: String,
    /// The same in short, for a terminal.
    pub terminal: String,
}

/// What is worth telling while a study is on.
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
    /// A part is done: save it.
    Done(&'a PartRun),
}

/// One part of a study: a scenario and what it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) file: &'static str,
    pub(crate) source: &'static str,
    pub(crate) must_be_sound: bool,
}

/// Runs the parts one after the other, each against a freshly started system. A stop ends the study
/// after the part that is on; what was measured is there.
pub(crate) fn run_all(
    system: &'static str,
    parts: &[Part],
    settings: &StudySettings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Vec<PartRun>, StudyError> {
    let mut done = Vec::new();
    for (part, number) in parts.iter().zip(1..) {
        if stop.asked() > 0 {
            break;
        }
        tell(Notice::Part {
            number,
            parts: parts.len(),
            title: part.title,
        });
        let system = System::start(&settings.exe, system, &[], &settings.system_cores)?;
        let run = run_one(part, &system, settings, stop, tell)?;
        tell(Notice::Done(&run));
        done.push(run);
    }
    Ok(done)
}

fn run_one(
    part: &Part,
    system: &System,
    settings: &StudySettings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<PartRun, StudyError> {
    let name = part.name;
    let bundle = Bundle::embedded(part.file, part.source).map_err(|why| StudyError::Prepare {
        part: name,
        why: why.into(),
    })?;
    let overrides = plan::Overrides {
        target: Some(system.url().to_owned()),
        seed: Some(settings.seed),
        ..Default::default()
    };
    let run_settings = Settings {
        overrides,
        workers: Some(1),
        cores: settings.generator_cores.clone(),
        target_pid: Some(system.pid()),
        fresh_seed: settings.seed,
        ..Settings::default()
    };
    let config = prepare(bundle, Path::new(""), run_settings)
        .map_err(|why| StudyError::Prepare { part: name, why })?;
    let outcome = engine::run(config, Clock::start(), stop, &mut |notice| {
        tell(Notice::Run(notice));
    });
    match outcome.error {
        Some(why) if stop.asked() == 0 => Err(StudyError::Run { part: name, why }),
        _ => Ok(PartRun {
            name,
            must_be_sound: part.must_be_sound,
            record: outcome.record,
        }),
    }
}
