use clap::Args;
use kit::config::ServeConfig;
use kit::log::LogConfig;
use kit::secret::Secret;
use kit::span;

use crate::account::{AccountConfig, AdminError};
use crate::door::DoorConfig;
use crate::hash::HashConfig;
use crate::push::{AddressError, PushConfig};
use crate::store::StoreConfig;
use crate::terms::{PaymentMode, Terms};
use crate::trade::TradeConfig;

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

impl From<AdminError> for ConfigError {
    fn from(AdminError(why): AdminError) -> Self {
        Self::Admin(why)
    }
}

impl From<AddressError> for ConfigError {
    fn from(AddressError { flag, why }: AddressError) -> Self {
        Self::Address(flag, why)
    }
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

    /// The rules of trades and sessions.
    pub(crate) fn terms(&self) -> Terms {
        let trades = &self.trades;
        Terms {
            payment_mode: trades.payment_mode,
            fee: i64::from(trades.fee),
            open_time: trades.open_time,
            pay_time: trades.pay_time,
            confirm_time: trades.confirm_time,
            access_time: self.accounts.access_time,
            refresh_time: self.accounts.refresh_time,
            by_webhook: self.push.notify_webhook.is_some(),
            by_telegram: self.push.telegram_token.is_some(),
            lose_accepted: trades.lose_accepted,
        }
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
