//! Structured logs on standard error. At level `info`, nothing is logged per request.

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Plain text, one line per event.
    #[default]
    Text,
    /// JSON, one object per line.
    Json,
}

/// The configuration of logs.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Logs")]
pub struct LogConfig {
    /// Log level, or a filter such as `info,bridge=debug`
    #[arg(long = "log", value_name = "LEVEL", env = "HEADCOUNT_LOG", default_value = "info",
          value_parser = parse_filter)]
    pub filter: String,
    /// Format of log lines
    #[arg(
        long,
        value_name = "FORM",
        env = "HEADCOUNT_LOG_FORMAT",
        default_value = "text"
    )]
    pub log_format: LogFormat,
}

/// Logging was already set up in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("logging is already set up in this process")]
pub struct AlreadySetUp;

/// Sets up logging for this process. Call it once.
pub fn init(config: &LogConfig) -> Result<(), AlreadySetUp> {
    let lines = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&config.filter))
        .with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
    .map_err(|_| AlreadySetUp)
}

fn parse_filter(text: &str) -> Result<String, String> {
    match EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
