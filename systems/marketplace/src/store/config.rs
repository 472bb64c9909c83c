use clap::Args;

/// The database.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Store")]
pub struct StoreConfig {
    /// Database: `sqlite:FILE`, `sqlite::memory:` or `postgres://…` [default: a temporary file, deleted at the end]
    #[arg(
        long,
        value_name = "URL",
        env = "MARKETPLACE_STORE",
        hide_env_values = true
    )]
    pub store: Option<String>,
    /// Maximum number of database connections; with `SQLite`, of connections for reading
    #[arg(long, value_name = "N", env = "MARKETPLACE_CONNECTIONS", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub connections: u32,
    /// Whether `SQLite` waits for the disk at every commit, so that a power failure loses no data
    #[arg(long, env = "MARKETPLACE_SYNC", default_value_t = true, action = clap::ArgAction::Set)]
    pub sync: bool,
}
