use std::net::{Ipv4Addr, SocketAddr};

use clap::Args;
use kit::log::LogConfig;

/// Where it listens unless told otherwise.
pub const PORT: u16 = 4010;

/// Everything that can be configured; faults are ordered per port.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address to listen on for orders; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", env = "HEADCOUNT_LISTEN",
          default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))]
    pub listen: SocketAddr,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
}
