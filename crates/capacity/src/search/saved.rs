use record::Finding;
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::production::Production;
use super::settings::Settings;
use super::trial::{Outcome, Trial};
use crate::scalability::Scalability;

/// A saved search: the root of `find.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedSearch {
    /// Always `headcount-find`.
    pub kind: String,
    /// Version of the file format.
    pub version: u32,
    /// Program that wrote the file: `headcount 0.1.0`.
    pub tool: String,
    /// Start of the search, RFC 3339.
    pub started_at: String,
    /// End of the search, RFC 3339.
    pub ended_at: String,
    /// Path of the scenario, or the request of a search without one.
    pub scenario: String,
    /// Address of the target.
    pub target: String,
    /// Seed of the first trial. Each further trial adds 1.
    pub seed: u64,
    /// The searched quantity.
    pub quantity: Quantity,
    /// Number of users in an iteration: those of a group.
    #[serde(default = "one")]
    pub group_size: u32,
    /// What the user stated about production.
    #[serde(default)]
    pub production: Production,
    /// The thresholds that decided, as the user wrote them.
    pub thresholds: Vec<String>,
    /// Whether the thresholds are defaults, because the scenario declares none.
    pub default_thresholds: bool,
    /// Range, precision and budget.
    pub settings: Settings,
    /// The result.
    pub answer: Answer,
    /// The causes that limit the target, found in all trials together. Their `levels` are indices of `trials`.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// How throughput depends on the operations in flight. `None` until the search has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scalability: Option<Scalability>,
    /// All trials in their order.
    pub trials: Vec<SavedTrial>,
}

/// A trial with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedTrial {
    /// The trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// Whether the trial broke a threshold beyond chance.
    pub failed: bool,
    /// The outcome.
    pub outcome: Outcome,
}

/// The quantity that a search varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Iterations started per second.
    Rate,
    /// Concurrent users.
    Users,
    /// Concurrent groups.
    Groups,
}

impl SavedSearch {
    /// The value of `kind`.
    pub const KIND: &'static str = "headcount-find";
    /// The current version of the file format.
    pub const VERSION: u32 = 1;

    /// Iterations per second at this load: the load itself if it is a rate, otherwise the mean of the trials at it.
    pub fn iterations_per_s(&self, load: f64) -> Option<f64> {
        if self.quantity == Quantity::Rate {
            return Some(load);
        }
        let is_at = |one: &&SavedTrial| (one.trial.load - load).abs() <= load * f64::EPSILON;
        let at_load = self.trials.iter().filter(is_at);
        let at_load = at_load.filter(|one| !one.outcome.not_ready);
        let known: Vec<f64> = at_load
            .filter_map(|one| one.outcome.succeeded_per_s)
            .collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }
}

fn one() -> u32 {
    1
}
