//! What the agents of a fleet need for a run: a scenario's modules and files or a plain request, and the settings.

use script::{Bundle, DataStore, ScriptError};
use serde::{Deserialize, Serialize};

use crate::config::RunConfig;
use crate::outcome::RunError;
use crate::prepare::PrepareError;
use crate::program::{Plain, Program, Scenario};

/// The modules of a scenario, and the files that they have read. Empty for a run without a scenario.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shipment {
    name: String,
    /// Names and texts. The first is the main module.
    modules: Vec<(String, String)>,
    /// Paths as in the script, and contents in Base64.
    files: Vec<(String, String)>,
}

/// The settings of a run, with the values of environment variables. They are sent to each agent, and stored nowhere.
#[derive(Clone, Deserialize, Serialize)]
pub struct ShippedRun {
    /// The options as JSON, including changes on the command line.
    pub options: serde_json::Value,
    /// Seed of all random choices.
    pub seed: u64,
    /// Part of every stamp.
    pub run_id: u32,
    /// Whether the user states that the target is theirs.
    pub target_is_mine: bool,
    /// Environment variables that the scenario may read.
    pub env: Vec<(String, Option<String>)>,
    /// PEM certificates to trust.
    pub ca_pem: Option<String>,
    /// Number of worker threads of each agent; `None`: the agent decides.
    pub workers: Option<u32>,
    /// Cores to which they are pinned.
    pub cores: Vec<usize>,
    /// The request or message of a run without a scenario.
    pub plain: Option<Plain>,
}

impl std::fmt::Debug for ShippedRun {
    /// Prints no value of a variable.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShippedRun")
            .field("seed", &self.seed)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

impl RunConfig {
    /// What an agent needs for its share of this run. An error if the run cannot be split among agents.
    pub fn ship(&self) -> Result<(Shipment, ShippedRun), RunError> {
        let (shipment, env, plain) = match &self.program {
            Program::Scenario(scenario) => {
                let shipment = Shipment::of(scenario)?;
                (shipment, scenario.env.passed().collect(), None)
            }
            Program::Plain(plain) if plain.shared.is_some() => {
                let why = "--http2 does not run on a fleet yet: use HTTP/1.1";
                return Err(RunError::Usage(why.to_owned()));
            }
            Program::Plain(plain) => (Shipment::default(), Vec::new(), Some(Plain::clone(plain))),
        };
        let run = ShippedRun {
            options: self.options_json.clone(),
            seed: self.seed,
            run_id: self.run.id,
            target_is_mine: self.target_is_mine,
            env,
            ca_pem: self.certificates.to_ship().map_err(RunError::Usage)?,
            workers: None,
            cores: self.cores.clone(),
            plain,
        };
        Ok((shipment, run))
    }
}

impl Shipment {
    fn of(scenario: &Scenario) -> Result<Self, RunError> {
        let modules = scenario.bundle.modules();
        Ok(Self {
            name: scenario.bundle.name().to_owned(),
            modules: modules
                .map(|(name, source)| (name.to_owned(), source.to_owned()))
                .collect(),
            files: scenario.data.to_ship().map_err(RunError::Usage)?,
        })
    }

    /// The scenario's modules. They can import only each other.
    pub(crate) fn bundle(&self) -> Result<Bundle, ScriptError> {
        let modules = self.modules.iter();
        let mut modules = modules.map(|(name, source)| (name.as_str(), source.as_str()));
        let (name, source) = modules.next().unwrap_or((&self.name, ""));
        Bundle::embedded_with(name, source, &modules.collect::<Vec<_>>())
    }

    /// The scenario's files. Nothing is read from this machine.
    pub(crate) fn data(&self) -> Result<DataStore, PrepareError> {
        DataStore::shipped(&self.files).map_err(PrepareError::Unusable)
    }
}
