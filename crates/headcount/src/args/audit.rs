use std::path::PathBuf;

use clap::ValueEnum;

/// Checks load-test results of any tool and lists figures that are impossible, unsupported or doubtful. Each finding
/// shows its arithmetic.
///
/// Formats are detected from the contents: run.json of headcount, k6 (summary export, handleSummary, JSON lines),
/// Locust CSV (pass its files together), Artillery JSON, JMeter JTL as CSV, oha (JSON, text), wrk, wrk2, hey (text,
/// CSV), vegeta (JSON, text), autocannon JSON, and audit.toml, a form for the figures of a written report.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount audit summary.json
  oha --no-tui http://127.0.0.1:8080 | headcount audit -
  headcount audit run_stats.csv run_stats_history.csv run_failures.csv
  headcount audit --new > audit.toml         # enter the report's figures, then:
  headcount audit audit.toml --format markdown

Exit codes:
  0 nothing impossible or unsupported · 2 a file cannot be read
  99 something impossible or unsupported")]
pub(crate) struct AuditArgs {
    /// Results: files, the folder of a run, or `-` for standard input
    #[arg(required_unless_present = "new", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print an empty audit.toml, the form for the figures of a written report
    #[arg(long, conflicts_with_all = ["files", "format"])]
    pub(crate) new: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = AuditFormat::Terminal)]
    pub(crate) format: AuditFormat,
}

/// Output format of an audit.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AuditFormat {
    /// Text for a terminal
    Terminal,
    /// A report in Markdown
    Markdown,
    /// JSON for scripts: a list with one object per result
    Json,
}
