use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use comparison::{FailIf, ObstacleKind};

/// Compares saved runs: what changed, and whether it is more than noise.
///
/// The run is the unit: however many requests it has, one run says nothing about how much runs differ. Repeat both sides
/// at least three times, alternating, with `--out old/1`, `--out new/1`, `--out old/2` and so on. Then compare the
/// folders `old` and `new`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount compare old new                                  # folders with several runs each
  headcount compare old new-a new-b                          # compare each with old
  headcount compare old new --fail-if \"p95 +5%\" --fail-if \"delivery(said) lost +0.1%\"
  headcount compare --baseline main run-1 --format markdown

A condition fails if the difference is proven and the estimate reaches the limit. A true change of exactly the limit
fails in half of all comparisons: to catch 5 % reliably, write +3%.

Exit codes:
  0 compared, no condition failed · 2 not comparable, or a file cannot be read · 98 a condition is inconclusive · 99 a
  condition failed")]
pub(crate) struct CompareArgs {
    /// The base, then the runs to judge. Each is a run.json, the folder of a run, or a folder with several runs
    #[arg(required = true, value_name = "RUNS")]
    pub(crate) runs: Vec<PathBuf>,
    /// Compare with a baseline that `headcount baseline save` wrote, instead of with the first runs
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// Fail if a figure changes by at least this much, such as `p95 +5%`, `rate -5%` or `request(GET /) failed +1%`.
    /// For shares, the change is in percentage points. Can be repeated
    #[arg(long, value_name = "CONDITION", value_parser = FailIf::parse)]
    pub(crate) fail_if: Vec<FailIf>,
    /// Exit with 0 if a condition is inconclusive
    #[arg(long)]
    pub(crate) allow_inconclusive: bool,
    /// Largest difference that does not matter, in percent (for p99: twice as much)
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = margin)]
    pub(crate) margin: f64,
    /// Compare runs even if they differ in this
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub(crate) allow_different: Vec<AllowedDifference>,
    /// List all figures
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = CompareFormat::Terminal)]
    pub(crate) format: CompareFormat,
    #[command(flatten)]
    pub(crate) store: BaselineStore,
}

fn margin(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse::<f64>();
    let margin = number.map_err(|_| "expected a number of percent, such as 5".to_owned())?;
    if (0.1..=50.0).contains(&margin) {
        Ok(margin)
    } else {
        Err("must be between 0.1 and 50".to_owned())
    }
}

/// Where baselines are stored.
#[derive(Debug, clap::Args)]
pub(crate) struct BaselineStore {
    /// Folder of the baselines
    #[arg(long, value_name = "DIR", default_value = "headcount-baselines")]
    pub(crate) baselines: PathBuf,
}

/// Keeps runs to compare later runs with.
///
/// A baseline is a set of runs from different days. A comparison with it needs at least six days, because days differ
/// more than the runs of one day. Commit the folder to the repository of the system under test.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount baseline save main headcount-run-20261121T120000
  headcount baseline list
  headcount compare --baseline main headcount-run-20261128T120000")]
pub(crate) struct BaselineArgs {
    #[command(subcommand)]
    pub(crate) action: BaselineAction,
    #[command(flatten)]
    pub(crate) store: BaselineStore,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BaselineAction {
    /// Add runs to a baseline
    Save {
        /// Name of the baseline
        name: String,
        /// The runs: run.json files, folders of runs, or folders with several runs
        #[arg(required = true, value_name = "RUNS")]
        runs: Vec<PathBuf>,
        /// Save runs even if they differ from those of the baseline in this. Comparisons then need the same option
        #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
        allow_different: Vec<AllowedDifference>,
    },
    /// List the baselines with their runs and days
    List,
}

/// What may differ between compared runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AllowedDifference {
    /// The source of the scenario
    Script,
    /// Options of the scenario
    Options,
    /// The load; only levels with the same load are compared
    Load,
    /// The number of workers
    Workers,
    /// The generator's machine
    Machine,
    /// The version of headcount
    Version,
    /// Whether levels are valid
    Validity,
    /// The version of the target, among the runs of one side
    TargetVersion,
}

impl From<AllowedDifference> for ObstacleKind {
    fn from(allowed: AllowedDifference) -> Self {
        match allowed {
            AllowedDifference::Script => Self::Script,
            AllowedDifference::Options => Self::Options,
            AllowedDifference::Load => Self::Load,
            AllowedDifference::Workers => Self::Workers,
            AllowedDifference::Machine => Self::Machine,
            AllowedDifference::Version => Self::Version,
            AllowedDifference::Validity => Self::Validity,
            AllowedDifference::TargetVersion => Self::TargetVersion,
        }
    }
}

/// Output format of a comparison.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CompareFormat {
    /// Text for a terminal
    Terminal,
    /// Markdown, for example for a pull request
    Markdown,
    /// JSON for scripts
    Json,
}
