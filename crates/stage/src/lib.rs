//! One scenario of our own, run on a built-in system that was started for it: what a study and the self-test are
//! made of.
//!
//! It judges nothing, and never prints or saves: the caller gets the record and the notices.

use std::path::{Path, PathBuf};

use engine::{Clock, PrepareError, RunConfig, RunError, Stop, prepare};
use launch::{LaunchError, System};
use plan::Overrides;
use record::Run;
use script::Bundle;
use thiserror::Error;

/// Why a part could not be run.
#[derive(Debug, Error)]
pub enum StageError {
    /// Its system does not start.
    #[error(transparent)]
    System(#[from] LaunchError),
    /// Its scenario cannot be run.
    #[error("part `{part}`: {why}")]
    Prepare {
        /// Which part.
        part: &'static str,
        /// Why.
        why: PrepareError,
    },
    /// The run broke off.
    #[error("part `{part}`: {why}")]
    Run {
        /// Which part.
        part: &'static str,
        /// Why.
        why: RunError,
    },
}

/// One scenario.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Fit for an argument and for a folder.
    pub name: &'static str,
    /// What it is about, in words.
    pub title: &'static str,
    /// The file that messages name.
    pub file: &'static str,
    /// Its text.
    pub source: &'static str,
    /// Files that it imports, with their texts.
    pub modules: &'static [(&'static str, &'static str)],
}

/// What all parts have in common.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The program that serves the systems: `EXE serve NAME`.
    pub exe: PathBuf,
    /// Seed of all random choices.
    pub seed: u64,
    /// Cores for the system; empty: any.
    pub system_cores: Vec<usize>,
    /// Cores for the generator; empty: any.
    pub generator_cores: Vec<usize>,
}

/// What is worth telling while parts are run.
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
    Done {
        /// Which.
        part: &'a Part,
        /// What was measured.
        record: &'a Run,
    },
}

/// A part that is about to be run, beside its system.
#[derive(Debug)]
pub struct Scene {
    part: Part,
    system: System,
    /// What will be run.
    pub config: RunConfig,
}

impl Stage {
    /// Starts `system` with `flags` and prepares the part; `overrides` as from a command line.
    pub fn set(
        &self,
        part: &Part,
        (system, flags): (&str, &[String]),
        overrides: Overrides,
    ) -> Result<Scene, StageError> {
        let system = System::start(&self.exe, system, flags, &self.system_cores)?;
        self.set_on(part, system, overrides)
    }

    /// The same on a system that runs already, for example to see what an earlier part left there.
    pub fn set_on(
        &self,
        part: &Part,
        system: System,
        overrides: Overrides,
    ) -> Result<Scene, StageError> {
        let cannot = |why| StageError::Prepare {
            part: part.name,
            why,
        };
        let bundle = Bundle::embedded_with(part.file, part.source, part.modules)
            .map_err(|why| cannot(why.into()))?;
        let settings = engine::Settings {
            overrides: Overrides {
                target: Some(system.url().to_owned()),
                seed: Some(self.seed),
                ..overrides
            },
            workers: Some(1),
            cores: self.generator_cores.clone(),
            target_pid: Some(system.pid()),
            fresh_seed: self.seed,
            ..engine::Settings::default()
        };
        let config = prepare(bundle, Path::new(""), settings).map_err(cannot)?;
        Ok(Scene {
            part: *part,
            system,
            config,
        })
    }
}

impl Scene {
    /// Runs it; the system goes on until it is dropped. What was measured before a stop is there.
    pub fn play(
        self,
        stop: &Stop,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<(Run, System), StageError> {
        let Self {
            part,
            system,
            config,
        } = self;
        let outcome = engine::run(config, Clock::start(), stop, &mut |notice| {
            tell(Notice::Run(notice));
        });
        if let Some(why) = outcome.error.filter(|_| stop.asked() == 0) {
            let part = part.name;
            return Err(StageError::Run { part, why });
        }
        tell(Notice::Done {
            part: &part,
            record: &outcome.record,
        });
        Ok((outcome.record, system))
    }
}
