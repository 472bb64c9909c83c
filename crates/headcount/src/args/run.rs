use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount run room.ts
  headcount run room.ts --target http://127.0.0.1:5000 --users 10,50,200 --duration 30s
  headcount run api.ts --rate 200/s --duration 30s
  headcount run api.ts --rate \"500/s for 10s, nothing for 50s, 5 times\"
  headcount run api.ts --source 127.0.0.0/24          as if from 254 machines
  headcount run room.ts --json > summary.json

Exit codes:
  0 passed · 1 bug · 2 usage · 3 script error · 4 target not reachable
  99 a threshold failed · 98 inconclusive · 130 interrupted (what was measured is saved)")]
pub(crate) struct RunArgs {
    /// The scenario, a TypeScript or JavaScript file
    pub(crate) scenario: PathBuf,
    /// Folder that the scenario may read and import files from, instead of its own
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// Base URL of the system under test, instead of the scenario's
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) target: Option<String>,
    /// Prometheus endpoint of the target, for its CPU and memory where it runs elsewhere
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) watch_metrics: Option<String>,

    /// Users at the same time: one level, or several (10,50,200)
    #[arg(
        long,
        value_name = "N,N,…",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
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
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) duration: Option<String>,
    /// Over which time a level's groups start
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) ramp: Option<String>,
    /// Time with all groups at work before measuring
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) warmup: Option<String>,
    /// Send every request exactly once: an idempotent one is otherwise repeated when a kept-alive connection closes
    /// before any response
    #[arg(long, help_heading = "Load")]
    pub(crate) no_repeat: bool,
    /// Seed of all random choices
    #[arg(
        long,
        value_name = "N",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) generator: GeneratorArgs,

    /// Folder for run.json and report.md; one that holds a run, or that a run writes to, is refused [default: a new
    /// headcount-run-TIME]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// Where the load comes from, and what may be done to the target.
#[derive(Debug, clap::Args)]
pub(crate) struct GeneratorArgs {
    /// I state that the target is mine, though it lies beyond this machine and private networks
    #[arg(long, help_heading = "Target")]
    pub(crate) target_is_mine: bool,
    /// Process of the target to watch, where it cannot be found by its port
    #[arg(long, value_name = "PID", help_heading = "Target")]
    pub(crate) target_pid: Option<u32>,
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
    /// Local addresses or networks that users come from, in turn: each user keeps one (127.0.0.0/24 is 254 people to a
    /// limiter by address; more than 28,000 connections need several)
    #[arg(
        long,
        value_name = "IP|CIDR,…",
        value_delimiter = ',',
        help_heading = "Generator"
    )]
    pub(crate) source: Vec<String>,
}

/// What is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct ScreenArgs {
    /// Print a summary as JSON on stdout instead of the report
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// No progress
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}
