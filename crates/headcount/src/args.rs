use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

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
    /// Render a saved run again
    Report(ReportArgs),
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
  headcount run room.ts
  headcount run room.ts --target http://127.0.0.1:5000 --users 10,50,200 --hold 30s
  headcount run api.ts --rate 200/s --hold 30s
  headcount run api.ts --rate \"500/s for 10s, nothing for 50s, 5 times\"
  headcount run room.ts --json > summary.json

Exit codes:
  0 passed · 1 bug · 2 usage · 3 script error · 4 target not reachable
  99 a threshold failed · 98 not measured soundly · 130 interrupted (what was measured is saved)")]
pub(crate) struct RunArgs {
    /// The scenario, a TypeScript or JavaScript file
    pub(crate) scenario: PathBuf,

    /// Base URL of the system under test, instead of the scenario's
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) target: Option<String>,
    /// I state that the target is mine, though it lies beyond this machine and private networks
    #[arg(long, help_heading = "Target")]
    pub(crate) target_is_mine: bool,
    /// Process of the target to watch, where it cannot be found by its port
    #[arg(long, value_name = "PID", help_heading = "Target")]
    pub(crate) target_pid: Option<u32>,
    /// Prometheus endpoint of the target, for its CPU and memory where it runs elsewhere
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) watch_metrics: Option<String>,

    /// Users at the same time: one level, or several (10,50,200)
    #[arg(long, value_name = "N,N,…", help_heading = "Load")]
    pub(crate) users: Option<String>,
    /// Open load instead: iterations per second ("100/s"), or a course of rates; --users is then the most at once
    #[arg(
        long,
        value_name = "RATE",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) rate: Option<String>,
    /// How long each level is measured
    #[arg(long, value_name = "TIME", help_heading = "Load")]
    pub(crate) hold: Option<String>,
    /// Over which time a level's groups start
    #[arg(long, value_name = "TIME", help_heading = "Load")]
    pub(crate) ramp: Option<String>,
    /// Time with all groups at work before measuring
    #[arg(long, value_name = "TIME", help_heading = "Load")]
    pub(crate) warmup: Option<String>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", help_heading = "Load")]
    pub(crate) seed: Option<u64>,

    /// Worker threads [default: half of the cores when the target is on this machine, else all]
    #[arg(long, value_name = "N", help_heading = "Generator", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) workers: Option<u32>,
    /// Cores to pin the workers to, in turn
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        help_heading = "Generator"
    )]
    pub(crate) cores: Vec<usize>,
    /// Local addresses that users come from, in turn (more than 28,000 connections need several)
    #[arg(
        long,
        value_name = "IP,IP,…",
        value_delimiter = ',',
        help_heading = "Generator"
    )]
    pub(crate) source: Vec<IpAddr>,

    /// Folder for run.json and report.md [default: headcount-run-TIME]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Print a summary as JSON on stdout instead of the report
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// No progress
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount study bridge
  headcount study bridge --out bridge-study")]
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
    /// A server whose behaviour is exactly known, to hold a load tester's reports against
    Truth(Box<truth::Config>),
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount selftest
  headcount selftest --deliveries 10M --only deliveries
  headcount selftest --json > selftest.json

Exit codes:
  0 everything agrees with what is known · 1 something differs · 98 the machine was too busy to tell")]
pub(crate) struct SelftestArgs {
    /// Deliveries of the part that counts them, at least: 1M, 10M, 500k
    #[arg(long, value_name = "N", default_value = "1M", value_parser = parse_count)]
    pub(crate) deliveries: u64,
    /// Only these parts
    #[arg(long, value_name = "NAME,NAME,…", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
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
