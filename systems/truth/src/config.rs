use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use kit::fault::FaultSpec;
use kit::log::LogConfig;
use kit::span;

/// Default port.
pub const PORT: u16 = 4009;

/// The configuration. Faults are not part of it: the path of each request selects them.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address to listen on; port 0 chooses a free one
    #[arg(long, value_name = "HOST:PORT", env = "HEADCOUNT_LISTEN",
          default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))]
    pub listen: SocketAddr,
    /// Maximum number of connections that wait to be accepted (the listen backlog)
    #[arg(long, value_name = "N", env = "TRUTH_BACKLOG", default_value_t = 4096,
          value_parser = clap::value_parser!(u16).range(1..=32_767))]
    pub backlog: u16,
    /// Maximum number of open file descriptors [default: the limit of the environment]
    #[arg(long, value_name = "N", env = "TRUTH_DESCRIPTORS",
          value_parser = clap::value_parser!(u64).range(32..))]
    pub descriptors: Option<u64>,
    /// Time limit for finishing open requests when the server stops
    #[arg(long, value_name = "TIME", env = "HEADCOUNT_STOP_LIMIT", default_value = "2s",
          value_parser = span::parse)]
    pub stop_limit: Duration,
    /// Time for which the server busy-waits before a response is due. With 0s, the kernel would wake the thread about
    /// ten microseconds late
    #[arg(long, value_name = "TIME", env = "TRUTH_SPIN", default_value = "100us",
          value_parser = span::parse)]
    pub spin: Duration,
    /// Unreported faults, to test whether a load tester's own check notices them: `delay=2ms,drop=1000`
    #[arg(long, value_name = "FAULTS", hide = true, default_value_t)]
    pub lie: FaultSpec,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
}

/// Limits. Whatever exceeds them is refused and counted.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Maximum number of open connections; further connections are closed at once
    #[arg(long, value_name = "N", env = "HEADCOUNT_MAX_CONNECTIONS", default_value_t = 60_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,
    /// Maximum size of a request body in bytes
    #[arg(long, value_name = "BYTES", env = "TRUTH_MAX_BODY", default_value_t = 64 << 20)]
    pub max_body: u64,
    /// Maximum number of different paths, and of different rooms
    #[arg(long, value_name = "N", env = "TRUTH_MAX_TARGETS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_targets: u32,
    /// Maximum number of bytes queued for a connection; a client that exceeds it is disconnected as too slow
    #[arg(long, value_name = "BYTES", env = "TRUTH_QUEUE", default_value_t = 16 << 20)]
    pub queue: u64,
    /// Maximum number of bytes that the server leaks when requests ask for a leak
    #[arg(long, value_name = "BYTES", env = "TRUTH_MAX_LEAK", default_value_t = 2 << 30)]
    pub max_leak: u64,
}
