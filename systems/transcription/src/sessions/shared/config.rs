use clap::Args;
use kit::secret::Secret;
use redis::Client;

/// The session table that several workers share.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Several workers")]
pub struct SharedConfig {
    /// URL of Redis, for one session table over several workers and nodes [default: each worker has its own]
    #[arg(
        long,
        value_name = "URL",
        env = "ASR_REDIS_URL",
        hide_env_values = true
    )]
    pub redis: Option<Secret>,
    /// Prefix of all keys in Redis
    #[arg(
        long,
        value_name = "TEXT",
        env = "ASR_REDIS_PREFIX",
        default_value = "asr"
    )]
    pub redis_prefix: String,
    /// Maximum number of sessions of all workers that share a table
    #[arg(long, value_name = "N", env = "ASR_MAX_GLOBAL_SESSIONS", default_value_t = 2000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_global_sessions: u32,
    /// Time after which the sessions of a worker that crashed are removed, in seconds
    #[arg(long, value_name = "SECONDS", env = "ASR_WORKER_LEASE_SECONDS", default_value_t = 10.0,
          value_parser = crate::limits::positive)]
    pub worker_lease: f64,
}

impl SharedConfig {
    /// Whether Redis can be reached by this URL. Not a parser of the option: its errors would show the URL, which may
    /// contain a password.
    pub(crate) fn has_valid_url(&self) -> bool {
        let url = self.redis.as_ref();
        url.is_none_or(|url| Client::open(url.reveal()).is_ok())
    }
}
