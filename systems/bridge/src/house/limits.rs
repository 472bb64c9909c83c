use clap::Args;
use kit::limit::{self, Gate};
use kit::network::Networks;

/// The rooms in the field report whose service this system rebuilds.
const ROOMS: &str = "Tower,Chapel,Library,Garden,Dungeon";

/// Limits. Each limit has its own error code.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Rooms, separated by commas. A user who names no room enters the first one
    #[arg(long, env = "BRIDGE_ROOMS", value_delimiter = ',', default_value = ROOMS)]
    pub rooms: Vec<String>,
    /// Maximum number of sessions
    #[arg(long, value_name = "N", env = "BRIDGE_MAX_SESSIONS", default_value_t = 50_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_sessions: u32,
    /// Maximum number of users in one room
    #[arg(long, value_name = "N", env = "BRIDGE_MAX_ROOM", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_room: u32,
    /// Maximum size of a message in bytes
    #[arg(long, value_name = "BYTES", env = "BRIDGE_MAX_MESSAGE", default_value_t = 4096,
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub max_message: u32,
    /// Maximum size of a request body or WebSocket message in bytes
    #[arg(long, value_name = "BYTES", env = "BRIDGE_MAX_BODY", default_value_t = 32_768,
          value_parser = clap::value_parser!(u32).range(64..=1 << 24))]
    pub max_body: u32,
    /// Maximum number of messages per second and session; 0 means no limit
    #[arg(long, value_name = "N", env = "BRIDGE_RATE_LIMIT", default_value_t = 0)]
    pub rate_limit: u32,
    /// Maximum number of new sessions per client address and time, written `session=NUMBER/TIME`
    #[arg(
        long,
        value_name = "LIMITS",
        env = "BRIDGE_ADDRESS_LIMITS",
        default_value = "session=600/1m"
    )]
    #[expect(clippy::struct_field_names, reason = "the flag is `--address-limits`")]
    pub address_limits: limit::Limits,
    /// Addresses and networks exempt from `--address-limits`, separated by commas. If a proxy runs on this machine,
    /// list it in `--trusted-proxies`
    #[arg(
        long,
        value_name = "ADDRESSES",
        env = "BRIDGE_ADDRESS_LIMIT_BYPASS",
        default_value = "127.0.0.0/8,::1"
    )]
    pub address_limit_bypass: Networks,
    /// Maximum number of messages queued for a WebSocket; a client that exceeds it is disconnected as too slow
    #[arg(long, value_name = "N", env = "BRIDGE_QUEUE", default_value_t = 1024,
          value_parser = clap::value_parser!(u32).range(4..=1 << 20))]
    pub queue: u32,
    /// Number of messages to the agent that a session remembers, each with its reply
    #[arg(long, value_name = "N", env = "BRIDGE_HISTORY", default_value_t = 10,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub history: u16,
}

impl Limits {
    /// Counts the new sessions of each address.
    pub(crate) fn gate(&self) -> Gate {
        Gate::new(
            self.address_limits.clone(),
            self.address_limit_bypass.clone(),
        )
    }
}
