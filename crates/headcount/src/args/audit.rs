use std::path::PathBuf;

use clap::ValueEnum;

/// Reads published results, whoever measured them, and says what in them cannot be true, what does not follow and what
/// is doubtful, each with its arithmetic.
///
/// Files are recognised by what is in them: run.json of headcount, k6 (summary export, handleSummary, JSON lines),
/// Locust CSV (give its files together), Artillery JSON, JMeter JTL as CSV, oha (JSON, text), wrk, wrk2, hey (text, CSV),
/// vegeta (JSON, text), autocannon JSON, and audit.toml, in which the figures of a written report are noted by hand.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount audit summary.json
  oha --no-tui http://127.0.0.1:8080 | headcount audit -
  headcount audit run_stats.csv run_stats_history.csv run_failures.csv
  headcount audit --new > audit.toml         # note the report's figures in it, then:
  headcount audit audit.toml --format markdown

Exit codes:
  0 nothing impossible or unsupported · 2 a file cannot be read · 99 something impossible or unsupported")]
pub(crate) struct AuditArgs {
    /// Results: files, the folder of a run, or `-` for standard input
    #[arg(required_unless_present = "new", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print an audit.toml to fill in, for the figures of a written report
    #[arg(long, conflicts_with_all = ["files", "format"])]
    pub(crate) new: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = AuditFormat::Terminal)]
    pub(crate) format: AuditFormat,
}

/// What an audit is told as.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AuditFormat {
    /// For a terminal
    Terminal,
    /// A report
    Markdown,
    /// For scripts: one object per result, in a list
    Json,
}
