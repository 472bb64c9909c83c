mod audit;
mod bench;
mod compare;
mod find;
mod fleet;
pub(crate) mod format;
mod run;
#[cfg(feature = "systems")]
mod systems;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use audit::{AuditArgs, AuditFormat};
pub(crate) use bench::BenchArgs;
pub(crate) use compare::{BaselineAction, BaselineArgs, BaselineStore, CompareArgs, CompareFormat};
pub(crate) use find::{FindArgs, SearchArgs};
pub(crate) use fleet::{AgentArgs, FleetArgs, FleetPlace, LostAgent};
use format::Format;
#[cfg(feature = "systems")]
pub(crate) use run::ScreenArgs;
pub(crate) use run::{GeneratorArgs, RunArgs};
#[cfg(feature = "systems")]
pub(crate) use systems::{
    Backend, DemoArgs, RegistryStudyArgs, SelftestArgs, ServeArgs, Study, StudyAction, StudyArgs,
    SustainedTime, System,
};

/// How many people can it really hold?
///
/// headcount runs groups of interacting users against a system and follows every message from its sender to each
/// intended recipient. A figure without enough samples is not printed.
#[derive(Debug, Parser)]
#[command(name = "headcount", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a first result: run groups of users against a built-in chat server (half a minute)
    #[cfg(feature = "systems")]
    Demo(DemoArgs),
    /// Start a built-in system and repeat its published load test with correct measurements
    #[cfg(feature = "systems")]
    Study(StudyArgs),
    /// Run a scenario, at one load or at several levels
    Run(Box<RunArgs>),
    /// Be one generator of a fleet: wait for runs, and take a part of their load
    Agent(AgentArgs),
    /// Search for the highest load at which every threshold holds
    Find(Box<FindArgs>),
    /// Load one URL without a script, at full speed or at a given rate
    Bench(Box<BenchArgs>),
    /// Print the report of a saved run
    Report(ReportArgs),
    /// Compare saved runs: what changed, and whether it is more than noise
    Compare(CompareArgs),
    /// Keep runs to compare later runs with
    Baseline(BaselineArgs),
    /// Check load-test results of any tool for contradictions
    Audit(AuditArgs),
    /// Start one of the built-in systems
    #[cfg(feature = "systems")]
    Serve(ServeArgs),
    /// Compare measurements on this machine with known values (under a minute)
    #[cfg(feature = "systems")]
    Selftest(SelftestArgs),
    /// Write a starter scenario with its type definitions
    Init(InitArgs),
    /// Write manual pages
    Man(ManArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount report headcount-run-20261121T120000
  headcount report run.json --format markdown > report.md
  headcount report run.json --html > report.html
  headcount report run.json --format junit > junit.xml")]
pub(crate) struct ReportArgs {
    /// Folder of a run, or its run.json
    pub(crate) run: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    pub(crate) format: Format,
    /// The same as `--format html`
    #[arg(long, conflicts_with = "format")]
    pub(crate) html: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Folder for scenario.ts, tsconfig.json and the type definitions
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Folder for headcount.1, and one page for each command
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to print completions for
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_value_is_a_value_and_no_option() {
        for given in [["--duration", "-1s"], ["--ramp", "-1s"], ["--users", "-5"]] {
            let line = ["headcount", "run", "room.ts"].into_iter().chain(given);
            assert!(Args::try_parse_from(line).is_ok(), "{given:?}");
        }
        let line = ["headcount", "run", "room.ts", "--seed", "-1"];
        let why = Args::try_parse_from(line).unwrap_err().to_string();
        assert!(why.contains("invalid value '-1' for '--seed <N>'"), "{why}");
    }
}
