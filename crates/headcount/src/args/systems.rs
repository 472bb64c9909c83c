//! Arguments of the commands that use the built-in systems.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::ScreenArgs;

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount demo
  headcount demo --out demo

Exit codes: as for `headcount run`")]
pub(crate) struct DemoArgs {
    /// Folder for the record [default: headcount-run-TIME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount study bridge
  headcount study editor --out editor-study
  headcount study marketplace
  headcount study registry
  headcount study registry --backend redis-nats --sustained 10m
  headcount study pages bridge-study editor-study    reports as Markdown and HTML
  headcount study all                                all studies, and their pages

Exit codes:
  0 passed · 99 a threshold broke · 98 inconclusive ·
  130 interrupted (measurements so far are saved)")]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    pub(crate) action: StudyAction,
    /// Folder for report.md and the record of each part [default: headcount-run-TIME, or headcount-studies for `all`]. For
    /// `pages`, the folder of the pages [default: docs/studies]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) out: Option<PathBuf>,
    /// Seed for all random choices [default: a new one]
    #[arg(long, value_name = "N", global = true)]
    pub(crate) seed: Option<u64>,
    /// Show no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum StudyAction {
    #[command(flatten)]
    Measure(Study),
    /// Measure all studies and write their pages (35 to 45 minutes). Studies that are in the folder are not measured again
    All {
        /// Folder for the pages
        #[arg(long, value_name = "DIR", default_value = "docs/studies")]
        pages: PathBuf,
    },
    /// Write the reports of saved studies as Markdown and HTML, with a page that lists them
    Pages {
        /// Folders that `headcount study` wrote
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
}

/// The studies.
#[derive(Debug, Subcommand)]
pub(crate) enum Study {
    /// Users talk in rooms (about four minutes)
    Bridge,
    /// People edit one document per room (about five and a half minutes)
    Editor,
    /// Buyers trade with three sellers each (about eight minutes)
    Marketplace,
    /// Messages reach thousands of receivers (less than ten minutes)
    Registry(RegistryStudyArgs),
    /// Thousands of people speak and read along (less than six minutes)
    Transcription,
}

#[derive(Debug, Default, clap::Args)]
pub(crate) struct RegistryStudyArgs {
    /// Where the registry stores its state. `redis-nats` starts redis-server and nats-server on free ports, unless
    /// --redis and --nats name running servers [default: embedded, or redis-nats with --redis and --nats]
    #[arg(long, value_enum)]
    pub(crate) backend: Option<Backend>,
    /// URLs of a running Redis, to use instead of a new one
    #[arg(
        long,
        value_name = "URL,URL,…",
        value_delimiter = ',',
        requires = "nats"
    )]
    pub(crate) redis: Vec<String>,
    /// URLs of a running NATS, to use instead of a new one
    #[arg(
        long,
        value_name = "URL,URL,…",
        value_delimiter = ',',
        requires = "redis"
    )]
    pub(crate) nats: Vec<String>,
    /// Wait 50 s between the bursts, as the field report proposes, instead of 5 s
    #[arg(long)]
    pub(crate) long_silences: bool,
    /// Add a part with this duration, in which registrations expire
    #[arg(long, value_enum, value_name = "TIME")]
    pub(crate) sustained: Option<SustainedTime>,
}

/// Where the registry stores its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// In its own database
    Embedded,
    /// In Redis and NATS
    RedisNats,
}

/// Length of the part in which registrations expire.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SustainedTime {
    /// 10 minutes
    #[value(name = "10m")]
    TenMinutes,
    /// 60 minutes
    #[value(name = "60m")]
    SixtyMinutes,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount serve bridge
  headcount serve bridge --listen 127.0.0.1:0 --faults drop=100,stall=1s/10s
  headcount serve editor
  headcount serve marketplace
  headcount serve registry --redis redis://127.0.0.1:6379 --nats nats://127.0.0.1:4222
  headcount serve transcription --latency-ms 50 --max-sessions 2000
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
    /// Buyers post requests, sellers make offers, and payments are held in escrow
    Marketplace(Box<marketplace::Config>),
    /// Identities register with metadata, are found by filters, and receive multicast messages
    Registry(Box<registry::Config>),
    /// Speech is streamed or posted, and returned as text
    Transcription(Box<transcription::Config>),
    /// A server with exactly known behaviour, to check the figures of a load tester
    Truth(Box<truth::Config>),
    /// A server that misbehaves as configured and logs every request, to check the verdicts of a load tester
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
  headcount selftest --findings --rounds 5

Exit codes:
  0 all figures agree · 1 some figures differ
  98 inconclusive: times differ, but the machine was too busy
  With --findings: 0 as expected · 1 a wrong finding
  98 a cause was missed, or a run was disturbed")]
pub(crate) struct SelftestArgs {
    /// Minimum number of deliveries in the part `deliveries`, for example 500k, 1M or 10M
    #[arg(long, value_name = "N", default_value = "1M", value_parser = parse_count)]
    pub(crate) deliveries: u64,
    /// Run only these parts. With --thorough: only cells with this scenario or misbehaviour, or one cell by its full
    /// name. With --findings: only servers whose names contain one of these texts
    #[arg(long, value_name = "NAME,NAME,…", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Check the verdicts instead: short runs of every kind of scenario against every kind of misbehaviour
    #[arg(long)]
    pub(crate) thorough: bool,
    /// Number of runs with --thorough
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_count, requires = "thorough")]
    pub(crate) cells: u64,
    /// Check the findings instead: servers with one known cause each, healthy servers, and near misses
    #[arg(long, conflicts_with_all = ["thorough", "lie"])]
    pub(crate) findings: bool,
    /// Number of runs of each server with --findings
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count, requires = "findings")]
    pub(crate) rounds: u64,
    /// Number of concurrent runs with --thorough [default: 4 per core]
    #[arg(long, value_name = "N", requires = "thorough")]
    pub(crate) at_once: Option<usize>,
    /// Seed for all random choices [default: a new one]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    /// Faults that the truth server hides from its own counts, to test that they are detected: `delay=2ms,drop=1000`
    #[arg(long, value_name = "FAULTS", hide = true)]
    pub(crate) lie: Option<String>,
}

/// Parses a whole number from 1 to 1,000,000,000, optionally in thousands (`k`) or millions (`M`).
fn parse_count(text: &str) -> Result<u64, String> {
    let refused = || format!("`{text}` is not a number from 1 to 1000000000, such as 500k");
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
