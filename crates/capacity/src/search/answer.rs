use record::IssueCause;
use serde::{Deserialize, Serialize};

/// The result of a search, or what is known when it ends early.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Why the search ended.
    pub ended: Ended,
    /// The stable ceiling. `None` unless it was confirmed, which may have been before the search was interrupted.
    pub stable: Option<Ceiling>,
    /// A load that the target holds at least, if the search could not find its ceiling.
    pub at_least: Option<f64>,
    /// Where the ceiling probably lies, if it was not confirmed.
    pub probably: Option<Interval>,
    /// The load up to which most of the work succeeds.
    pub soft: Option<Bracket>,
    /// The load from which the target collapses.
    pub hard: Option<Bracket>,
    /// The load at which the generator was the limit, if it was.
    pub generator: Option<GeneratorLimit>,
    /// The highest load at which a trial kept the thresholds, below all loads that failed.
    pub holds: Option<f64>,
    /// The lowest load at which a trial broke a threshold.
    pub fails: Option<f64>,
    /// Thresholds that nothing was measured for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmeasured: Vec<String>,
    /// Duration of the search in seconds.
    pub spent_s: f64,
    /// Number of trials.
    pub trials: usize,
}

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The stable ceiling is confirmed.
    Confirmed,
    /// The time ran out before a ceiling was confirmed.
    OutOfTime,
    /// Even the lowest load broke a threshold.
    FirstLoadFailed,
    /// The generator was the limit.
    GeneratorLimit,
    /// The largest load that may be tried held.
    LargestLoadHeld,
    /// The target did not recover from an overload.
    NotRecovered,
    /// The target became slower and slower, so no load holds for long.
    Slowing,
    /// A threshold's subject was not measured.
    Unmeasured,
    /// Long trials could not decide a threshold.
    Undecided,
    /// The user interrupted the search.
    Interrupted,
    /// A trial could not run.
    TrialError,
}

impl Ended {
    /// Whether the search ended before it was done.
    pub(super) fn is_early(self) -> bool {
        matches!(self, Self::OutOfTime | Self::Interrupted | Self::TrialError)
    }
}

/// A confirmed ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// The highest load that held in every repetition.
    pub load: f64,
    /// The 90 % confidence interval of the true ceiling.
    pub interval: Interval,
    /// Number of long trials that held at this load.
    pub repetitions: u32,
}

/// A range of loads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The part below a load that failed: a few short trials can leave higher loads possible, too.
    pub(super) fn below(self, failed: Option<f64>) -> Self {
        let high = failed.map_or(self.high, |failed| self.high.min(failed));
        Self {
            low: self.low.min(high),
            high,
        }
    }
}

/// Two neighbouring loads that were tried: the target did well at one, and not at the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bracket {
    /// The highest load below `fails` at which the target did well.
    pub holds: Option<f64>,
    /// The lowest load at which it did not. `None` if no such load was tried.
    pub fails: Option<f64>,
}

/// The generator's own limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorLimit {
    /// The lowest load that the generator could not generate.
    pub load: f64,
    /// The reasons, from the trial at this load.
    pub because: Vec<IssueCause>,
}
