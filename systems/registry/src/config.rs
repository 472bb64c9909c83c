use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use kit::config::ServeConfig;
use kit::log::LogConfig;
use kit::secret::Secret;
use kit::span;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::limits::Limits;
use crate::name::{Name, NameError};
use crate::shared::SharedConfig;
use crate::tenant::{Tenant, Tenants};

/// The namespace that exists if no others are configured.
const DEFAULT: &str = "default";

/// The configuration of the registry, set by flags or environment variables.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address, threads, connections, shutdown and faults.
    #[command(flatten)]
    pub serve: ServeConfig,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
    /// Limits of every namespace.
    #[command(flatten)]
    pub limits: Limits,
    /// Backends.
    #[command(flatten)]
    pub backend: BackendConfig,
    /// Deliveries.
    #[command(flatten)]
    pub delivery: DeliveryConfig,
    /// Origins whose web pages may connect, for example `http://localhost:3000`, or `*` for all. Clients that are
    /// not browsers send no origin and are not checked
    #[arg(long, value_name = "ORIGIN", env = "REGISTRY_ALLOW_ORIGIN", value_delimiter = ',',
          value_parser = kit::origin::parse, help_heading = "Serving")]
    pub allow_origin: Vec<String>,
    /// JSON file with the namespaces: `{"NAME": {"token": "…", "max_identities": 1000, …}}`. A namespace without a
    /// token is open to everyone. The flags set the limits that are missing in the file [default: one open namespace,
    /// `default`]
    #[arg(
        long,
        value_name = "FILE",
        env = "REGISTRY_NAMESPACES",
        help_heading = "Limits per namespace"
    )]
    pub namespaces: Option<PathBuf>,
}

/// Where registrations and messages are stored and how they reach receivers.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Backend")]
pub struct BackendConfig {
    /// Database of the embedded backend, for example `sqlite:registry.db` [default: a temporary file]
    #[arg(
        long,
        value_name = "URL",
        env = "REGISTRY_STORE",
        conflicts_with = "redis"
    )]
    pub store: Option<String>,
    /// Whether saved changes survive a power failure. Each save then waits for a flush to disk
    #[arg(long, value_name = "BOOL", env = "REGISTRY_SYNC", default_value_t = true, action = clap::ArgAction::Set)]
    pub sync: bool,
    /// URL of Redis, or URLs of the nodes of a cluster; needs --nats. Several servers with the same Redis and NATS act
    /// as one registry
    #[arg(
        long,
        value_name = "URL,URL,…",
        env = "REGISTRY_REDIS",
        value_delimiter = ',',
        requires = "nats",
        hide_env_values = true
    )]
    pub redis: Vec<String>,
    /// URLs of NATS servers
    #[arg(
        long,
        value_name = "URL,URL,…",
        env = "REGISTRY_NATS",
        value_delimiter = ',',
        requires = "redis",
        hide_env_values = true
    )]
    pub nats: Vec<String>,
    /// Prefix of all keys in Redis
    #[arg(
        long,
        value_name = "TEXT",
        env = "REGISTRY_REDIS_PREFIX",
        default_value = "multicast:registry:"
    )]
    pub redis_prefix: String,
    /// Prefix of the NATS subjects to which receivers can subscribe. A subject is this prefix, followed by
    /// `NAMESPACE/IDENTITY`
    #[arg(
        long,
        value_name = "TEXT",
        env = "REGISTRY_NATS_PREFIX",
        default_value = "prism.multicast."
    )]
    pub nats_prefix: String,
    /// Number of connections to NATS
    #[arg(long, value_name = "N", env = "REGISTRY_NATS_CONNECTIONS", default_value_t = 2,
          value_parser = clap::value_parser!(u16).range(1..=64))]
    pub nats_connections: u16,
}

/// Inboxes and kept messages.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Delivery")]
pub struct DeliveryConfig {
    /// Maximum number of messages that wait for one inbox; an inbox with more is closed as too slow
    #[arg(long, value_name = "N", env = "REGISTRY_QUEUE", default_value_t = 1024,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub queue: u32,
    /// Time after which a stored message is sent again if the receiver has not acknowledged it
    #[arg(long, value_name = "TIME", env = "REGISTRY_ACK_TIMEOUT", default_value = "10s", value_parser = span::parse)]
    pub ack_timeout: Duration,
    /// Time for which messages are stored for receivers that are offline
    #[arg(long, value_name = "TIME", env = "REGISTRY_RETENTION", default_value = "168h", value_parser = span::parse)]
    pub retention: Duration,
    /// Interval between pings of inboxes; a receiver that stays silent for one interval is disconnected
    #[arg(long, value_name = "TIME", env = "REGISTRY_PING", default_value = "20s", value_parser = span::parse)]
    pub ping: Duration,
}

/// Values that are valid by themselves but contradict each other, or a file that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A time is zero but must be positive.
    #[error("`--{0}` must be longer than 0")]
    NoTime(&'static str),
    /// The prefix of the subjects could not be the beginning of a subject.
    #[error(
        "`--nats-prefix` must consist of tokens without spaces and wildcards, each followed by a dot"
    )]
    Prefix,
    /// The file of namespaces cannot be read.
    #[error("cannot read the namespaces in {0}: {1}")]
    File(PathBuf, String),
    /// A namespace has an invalid name.
    #[error("the namespace `{0}` in --namespaces is not valid: {1}")]
    Name(String, String),
    /// A namespace has invalid settings.
    #[error("the settings of the namespace `{0}` in --namespaces are not valid: {1}")]
    Settings(String, String),
}

/// The settings of one namespace in the file. Missing limits are those of the flags.
#[derive(Debug, Default, Deserialize)]
struct Settings {
    token: Option<String>,
    #[serde(flatten)]
    limits: Map<String, Value>,
}

impl Config {
    /// Rejects values that contradict each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        let times = [
            ("ack-timeout", self.delivery.ack_timeout),
            ("retention", self.delivery.retention),
            ("ping", self.delivery.ping),
            ("max-ttl", self.limits.max_ttl),
        ];
        if let Some(name) = span::first_zero(&times) {
            return Err(ConfigError::NoTime(name));
        }
        let prefix = self.backend.nats_prefix.strip_suffix('.');
        let is_fine =
            |token: &str| !token.is_empty() && !token.contains([' ', '*', '>', '\t', '\r', '\n']);
        if !prefix.is_some_and(|prefix| prefix.split('.').all(is_fine)) {
            return Err(ConfigError::Prefix);
        }
        Ok(())
    }

    /// The shared backend, if it is configured.
    pub(crate) fn shared(&self) -> Option<SharedConfig> {
        let backend = &self.backend;
        (!backend.redis.is_empty()).then(|| SharedConfig {
            redis: backend.redis.clone(),
            redis_prefix: backend.redis_prefix.clone(),
            nats: backend.nats.clone(),
            nats_prefix: backend.nats_prefix.clone(),
            nats_connections: backend.nats_connections,
            ack_timeout: self.delivery.ack_timeout,
        })
    }

    /// Reads the namespaces.
    pub(crate) fn tenants(&self) -> Result<Tenants, ConfigError> {
        let settings = match &self.namespaces {
            Some(path) => read(path)?,
            None => HashMap::from([(DEFAULT.to_owned(), Settings::default())]),
        };
        let mut tenants = HashMap::new();
        for (text, settings) in settings {
            let invalid = |why: NameError| ConfigError::Name(text.clone(), why.to_string());
            let name = Name::new(&text).map_err(invalid)?;
            let limits = self.limits_with(settings.limits);
            let limits = limits.map_err(|why| ConfigError::Settings(text.clone(), why))?;
            let token = settings.token.map(Secret::from);
            let tenant = Tenant::new(name.clone(), token, limits, Instant::now());
            tenants.insert(name, Arc::new(tenant));
        }
        Ok(Arc::new(tenants))
    }

    fn limits_with(&self, own: Map<String, Value>) -> Result<Limits, String> {
        let limits = &self.limits;
        let mut all = serde_json::json!({
            "max_identities": limits.max_identities,
            "max_metadata": limits.max_metadata,
            "max_payload": limits.max_payload,
            "max_ttl": span::Shown(limits.max_ttl).to_string(),
            "max_receivers": limits.max_receivers,
            "max_queued": limits.max_queued,
            "max_stored": limits.max_stored,
            "max_waiting": limits.max_waiting,
            "register_rate": limits.register_rate,
            "enumerate_rate": limits.enumerate_rate,
            "multicast_rate": limits.multicast_rate,
            "multicasts": limits.multicasts,
        });
        if let Value::Object(all) = &mut all {
            all.extend(own);
        }
        let limits: Limits = serde_json::from_value(all).map_err(|error| error.to_string())?;
        if limits.multicasts == 0 || limits.max_ttl.is_zero() {
            return Err("`multicasts` and `max_ttl` must be greater than 0".to_owned());
        }
        Ok(limits)
    }
}

fn read(path: &Path) -> Result<HashMap<String, Settings>, ConfigError> {
    let failed = |why: String| ConfigError::File(path.to_owned(), why);
    let text = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let settings: HashMap<String, Settings> =
        serde_json::from_slice(&text).map_err(|error| failed(error.to_string()))?;
    if settings.is_empty() {
        return Err(failed("the file has no namespaces".to_owned()));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn config(arguments: &[&str]) -> Config {
        kit::testing::config(arguments)
    }

    fn tenants(file: &str) -> Result<Tenants, ConfigError> {
        let mut saved = tempfile::NamedTempFile::new().unwrap();
        saved.write_all(file.as_bytes()).unwrap();
        config(&["--namespaces", &saved.path().display().to_string()]).tenants()
    }

    #[test]
    fn without_a_file_there_is_one_open_namespace() {
        let tenants = config(&[]).tenants().unwrap();
        assert_eq!(tenants.len(), 1);
        assert_eq!(tenants["default"].admit(None), Ok(()));
    }

    #[test]
    fn a_namespace_has_a_token_and_limits_of_its_own() {
        let file =
            r#"{ "a": { "token": "s3cret", "max_identities": 5, "max_ttl": "1m" }, "b": {} }"#;
        let tenants = tenants(file).unwrap();
        let (a, b) = (&tenants["a"], &tenants["b"]);
        assert!(a.admit(None).is_err() && a.admit(Some("wrong")).is_err());
        assert_eq!(a.admit(Some("s3cret")), Ok(()));
        assert_eq!(
            (a.limits.max_identities, b.limits.max_identities),
            (5, 100_000)
        );
        assert_eq!(a.limits.max_ttl, Duration::from_mins(1));
        assert!(!format!("{a:?}").contains("s3cret"));
    }

    #[test]
    fn wrong_files_and_values_are_refused() {
        for file in [
            "",
            "[]",
            "{}",
            r#"{"a.b": {}}"#,
            r#"{"a": {"max_identites": 5}}"#,
            r#"{"a": {"max_ttl": 5}}"#,
        ] {
            assert!(tenants(file).is_err(), "{file}");
        }
        for prefix in ["", "prism", "a b.", "a.*.", "a..", ">."] {
            let config = config(&["--nats-prefix", prefix]);
            assert_eq!(config.check(), Err(ConfigError::Prefix), "{prefix}");
        }
        let config = config(&["--retention", "0s"]);
        assert_eq!(config.check(), Err(ConfigError::NoTime("retention")));
    }
}
