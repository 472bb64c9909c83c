use std::time::Duration;

use clap::Args;
use kit::secret::Secret;
use kit::span;

use crate::terms::PaymentMode;

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
    /// Secret with which the provider signs its webhooks, with at least 16 characters
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
    /// Time for which a purchase request stays open, unless the request states another time
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
    /// Interval between checks for requests, payments and deliveries whose time has run out
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_SWEEP", default_value = "5s",
          value_parser = span::parse)]
    pub sweep: Duration,
    /// Injected fault: the selected seller gets no notification (the first bug of the field report)
    #[arg(long, env = "MARKETPLACE_LOSE_ACCEPTED")]
    pub lose_accepted: bool,
}
