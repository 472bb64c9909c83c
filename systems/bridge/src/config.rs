use std::time::Duration;

use clap::Args;
use kit::config::ServeConfig;
use kit::log::LogConfig;
use kit::network::Networks;
use kit::span;

use crate::agent::AgentConfig;
use crate::house::{Limits, NEW_SESSION};

/// The configuration of the bridge, set by flags or environment variables.
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
    /// Sessions and sockets.
    #[command(flatten)]
    pub times: Times,
    /// The agent that replies to users.
    #[command(flatten)]
    pub agent: AgentConfig,
    /// Origins whose web pages may connect, for example `http://localhost:3000`, or `*` for all. This server's own
    /// pages are always allowed if they are opened by IP address or as `localhost`. Clients that are not
    /// browsers send no origin and are not checked
    #[arg(long, value_name = "ORIGIN", env = "BRIDGE_ALLOW_ORIGIN", value_delimiter = ',',
          value_parser = kit::origin::parse, help_heading = "Serving")]
    pub allow_origin: Vec<String>,
    /// Proxies whose `X-Forwarded-For` header is trusted
    #[arg(
        long,
        value_name = "ADDRESSES",
        env = "BRIDGE_TRUSTED_PROXIES",
        default_value = "",
        help_heading = "Serving"
    )]
    pub trusted_proxies: Networks,
}

/// Timeouts and intervals.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sessions")]
pub struct Times {
    /// Idle time after which a session without a connection expires
    #[arg(long, value_name = "TIME", env = "BRIDGE_IDLE_TIMEOUT", default_value = "30m",
          value_parser = span::parse)]
    pub idle_timeout: Duration,
    /// Time for which a session created by a WebSocket can be resumed after the socket has closed
    #[arg(long, value_name = "TIME", env = "BRIDGE_GRACE", default_value = "2s",
          value_parser = span::parse)]
    pub grace: Duration,
    /// Interval between WebSocket pings; a client that stays silent for one interval is disconnected
    #[arg(long, value_name = "TIME", env = "BRIDGE_PING", default_value = "20s",
          value_parser = span::parse)]
    pub ping: Duration,
}

/// Values that are valid by themselves but contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No room is configured, or a room has no name.
    #[error("`--rooms` needs at least one room, and every room needs a name")]
    NoRoom,
    /// A room is listed twice.
    #[error("`--rooms` lists `{0}` twice")]
    RoomTwice(String),
    /// A message of the maximum size does not fit into a body.
    #[error("`--max-body` must be larger than `--max-message`")]
    BodyTooSmall,
    /// A time is zero but must be positive.
    #[error("`--{0}` must be longer than 0")]
    NoTime(&'static str),
    /// A limit has an unknown name.
    #[error("`--address-limits` accepts only `session`, not `{0}`")]
    NoSuchLimit(String),
    /// The agent's URL is not valid.
    #[error("`--agent-url` is not valid: {0}")]
    Agent(String),
}

impl Config {
    /// Rejects values that contradict each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        let rooms = &self.limits.rooms;
        if rooms.is_empty() || rooms.iter().any(|room| room.trim().is_empty()) {
            return Err(ConfigError::NoRoom);
        }
        for (n, room) in rooms.iter().enumerate() {
            if rooms[..n].contains(room) {
                return Err(ConfigError::RoomTwice(room.clone()));
            }
        }
        if self.limits.max_body <= self.limits.max_message {
            return Err(ConfigError::BodyTooSmall);
        }
        if let Some(unknown) = self.limits.address_limits.unknown(&[NEW_SESSION]) {
            return Err(ConfigError::NoSuchLimit(unknown.to_owned()));
        }
        let times = [
            ("idle-timeout", self.times.idle_timeout),
            ("ping", self.times.ping),
            ("agent-timeout", self.agent.timeout),
        ];
        match span::first_zero(&times) {
            Some(name) => Err(ConfigError::NoTime(name)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(arguments: &[&str]) -> Config {
        kit::testing::config(arguments)
    }

    #[test]
    fn the_rooms_are_those_of_the_report() {
        let rooms = ["Tower", "Chapel", "Library", "Garden", "Dungeon"];
        assert_eq!(config(&[]).limits.rooms, rooms);
        assert_eq!(config(&[]).check(), Ok(()));
    }

    #[test]
    fn values_that_contradict_each_other_are_refused() {
        let refused = [
            (["--rooms", "Tower,"], ConfigError::NoRoom),
            (["--rooms", "A,A"], ConfigError::RoomTwice("A".into())),
            (["--max-body", "4096"], ConfigError::BodyTooSmall),
            (["--ping", "0s"], ConfigError::NoTime("ping")),
            (
                ["--address-limits", "sesion=5/1m"],
                ConfigError::NoSuchLimit("sesion".into()),
            ),
        ];
        for (arguments, error) in refused {
            assert_eq!(config(&arguments).check(), Err(error));
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        let config = config(&["--agent-key", "sk-hidden"]);
        assert!(!format!("{config:?}").contains("sk-hidden"));
    }
}
