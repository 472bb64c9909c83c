use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use kit::fault::FaultSpec;
use kit::log::LogConfig;
use kit::span;

/// Where it listens unless told otherwise.
pub const PORT: u16 = 4009;

/// Everything that can be configured; what it does wrong is ordered by the paths of requests.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", env = "HEADCOUNT_LISTEN",
          default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))]
    pub listen: SocketAddr,
    /// Connections that may wait to be accepted
    #[arg(long, value_name = "N", env = "TRUTH_BACKLOG", default_value_t = 4096,
          value_parser = clap::value_parser!(u16).range(1..=32_767))]
    pub backlog: u16,
    /// How long a stop may take to answer what was asked
    #[arg(long, value_name = "TIME", env = "HEADCOUNT_STOP_LIMIT", default_value = "2s",
          value_parser = span::parse)]
    pub stop_limit: Duration,
    /// Before something is due it stays awake for so long: a kernel wakes a sleeper some ten microseconds late
    #[arg(long, value_name = "TIME", env = "TRUTH_SPIN", default_value = "100us",
          value_parser = span::parse)]
    pub spin: Duration,
    /// What it does and does not tell, to see whether a load tester's own check notices: `delay=2ms,drop=1000`
    #[arg(long, value_name = "FAULTS", hide = true, default_value_t)]
    pub lie: FaultSpec,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
}

/// Limits; what goes beyond is refused and counted.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Open connections at most; further ones are closed at once
    #[arg(long, value_name = "N", env = "HEADCOUNT_MAX_CONNECTIONS", default_value_t = 60_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,
    /// Bytes of a request's body at most
    #[arg(long, value_name = "BYTES", env = "TRUTH_MAX_BODY", default_value_t = 64 << 20)]
    pub max_body: u64,
    /// Different paths, and different rooms, at most
    #[arg(long, value_name = "N", env = "TRUTH_MAX_TARGETS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_targets: u32,
    /// Bytes that may wait for one connection before it is cut off as too slow
    #[arg(long, value_name = "BYTES", env = "TRUTH_QUEUE", default_value_t = 16 << 20)]
    pub queue: u64,
    /// Bytes that are leaked at most
    #[arg(long, value_name = "BYTES", env = "TRUTH_MAX_LEAK", default_value_t = 2 << 30)]
    pub max_leak: u64,
}
