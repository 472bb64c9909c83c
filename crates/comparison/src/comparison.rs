use serde::Serialize;
use stats::RunsNeeded;

use crate::figure::{Figure, Missing};
use crate::method::Method;
use crate::obstacle::Obstacle;

/// The figures of two sets of runs, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The method, which follows from the times of the runs.
    pub method: Method,
    /// Number of runs in the base.
    pub base_runs: usize,
    /// Number of new runs.
    pub new_runs: usize,
    /// The known versions of the target in the base, and in the new runs.
    pub target_versions: (Vec<String>, Vec<String>),
    /// The load of each level that all runs have.
    pub levels: Vec<String>,
    /// The figures, in the order of the report. Those that decide come first.
    pub figures: Vec<ComparedFigure>,
    /// Figures of thresholds that cannot be compared, because the runs do not have them or `compare` does not know them.
    pub left_out: Vec<String>,
    /// Number of runs that are on both sides.
    pub on_both_sides: usize,
    /// What differs between the runs, and was allowed to.
    pub allowed: Vec<Obstacle>,
}

/// A figure in both sets of runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedFigure {
    /// The figure.
    #[serde(flatten)]
    pub figure: Figure,
    /// The typical value of the base: nanoseconds, a number per second, a share, cores or bytes.
    pub base: f64,
    /// The typical value of the new runs.
    pub new: f64,
    /// The effect. `None` if there are too few runs for an interval.
    pub effect: Option<Effect>,
    /// The judgement.
    pub judgement: Judgement,
    /// Whether a threshold or a condition is about the figure. The others are exploratory.
    pub is_primary: bool,
    /// The margin within which the figure counts as the same.
    pub margin: f64,
}

/// The change of a figure: relative for ratios, absolute for shares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Probability of such an estimate without a true difference, adjusted for the number of figures.
    pub p_value: f64,
    /// Standard deviation from run to run: relative for ratios, of the square root for shares.
    pub spread: f64,
    /// Number of runs on each side that would find a difference as large as the margin.
    pub needed: RunsNeeded,
}

/// The judgement of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "judgement", rename_all = "snake_case")]
pub enum Judgement {
    /// The difference is more than noise.
    Different,
    /// The whole interval is within the margin.
    Same,
    /// The runs do not decide, or there are too few.
    CannotTell,
    /// The figure is missing in a run.
    NotCompared {
        /// Why.
        missing: Missing,
    },
}
