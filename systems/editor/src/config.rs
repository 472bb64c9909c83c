use std::time::Duration;

use clap::Args;
use kit::config::ServeConfig;
use kit::log::LogConfig;
use kit::span;

/// The port of the original editor.
pub const PORT: u16 = 5000;

/// The configuration, set by flags or environment variables.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address, threads, connections, shutdown and faults.
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
    /// Store for documents: `sqlite:FILE` (for one server), `sqlite::memory:` or `postgres://…` [default: a temporary
    /// file, deleted at the end]
    #[arg(
        long,
        value_name = "URL",
        env = "EDITOR_STORE",
        help_heading = "Documents"
    )]
    pub store: Option<String>,
    /// URL of a NATS server over which several servers share their rooms, for example `nats://127.0.0.1:4222`. Without
    /// it, this server runs alone
    #[arg(long, value_name = "URL", env = "NATS_URL", help_heading = "Nodes")]
    pub nats_url: Option<String>,
    /// Origins whose web pages may connect, for example `http://localhost:3000`, or `*` for all. This server's own page
    /// is always allowed if it is opened by IP address or as `localhost`. Clients that are not browsers
    /// send no origin and are not checked
    #[arg(long, value_name = "ORIGIN", env = "EDITOR_ALLOW_ORIGIN", value_delimiter = ',',
          value_parser = kit::origin::parse, help_heading = "Serving")]
    pub allow_origin: Vec<String>,
    /// Port on the loopback interface, used if --listen is not given. The environment variable has the same name as in
    /// the original editor
    #[arg(long, value_name = "PORT", env = "SERVER_PORT", default_value_t = PORT, help_heading = "Serving")]
    pub server_port: u16,
}

/// Limits. Each has its own error.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Maximum number of rooms in use
    #[arg(long, value_name = "N", env = "EDITOR_MAX_ROOMS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rooms: u32,
    /// Maximum number of members of a room, for Socket.IO and Yjs separately. A user of the page counts once for each
    /// protocol
    #[arg(long, value_name = "N", env = "EDITOR_MAX_MEMBERS", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_members: u32,
    /// Maximum number of messages per second and client; 0 means no limit
    #[arg(long, value_name = "N", env = "EDITOR_RATE_LIMIT", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(..=10_000))]
    pub rate_limit: u32,
    /// Maximum size of a message in bytes; a larger message ends the connection
    #[arg(long, value_name = "BYTES", env = "EDITOR_MAX_MESSAGE", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u32).range(1024..=1 << 27))]
    pub max_message: u32,
    /// Maximum size of a document's text in bytes. The encoded document, with its history and other data of Yjs
    /// clients, may be twice as large
    #[arg(long, value_name = "BYTES", env = "EDITOR_MAX_DOCUMENT", default_value_t = 900_000,
          value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub max_document: u32,
    /// Maximum number of messages queued for a client; a client that exceeds it is disconnected as too slow
    #[arg(long, value_name = "N", env = "EDITOR_QUEUE", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(4..=1 << 16))]
    pub queue: u32,
    /// Maximum number of bytes queued for a client, over any transport; a client that exceeds it is disconnected as too
    /// slow
    #[arg(long, value_name = "BYTES", env = "EDITOR_QUEUE_BYTES", default_value_t = 4_000_000,
          value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub queue_bytes: u32,
}

/// Whether the programs of users are run (always in sandboxes), and how many at a time.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Running code")]
pub struct RunConfig {
    /// Whether to run the programs that users submit; this needs a working sandbox
    #[arg(long, env = "EDITOR_RUN_CODE", default_value_t = true, action = clap::ArgAction::Set)]
    pub run_code: bool,
    /// Time limit of a program, including its compiler
    #[arg(long, value_name = "TIME", env = "EDITOR_RUN_TIME", default_value = "5s", value_parser = span::parse)]
    pub run_time: Duration,
    /// Maximum number of programs that run at the same time
    #[arg(long, value_name = "N", env = "EDITOR_RUN_SLOTS", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub run_slots: u32,
}

/// Timeouts and intervals.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Heartbeat")]
pub struct Times {
    /// Interval between pings, but not less than `--ping-timeout`
    #[arg(long, value_name = "TIME", env = "EDITOR_PING_INTERVAL", default_value = "25s",
          value_parser = span::parse)]
    pub ping_interval: Duration,
    /// Timeout of a ping; a client that does not respond in time is disconnected
    #[arg(long, value_name = "TIME", env = "EDITOR_PING_TIMEOUT", default_value = "20s",
          value_parser = span::parse)]
    pub ping_timeout: Duration,
}

/// Values that are valid by themselves but contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A time is zero but must be positive.
    #[error("`--{0}` must be greater than zero")]
    NoTime(&'static str),
    /// A document of the maximum size does not fit into a message.
    #[error("`--max-message` must be larger than `--max-document`")]
    MessageTooSmall,
}

impl Config {
    /// Rejects values that contradict each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.limits.max_message <= self.limits.max_document {
            return Err(ConfigError::MessageTooSmall);
        }
        let times = [
            ("ping-interval", self.times.ping_interval),
            ("ping-timeout", self.times.ping_timeout),
            ("run-time", self.run.run_time),
        ];
        match span::first_zero(&times) {
            Some(name) => Err(ConfigError::NoTime(name)),
            None => Ok(()),
        }
    }
}
