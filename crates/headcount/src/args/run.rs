use std::path::PathBuf;

use super::fleet::FleetArgs;
use crate::outputs::{Output, UiAddress};

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount run room.ts
  headcount run room.ts --trace              one iteration, message by message
  headcount run room.ts --target http://127.0.0.1:5000
  headcount run room.ts --users 10,50,200 --duration 30s
  headcount run api.ts --rate 200/s --duration 30s
  headcount run api.ts --rate \"500/s for 10s, nothing for 50s, 5 times\"
  headcount run api.ts --source 127.0.0.0/24 users from 254 addresses
  headcount run room.ts --fleet local:4      four agents on this machine
  headcount run room.ts --fleet nats://10.0.0.5:4222 --resume headcount-run-20261121T120000
  headcount run api.ts --env API_TOKEN --env REGION=eu
  headcount run room.ts --json > summary.json
  headcount run room.ts --output junit=junit.xml --output prometheus=9464
  headcount run room.ts --ui                 live page in the browser

Exit codes:
  0 passed · 1 bug · 2 usage · 3 script error · 4 target not reachable
  99 a threshold broke, or nothing succeeded · 98 inconclusive
  130 interrupted (measurements so far are saved)")]
pub(crate) struct RunArgs {
    /// Scenario file, in TypeScript or JavaScript
    pub(crate) scenario: PathBuf,
    /// Folder from which the scenario may read and import files [default: the scenario's folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Environment variable that the scenario may read with `env(name)`; NAME alone takes the value from headcount's
    /// own environment. Can be repeated. The record holds the names only. Prefer NAME for secrets: other users can see
    /// VALUE in the process list
    #[arg(long, value_name = "NAME[=VALUE]", allow_hyphen_values = true)]
    pub(crate) env: Vec<String>,
    /// Run one iteration of one group, and print every request and message with the beginning of its body. Nothing is
    /// saved, and thresholds are not checked. `--duration` limits the iteration [default: 5s]
    #[arg(long, conflicts_with_all = ["out", "outputs", "ui", "users", "rate", "ramp", "warmup", "fleet", "resume"])]
    pub(crate) trace: bool,

    /// Base URL of the system under test; overrides the scenario's `target`
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) target: Option<String>,
    /// Prometheus endpoint of the target, to read its CPU and memory when it runs on another machine
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) watch_metrics: Option<String>,

    /// Number of concurrent users: one level, or several (10,50,200)
    #[arg(
        long,
        value_name = "N,N,…",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) users: Option<String>,
    /// Open load: iterations per second ("100/s"), several levels ("100/s,200/s"), or a rate profile; --users then sets
    /// the maximum number of users
    #[arg(
        long,
        value_name = "RATE",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) rate: Option<String>,
    /// Measured time of each level
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) duration: Option<String>,
    /// Ramp-up time: the groups of a level start over this time
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) ramp: Option<String>,
    /// Warm-up time: the full load runs, but is not measured yet
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) warmup: Option<String>,
    /// Send every request exactly once. By default, an idempotent request is repeated when a kept-alive connection
    /// closes before any response
    #[arg(long, help_heading = "Load")]
    pub(crate) no_repeat: bool,
    /// Seed for all random choices [default: the scenario's, or a new one]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) generator: GeneratorArgs,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    /// Continue the run in this folder, whose coordinator was killed, with the level after the one that was interrupted. All
    /// other options must be those of that run
    #[arg(
        long,
        value_name = "DIR",
        help_heading = "Fleet",
        requires = "fleet",
        conflicts_with = "out"
    )]
    pub(crate) resume: Option<PathBuf>,

    /// Folder for run.json, report.md and report.html; it must not contain a run or be in use by another run [default: a new
    /// headcount-run-TIME]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// Options of the generator, and of its access to the target.
#[derive(Debug, clap::Args)]
pub(crate) struct GeneratorArgs {
    /// Confirm that you may load a target outside this machine and private networks
    #[arg(long, help_heading = "Target")]
    pub(crate) target_is_mine: bool,
    /// Version of the target, such as a tag or commit, for reports and comparisons
    #[arg(long, value_name = "VERSION", help_heading = "Target", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) target_version: Option<String>,
    /// Process ID of the target, if headcount cannot find it by its port
    #[arg(long, value_name = "PID", help_heading = "Target")]
    pub(crate) target_pid: Option<u32>,
    /// Number of worker threads [default: half of the cores if the target is on this machine, else all]
    #[arg(long, value_name = "N", help_heading = "Generator", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) workers: Option<u32>,
    /// Cores to which the workers are pinned, round-robin
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        help_heading = "Generator"
    )]
    pub(crate) cores: Vec<usize>,
    /// Local addresses or networks to connect from, assigned to users round-robin. Each user keeps one address, so a
    /// limiter by address sees 127.0.0.0/24 as 254 clients. More than 28,000 connections need several addresses
    #[arg(
        long,
        value_name = "IP|CIDR,…",
        value_delimiter = ',',
        help_heading = "Generator"
    )]
    pub(crate) source: Vec<String>,
}

/// Output to other places than the screen and the run's folder.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Additional output, as KIND=PLACE. Can be repeated. During the run: `jsonl=FILE` (a line of JSON for each second),
    /// `prometheus=[IP:]PORT` (an endpoint to scrape), `remote-write=URL` (to a Prometheus) and `otlp=URL` (to an
    /// OpenTelemetry collector). After the run: `html=FILE`, `markdown=FILE`, `json=FILE`, `junit=FILE`, `csv=FILE`,
    /// `csv-series=FILE`, `badge=FILE`
    #[arg(long = "output", value_name = "KIND=PLACE", help_heading = "Output")]
    pub(crate) outputs: Vec<Output>,
    /// Show the run on a page in the browser while it is in progress, with a button that ends it. The address must be on
    /// this machine [default: 127.0.0.1 and a free port]
    #[arg(
        long, value_name = "[IP:]PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:0",
        help_heading = "Output"
    )]
    pub(crate) ui: Option<UiAddress>,
}

/// Output to the screen.
#[derive(Debug, clap::Args)]
pub(crate) struct ScreenArgs {
    /// Print a JSON summary on stdout instead of the report
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}
