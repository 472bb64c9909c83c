use std::time::Duration;

use clap::Args;
use kit::span;
use serde::Deserialize;

/// The limits of a namespace. The flags set them for every namespace, and the file of namespaces for single ones.
#[derive(Clone, Debug, PartialEq, Eq, Args, Deserialize)]
#[command(next_help_heading = "Limits per namespace")]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Maximum number of registered identities
    #[arg(long, value_name = "N", env = "REGISTRY_MAX_IDENTITIES", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_identities: u32,
    /// Maximum size of an identity's metadata in bytes of JSON
    #[arg(long, value_name = "BYTES", env = "REGISTRY_MAX_METADATA", default_value_t = 16 * 1024,
          value_parser = clap::value_parser!(u32).range(2..))]
    pub max_metadata: u32,
    /// Maximum size of a payload in bytes
    #[arg(long, value_name = "BYTES", env = "REGISTRY_MAX_PAYLOAD", default_value_t = 256 * 1024,
          value_parser = clap::value_parser!(u32).range(1..=900_000))]
    pub max_payload: u32,
    /// Maximum time to live of a registration
    #[arg(long, value_name = "TIME", env = "REGISTRY_MAX_TTL", default_value = "24h", value_parser = span::parse)]
    #[serde(deserialize_with = "duration")]
    pub max_ttl: Duration,
    /// Maximum number of open inboxes and watches
    #[arg(long, value_name = "N", env = "REGISTRY_MAX_RECEIVERS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_receivers: u32,
    /// Maximum number of messages that wait for an offline identity; further messages are refused
    #[arg(long, value_name = "N", env = "REGISTRY_MAX_QUEUED", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_queued: u32,
    /// Maximum memory of the metadata of all identities, in bytes
    #[arg(long, value_name = "BYTES", env = "REGISTRY_MAX_STORED", default_value_t = 512 << 20,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_stored: u32,
    /// Maximum memory of the messages that wait for their receivers, in bytes; further multicasts are refused
    #[arg(long, value_name = "BYTES", env = "REGISTRY_MAX_WAITING", default_value_t = 256 << 20,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_waiting: u32,
    /// Maximum number of registration changes per second
    #[arg(long, value_name = "N", env = "REGISTRY_REGISTER_RATE", default_value_t = 5000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub register_rate: u32,
    /// Maximum number of enumerations per second
    #[arg(long, value_name = "N", env = "REGISTRY_ENUMERATE_RATE", default_value_t = 2000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub enumerate_rate: u32,
    /// Maximum number of multicasts per second
    #[arg(long, value_name = "N", env = "REGISTRY_MULTICAST_RATE", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub multicast_rate: u32,
    /// Maximum number of multicasts in progress; further multicasts wait
    #[arg(long, value_name = "N", env = "REGISTRY_MULTICASTS", default_value_t = 64,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub multicasts: u16,
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    span::parse(&text).map_err(serde::de::Error::custom)
}
