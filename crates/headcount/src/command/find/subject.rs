//! What a search loads: a scenario, or one URL.

use std::path::PathBuf;

use engine::{Plain, PrepareError, RunConfig, Settings, prepare, prepare_plain};
use script::Bundle;
use serde_json::Value;

/// A scenario or a request. Each trial prepares it anew, with another load.
#[derive(Debug)]
pub(super) enum Subject {
    Scenario {
        bundle: Bundle,
        base: PathBuf,
        settings: Box<Settings>,
    },
    Url {
        plain: Box<Plain>,
        options: Value,
        settings: Box<Settings>,
    },
}

/// The options of one trial.
#[derive(Clone, Debug, Default)]
pub(super) struct TrialOptions {
    /// The load; `None`: the declared one.
    pub(super) load: Option<Value>,
    /// The thresholds; `None`: the declared ones.
    pub(super) thresholds: Option<Value>,
    /// The seed; `None`: the declared one or a new one.
    pub(super) seed: Option<u64>,
}

impl Subject {
    pub(super) fn scenario(bundle: Bundle, base: PathBuf, settings: Settings) -> Self {
        Self::Scenario {
            bundle,
            base,
            settings: Box::new(settings),
        }
    }

    pub(super) fn url(plain: Plain, options: Value, settings: Settings) -> Self {
        Self::Url {
            plain: Box::new(plain),
            options,
            settings: Box::new(settings),
        }
    }

    /// The run as it is declared.
    pub(super) fn declared(&self) -> Result<RunConfig, PrepareError> {
        self.config(&TrialOptions::default())
    }

    /// The run of one trial.
    pub(super) fn config(&self, trial: &TrialOptions) -> Result<RunConfig, PrepareError> {
        match self {
            Self::Scenario {
                bundle,
                base,
                settings,
            } => {
                let mut settings = settings.as_ref().clone();
                settings.overrides.load.clone_from(&trial.load);
                settings.overrides.thresholds.clone_from(&trial.thresholds);
                settings.overrides.seed = trial.seed.or(settings.overrides.seed);
                prepare(bundle.clone(), base, settings)
            }
            Self::Url {
                plain,
                options,
                settings,
            } => {
                let mut options = options.clone();
                for (name, value) in [
                    ("load", trial.load.clone()),
                    ("thresholds", trial.thresholds.clone()),
                    ("seed", trial.seed.map(Value::from)),
                ] {
                    if let Some(value) = value {
                        options[name] = value;
                    }
                }
                prepare_plain(plain.as_ref().clone(), options, settings.as_ref().clone())
            }
        }
    }
}
