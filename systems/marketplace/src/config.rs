use std::time::Duration;

use clap::{Args, ValueEnum};
use kit::config::ServeConfig;
use kit::log::LogConfig;
use kit::secret::Secret;
use kit::span;

use crate::hash::HashConfig;
use crate::http::DoorConfig;
use crate::push::PushConfig;

/// The configuration, set by flags or environment variables.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address, threads, connections, shutdown and faults.
    #[command(flatten)]
    pub serve: ServeConfig,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
    /// The database.
    #[command(flatten)]
    pub store: StoreConfig,
    /// Access and rate limits.
    #[command(flatten)]
    pub door: DoorConfig,
    /// Passwords.
    #[command(flatten)]
    pub hash: HashConfig,
    /// Accounts and sessions.
    #[command(flatten)]
    pub accounts: AccountConfig,
    /// Trades and money.
    #[command(flatten)]
    pub trades: TradeConfig,
    /// Notifications sent outside of the list.
    #[command(flatten)]
    pub push: PushConfig,
}

/// The database.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Store")]
pub struct StoreConfig {
    /// Database: `sqlite:FILE`, `sqlite::memory:` or `postgres://…`
    #[arg(
        long,
        value_name = "URL",
        env = "MARKETPLACE_STORE",
        hide_env_values = true,
        default_value = "sqlite:headcount-marketplace.db"
    )]
    pub store: String,
    /// Maximum number of database connections; for `SQLite`, of read connections
    #[arg(long, value_name = "N", env = "MARKETPLACE_CONNECTIONS", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub connections: u32,
    /// Whether `SQLite` waits for the disk at every commit, so that not even a power cut loses data
    #[arg(long, env = "MARKETPLACE_SYNC", default_value_t = true, action = clap::ArgAction::Set)]
    pub sync: bool,
}

/// Accounts and sessions.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Accounts")]
pub struct AccountConfig {
    /// E-mail address of an admin account that is created at startup; needs `--admin-password`
    #[arg(long, value_name = "EMAIL", env = "MARKETPLACE_ADMIN_EMAIL")]
    pub admin_email: Option<String>,
    /// The admin's password; set it in the environment
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

/// Who confirms that a payment was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaymentMode {
    /// The buyer (as in the field report).
    Status,
    /// A provider, by signed webhooks.
    Provider,
}

/// Trades and money.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Trades")]
pub struct TradeConfig {
    /// Who confirms that a payment was made
    #[arg(
        long,
        value_name = "MODE",
        env = "PAYMENT_MODE",
        default_value = "status"
    )]
    pub payment_mode: PaymentMode,
    /// Secret with which the provider signs its webhooks, at least 16 characters
    #[arg(
        long,
        value_name = "SECRET",
        env = "PAYMENT_WEBHOOK_SECRET",
        hide_env_values = true
    )]
    pub payment_secret: Option<Secret>,
    /// Marketplace fee, deducted from the seller's share, in hundredths of a percent
    #[arg(long, value_name = "BP", env = "MARKETPLACE_FEE", default_value_t = 250,
          value_parser = clap::value_parser!(u16).range(..=10_000))]
    pub fee: u16,
    /// Time for which a purchase request stays open, unless the request sets its own
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_OPEN_TIME", default_value = "720h",
          value_parser = span::parse)]
    pub open_time: Duration,
    /// Time limit for the payment of a selected offer
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_PAY_TIME", default_value = "24h",
          value_parser = span::parse)]
    pub pay_time: Duration,
    /// Time without updates after which a delivery counts as confirmed
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_CONFIRM_TIME", default_value = "336h",
          value_parser = span::parse)]
    pub confirm_time: Duration,
    /// Interval between checks for expired time limits
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_SWEEP", default_value = "5s",
          value_parser = span::parse)]
    pub sweep: Duration,
    /// Injected fault: the selected seller gets no notification (bug 1 of the field report)
    #[arg(long, env = "MARKETPLACE_LOSE_ACCEPTED")]
    pub lose_accepted: bool,
}

/// Values that are valid by themselves but contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A time is zero but must be positive.
    #[error("`--{0}` must be longer than 0")]
    NoTime(&'static str),
    /// A value requires another value that is missing.
    #[error("`--{0}` also requires `--{1}`")]
    Needs(&'static str, &'static str),
    /// A secret is short enough to be guessed.
    #[error("`--{0}` must have at least 16 characters")]
    ShortSecret(&'static str),
    /// The first admin cannot be created.
    #[error("cannot create the admin account: {0}")]
    Admin(String),
    /// The address of a service is not usable.
    #[error("invalid `--{0}`: {1}")]
    Address(&'static str, String),
    /// A configured fault is not supported by this system.
    #[error(
        "unknown fault `{0}`: the marketplace supports delay, stall, crash, leak, drop, duplicate"
    )]
    NoSuchFault(&'static str),
}

impl Config {
    /// Rejects values that contradict each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        let times = [
            ("access-time", self.accounts.access_time),
            ("refresh-time", self.accounts.refresh_time),
            ("open-time", self.trades.open_time),
            ("pay-time", self.trades.pay_time),
            ("confirm-time", self.trades.confirm_time),
            ("sweep", self.trades.sweep),
            ("hash-wait", self.hash.hash_wait),
        ];
        if let Some(name) = span::first_zero(&times) {
            return Err(ConfigError::NoTime(name));
        }
        let faults = &self.serve.faults;
        if faults.swap.is_some() {
            return Err(ConfigError::NoSuchFault("swap"));
        }
        if faults.stray.is_some() {
            return Err(ConfigError::NoSuchFault("stray"));
        }
        self.check_secrets()
    }

    fn check_secrets(&self) -> Result<(), ConfigError> {
        let accounts = &self.accounts;
        match (&accounts.admin_email, &accounts.admin_password) {
            (Some(_), None) => return Err(ConfigError::Needs("admin-email", "admin-password")),
            (None, Some(_)) => return Err(ConfigError::Needs("admin-password", "admin-email")),
            _ => {}
        }
        let provided = self.trades.payment_mode == PaymentMode::Provider;
        if provided && self.trades.payment_secret.is_none() {
            return Err(ConfigError::Needs(
                "payment-mode provider",
                "payment-secret",
            ));
        }
        let push = &self.push;
        if push.notify_webhook.is_some() && push.notify_secret.is_none() {
            return Err(ConfigError::Needs("notify-webhook", "notify-secret"));
        }
        let secrets = [
            ("payment-secret", &self.trades.payment_secret),
            ("notify-secret", &push.notify_secret),
        ];
        let is_short = |secret: &Option<Secret>| {
            let secret = secret.as_ref();
            secret.is_some_and(|secret| secret.reveal().len() < 16)
        };
        match secrets.iter().find(|(_, secret)| is_short(secret)) {
            Some((name, _)) => Err(ConfigError::ShortSecret(name)),
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
    fn values_that_make_no_sense_together_are_refused() {
        assert_eq!(config(&[]).check(), Ok(()));
        let refused: [(&[&str], ConfigError); 6] = [
            (&["--sweep", "0s"], ConfigError::NoTime("sweep")),
            (
                &["--admin-email", "a@b"],
                ConfigError::Needs("admin-email", "admin-password"),
            ),
            (
                &["--admin-password", "long enough"],
                ConfigError::Needs("admin-password", "admin-email"),
            ),
            (
                &["--payment-mode", "provider"],
                ConfigError::Needs("payment-mode provider", "payment-secret"),
            ),
            (
                &["--payment-secret", "short"],
                ConfigError::ShortSecret("payment-secret"),
            ),
            (&["--faults", "swap=5"], ConfigError::NoSuchFault("swap")),
        ];
        for (arguments, error) in refused {
            assert_eq!(config(arguments).check(), Err(error));
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = config(&[
            "--admin-password",
            "hidden-1",
            "--payment-secret",
            "hidden-2",
        ]);
        assert!(!format!("{shown:?}").contains("hidden-"));
    }
}
