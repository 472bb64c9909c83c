//! Runs one scenario on a system.

use std::path::{Path, PathBuf};

use engine::{Clock, PrepareError, RunConfig, RunError, Stop};
use plan::Overrides;
use record::Run;
use script::{Bundle, Env};
use thiserror::Error;

use crate::system::{LaunchError, System};

/// Why a part could not be run.
#[derive(Debug, Error)]
pub enum HarnessError {
    /// The system did not start.
    #[error(transparent)]
    System(#[from] LaunchError),
    /// The scenario cannot be run.
    #[error("part `{part}`: {why}")]
    Prepare {
        /// Name of the part.
        part: &'static str,
        /// The reason.
        why: PrepareError,
    },
    /// The run was aborted.
    #[error("part `{part}`: {why}")]
    Run {
        /// Name of the part.
        part: &'static str,
        /// The reason.
        why: RunError,
    },
}

/// One scenario.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Short name, valid as an argument and as a folder name.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// File name of the scenario, as messages show it.
    pub file: &'static str,
    /// Source text of the scenario.
    pub source: &'static str,
    /// Files that the scenario imports: path and source text.
    pub modules: &'static [(&'static str, &'static str)],
}

/// What a run changes in its scenario.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The options of a command line.
    pub overrides: Overrides,
    /// Environment variables that the scenario reads, with their values.
    pub env: Vec<(&'static str, &'static str)>,
}

impl From<Overrides> for Changes {
    fn from(overrides: Overrides) -> Self {
        Self {
            overrides,
            ..Self::default()
        }
    }
}

/// Settings that all parts share.
#[derive(Clone, Debug)]
pub struct Harness {
    /// The program that serves the systems, as `EXE serve NAME`.
    pub exe: PathBuf,
    /// Seed for all random choices.
    pub seed: u64,
    /// Cores for the system; empty: any.
    pub system_cores: Vec<usize>,
    /// Cores for the generator; empty: any.
    pub generator_cores: Vec<usize>,
}

/// Progress of the parts, for the caller to show or save.
#[derive(Debug)]
pub enum Notice<'a> {
    /// A part begins.
    Part {
        /// Number of the part, from 1.
        number: usize,
        /// Total number of parts.
        parts: usize,
        /// Title of the part.
        title: &'a str,
    },
    /// A notice from the run of the current part.
    Run(engine::Notice),
    /// A part has ended, and its record can be saved.
    Done {
        /// The part.
        part: &'a Part,
        /// Record of the part.
        record: &'a Run,
    },
}

/// A part that is ready to run, with its system.
#[derive(Debug)]
pub struct PreparedPart {
    part: Part,
    /// The system, which runs until it is dropped.
    pub system: System,
    /// Configuration of the run.
    pub config: RunConfig,
}

impl Harness {
    /// Starts `system` with `flags` and prepares the part.
    pub fn prepare(
        &self,
        part: &Part,
        (system, flags): (&str, &[String]),
        changes: impl Into<Changes>,
    ) -> Result<PreparedPart, HarnessError> {
        let system = System::start(&self.exe, system, flags, &self.system_cores)?;
        self.prepare_on(part, system, changes)
    }

    /// Prepares the part on a system that already runs, for example to query the state that an earlier part left there.
    pub fn prepare_on(
        &self,
        part: &Part,
        system: System,
        changes: impl Into<Changes>,
    ) -> Result<PreparedPart, HarnessError> {
        let Changes { overrides, env } = changes.into();
        let seed = overrides.seed.unwrap_or(self.seed);
        let env = env
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Some(value.to_owned())));
        let cannot = |why| HarnessError::Prepare {
            part: part.name,
            why,
        };
        let bundle = Bundle::embedded_with(part.file, part.source, part.modules)
            .map_err(|why| cannot(why.into()))?;
        let settings = engine::Settings {
            overrides: Overrides {
                target: Some(system.url().to_owned()),
                seed: Some(seed),
                ..overrides
            },
            workers: Some(1),
            cores: self.generator_cores.clone(),
            target_pid: Some(system.pid()),
            env: Env::new(env),
            fresh_seed: seed,
            ..engine::Settings::default()
        };
        let config = engine::prepare(bundle, Path::new(""), settings).map_err(cannot)?;
        Ok(PreparedPart {
            part: *part,
            system,
            config,
        })
    }
}

impl PreparedPart {
    /// Runs the part and returns its record and its system, which runs until it is dropped. After a stop, the record
    /// holds the measurements so far.
    pub fn run(
        self,
        stop: &Stop,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<(Run, System), HarnessError> {
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
            return Err(HarnessError::Run { part, why });
        }
        tell(Notice::Done {
            part: &part,
            record: &outcome.record,
        });
        Ok((outcome.record, system))
    }
}
