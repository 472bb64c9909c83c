mod audit;
mod bench;
mod run;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use audit::{AuditArgs, AuditFormat};
pub(crate) use bench::BenchArgs;
pub(crate) use run::{GeneratorArgs, RunArgs};

/// How many people can it really hold?
///
/// headcount puts groups of interacting users on a system, follows every message from its sender to
/// everyone who should get it, and refuses to print what it could not measure.
#[derive(Debug, Parser)]
#[command(name = "headcount", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a built-in system, run its field report's tests again, and tell them right
    Study(StudyArgs),
    /// Run a scenario: one load, or a ladder of levels
    Run(Box<RunArgs>),
    /// Ask one URL as fast as it goes, or at a rate, without a script
    Bench(Box<BenchArgs>),
    /// Render a saved run again
    Report(ReportArgs),
    /// Find the contradictions in anybody's load-test results
    Audit(AuditArgs),
    /// Run one of the built-in systems
    Serve(ServeArgs),
    /// Prove the measurements on this machine against known truth, in under a minute
    Selftest(SelftestArgs),
    /// Write a starter scenario with its types
    Init(InitArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount study bridge
  headcount study editor --out editor-study
  headcount study marketplace

Exit codes:
  0 every promise was kept · 99 one broke on a level that was measured soundly · 98 not measured soundly ·
  130 interrupted (what was measured is saved)")]
pub(crate) struct StudyArgs {
    /// Which study
    #[arg(value_enum)]
    pub(crate) study: Study,
    /// Folder for report.md and the parts' records [default: headcount-run-TIME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Seed of all random choices
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// No progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The studies.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Study {
    /// Users talk in rooms: about four minutes
    Bridge,
    /// People write one document in rooms: about five and a half minutes
    Editor,
    /// Trades of a buyer with three sellers: about five minutes
    Marketplace,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount report headcount-run-20261121T120000
  headcount report run.json --format markdown > report.md")]
pub(crate) struct ReportArgs {
    /// A run's folder, or its run.json
    pub(crate) run: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    pub(crate) format: Format,
}

/// What a saved run is rendered as.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Format {
    /// One screen
    Terminal,
    /// The full report
    Markdown,
    /// The summary for scripts
    Json,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount serve bridge
  headcount serve bridge --listen 127.0.0.1:0 --faults drop=100,stall=1s/10s
  headcount serve editor
  headcount serve marketplace
  headcount serve truth --listen 127.0.0.1:0")]
pub(crate) struct ServeArgs {
    #[command(subcommand)]
    pub(crate) system: System,
}

/// The built-in systems.
#[derive(Debug, Subcommand)]
pub(crate) enum System {
    /// Users talk in rooms, with each other and with an agent
    Bridge(Box<bridge::Config>),
    /// People edit one text together, over Socket.IO and Yjs
    Editor(Box<editor::Config>),
    /// Buyers ask, sellers offer, money waits in escrow
    Marketplace(Box<marketplace::Config>),
    /// A server whose behaviour is exactly known, to hold a load tester's reports against
    Truth(Box<truth::Config>),
    /// A server that misbehaves on order and logs every request, to judge a load tester's verdicts
    Faulty(Box<faulty::Config>),
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount selftest
  headcount selftest --deliveries 10M --only deliveries
  headcount selftest --json > selftest.json
  headcount selftest --thorough --cells 5000
  headcount selftest --thorough --only closed-http-get/frozen

Exit codes:
  0 everything agrees with what is known · 1 something differs · 98 the machine was too busy to tell")]
pub(crate) struct SelftestArgs {
    /// Deliveries of the part that counts them, at least: 1M, 10M, 500k
    #[arg(long, value_name = "N", default_value = "1M", value_parser = parse_count)]
    pub(crate) deliveries: u64,
    /// Only these parts; with --thorough, only cells with such a name, or one cell by its whole name
    #[arg(long, value_name = "NAME,NAME,…", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Check the verdicts instead: short runs of every kind of scenario against every kind of misbehaviour
    #[arg(long)]
    pub(crate) thorough: bool,
    /// Number of runs of --thorough
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_count, requires = "thorough")]
    pub(crate) cells: u64,
    /// Number of runs of --thorough at the same time [default: 4 per core]
    #[arg(long, value_name = "N", requires = "thorough")]
    pub(crate) at_once: Option<usize>,
    /// Seed of all random choices
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Print the comparisons as JSON on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// What the truth server does and does not tell, to see whether it is noticed: `delay=2ms,drop=1000`
    #[arg(long, value_name = "FAULTS", hide = true)]
    pub(crate) lie: Option<String>,
}

/// A whole number, perhaps in thousands (`k`) or millions (`M`).
fn parse_count(text: &str) -> Result<u64, String> {
    let refused = || format!("`{text}` is not a number like 500k, 1M or 2000000");
    let (digits, unit) = match text.strip_suffix(['k', 'M']) {
        Some(digits) if text.ends_with('k') => (digits, 1000),
        Some(digits) => (digits, 1_000_000),
        None => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| refused())?;
    number
        .checked_mul(unit)
        .filter(|number| (1..=1_000_000_000).contains(number))
        .ok_or_else(refused)
}

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Where to write scenario.ts, headcount.d.ts and tsconfig.json
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// For which shell
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
