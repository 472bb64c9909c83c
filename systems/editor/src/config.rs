use std::time::Duration;

use clap::Args;
use kit::config::ServeConfig;
use kit::log::LogConfig;
use kit::span;

/// Everything that can be configured, by flag or environment.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Where and how it serves.
    #[command(flatten)]
    pub serve: ServeConfig,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
    /// Heartbeat.
    #[command(flatten)]
    pub times: Times,
    /// Running code.
    #[command(flatten)]
    pub run: RunConfig,
    /// Where documents are saved: `sqlite:FILE` (of one server), `sqlite::memory:` or `postgres://…`
    #[arg(
        long,
        value_name = "URL",
        env = "EDITOR_STORE",
        default_value = "sqlite:headcount-editor.db",
        help_heading = "Documents"
    )]
    pub store: String,
    /// NATS server over which nodes share their rooms, for example `nats://127.0.0.1:4222`; without one
    /// this node is alone
    #[arg(long, value_name = "URL", env = "NATS_URL", help_heading = "Nodes")]
    pub nats_url: Option<String>,
    /// Origins whose web pages may open a line, for example `http://localhost:3000`, beside those of this
    /// server at an address or `localhost`; `*` is every page of the web. Programs are not asked
    #[arg(long, value_name = "ORIGIN", env = "EDITOR_ALLOW_ORIGIN", value_delimiter = ',',
          value_parser = kit::origin::parse, help_heading = "Serving")]
    pub allow_origin: Vec<String>,
    /// The port of the loopback when no address is given, as the original has it
    #[arg(long, value_name = "PORT", env = "SERVER_PORT", default_value_t = crate::PORT, help_heading = "Serving")]
    pub server_port: u16,
}

/// Limits; each is refused with an error of its own.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Rooms that somebody is in, at most
    #[arg(long, value_name = "N", env = "EDITOR_MAX_ROOMS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rooms: u32,
    /// Members of one room at most by Socket.IO, and as many by Yjs: who uses the page is one of each
    #[arg(long, value_name = "N", env = "EDITOR_MAX_MEMBERS", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_members: u32,
    /// Messages per second and client at most; 0 is no limit
    #[arg(long, value_name = "N", env = "EDITOR_RATE_LIMIT", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(..=10_000))]
    pub rate_limit: u32,
    /// Bytes of one message at most; a larger one ends the connection
    #[arg(long, value_name = "BYTES", env = "EDITOR_MAX_MESSAGE", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u32).range(1024..=1 << 27))]
    pub max_message: u32,
    /// Bytes of one document's text at most; with its history, and what Yjs clients keep in it beside the
    /// text, it may have twice as many
    #[arg(long, value_name = "BYTES", env = "EDITOR_MAX_DOCUMENT", default_value_t = 900_000,
          value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub max_document: u32,
    /// Messages that may wait for one client before it is cut off as too slow
    #[arg(long, value_name = "N", env = "EDITOR_QUEUE", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(4..=1 << 16))]
    pub queue: u32,
    /// Bytes that may wait for one client before it is cut off as too slow, by any transport
    #[arg(long, value_name = "BYTES", env = "EDITOR_QUEUE_BYTES", default_value_t = 4_000_000,
          value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub queue_bytes: u32,
}

/// Whether code is run, in sandboxes only, and how much of it at a time.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Running code")]
pub struct RunConfig {
    /// Whether code may be run, where a sandbox works
    #[arg(long, env = "EDITOR_RUN_CODE", default_value_t = true, action = clap::ArgAction::Set)]
    pub run_code: bool,
    /// How long a program may take, its compiler included
    #[arg(long, value_name = "TIME", env = "EDITOR_RUN_TIME", default_value = "5s", value_parser = span::parse)]
    pub run_time: Duration,
    /// Programs that run at the same time
    #[arg(long, value_name = "N", env = "EDITOR_RUN_SLOTS", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub run_slots: u32,
}

/// How long things last.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Heartbeat")]
pub struct Times {
    /// A client is asked so often whether it is there, though not before it had the time to answer
    #[arg(long, value_name = "TIME", env = "EDITOR_PING_INTERVAL", default_value = "25s",
          value_parser = span::parse)]
    pub ping_interval: Duration,
    /// A client that does not answer within this time is gone
    #[arg(long, value_name = "TIME", env = "EDITOR_PING_TIMEOUT", default_value = "20s",
          value_parser = span::parse)]
    pub ping_timeout: Duration,
}

/// Values that are each readable and make no sense together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A time that must not be nothing.
    #[error("`--{0}` must be longer than nothing")]
    NoTime(&'static str),
    /// A document that fits no message.
    #[error("`--max-message` must be larger than `--max-document`")]
    MessageTooSmall,
}

impl Config {
    /// Refuses what makes no sense together.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.limits.max_message <= self.limits.max_document {
            return Err(ConfigError::MessageTooSmall);
        }
        let times = [
            ("ping-interval", self.times.ping_interval),
            ("ping-timeout", self.times.ping_timeout),
            ("run-time", self.run.run_time),
        ];
        match times.iter().find(|(_, time)| time.is_zero()) {
            Some((name, _)) => Err(ConfigError::NoTime(name)),
            None => Ok(()),
        }
    }
}
