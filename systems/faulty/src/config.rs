use std::net::{Ipv4Addr, SocketAddr};

use clap::Args;
use kit::log::LogConfig;

/// Default port.
pub const PORT: u16 = 4010;

/// The configuration. Faults are not part of it: each request that opens a port configures them.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address to listen on for `/cells`; port 0 chooses a free one
    #[arg(long, value_name = "HOST:PORT", env = "HEADCOUNT_LISTEN",
          default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))]
    pub listen: SocketAddr,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
}
