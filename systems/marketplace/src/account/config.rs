use std::time::Duration;

use clap::Args;
use kit::secret::Secret;
use kit::span;

/// Accounts and sessions.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Accounts")]
pub struct AccountConfig {
    /// E-mail address of an admin account that is created at startup; needs `--admin-password`
    #[arg(long, value_name = "EMAIL", env = "MARKETPLACE_ADMIN_EMAIL")]
    pub admin_email: Option<String>,
    /// The admin's password. Set it in the environment, because other users of the machine can see command-line options
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "MARKETPLACE_ADMIN_PASSWORD",
        hide_env_values = true
    )]
    pub admin_password: Option<Secret>,
    /// Lifetime of an access token
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_ACCESS_TIME", default_value = "1h",
          value_parser = span::parse)]
    pub access_time: Duration,
    /// Time for which a session can be refreshed
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_REFRESH_TIME", default_value = "720h",
          value_parser = span::parse)]
    pub refresh_time: Duration,
}
