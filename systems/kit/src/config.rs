//! The configuration shared by all systems. A system flattens [`ServeConfig`] into its own `clap` arguments. Each field
//! defines both a flag and an environment variable. Invalid values are refused before the server binds an address (exit
//! code 2).

use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use clap::Args;

use crate::fault::FaultSpec;
use crate::span;

/// Address, threads, connections, shutdown and faults.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Serving")]
pub struct ServeConfig {
    /// Address to listen on; port 0 chooses a free one [default: 127.0.0.1, and a fixed port for each system]
    #[arg(long, value_name = "HOST:PORT", env = "HEADCOUNT_LISTEN", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// Number of threads; a single thread avoids the cost of passing work between threads
    #[arg(long, env = "HEADCOUNT_THREADS", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Maximum number of open connections, including upgraded ones; further connections are refused with status 503
    /// and counted. The limit on open files (`ulimit -n`) may allow fewer; the server then logs a warning at startup
    #[arg(long, value_name = "N", env = "HEADCOUNT_MAX_CONNECTIONS", default_value_t = 60_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,
    /// Time limit for finishing the accepted work when the server stops
    #[arg(long, value_name = "TIME", env = "HEADCOUNT_STOP_LIMIT", default_value = "10s",
          value_parser = span::parse)]
    pub stop_limit: Duration,
    /// Faults to inject, for example `drop=100,delay=20ms` (drop every 100th delivery, and delay everything by 20 ms).
    /// GET /faults returns the count of each fault
    #[arg(long, value_name = "FAULTS", env = "HEADCOUNT_FAULTS", default_value_t)]
    pub faults: FaultSpec,
}

impl ServeConfig {
    /// The address to bind. Defaults to `port` on the loopback address.
    #[must_use]
    pub fn address(&self, port: u16) -> SocketAddr {
        self.listen
            .unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    }
}

/// Resolves `host:port`, where the host may be a name. Prefers the first IPv4 address, because the default address is
/// IPv4 too.
fn address(text: &str) -> io::Result<SocketAddr> {
    let found: Vec<_> = text.to_socket_addrs()?.collect();
    let first = found.iter().find(|address| address.is_ipv4());
    let first = first.or(found.first()).copied();
    first.ok_or_else(|| io::Error::other("this host name has no address"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        serve: ServeConfig,
    }

    #[test]
    fn the_default_is_loopback_on_the_port_of_the_system() {
        let cli = Cli::try_parse_from(["x"]).unwrap();
        assert_eq!(cli.serve.address(4004).to_string(), "127.0.0.1:4004");
    }

    #[test]
    fn a_host_may_be_a_name() {
        for listen in ["localhost:0", "127.0.0.1:0"] {
            let cli = Cli::try_parse_from(["x", "--listen", listen]).unwrap();
            assert_eq!(cli.serve.address(4004).to_string(), "127.0.0.1:0");
        }
    }

    #[test]
    fn bad_values_are_refused_with_exit_code_2_and_named() {
        for (flag, value) in [
            ("--threads", "0"),
            ("--listen", "localhost"),
            ("--stop-limit", "10"),
            ("--faults", "drop=0"),
            ("--faults", "dorp=5"),
        ] {
            let error = Cli::try_parse_from(["x", flag, value]).err().unwrap();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(flag), "{error}");
        }
    }
}
