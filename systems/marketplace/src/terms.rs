use std::time::Duration;

use clap::ValueEnum;

/// Who confirms that a payment was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaymentMode {
    /// The buyer (as in the field report).
    Status,
    /// A provider, by signed webhooks.
    Provider,
}

/// The configured rules of trades and sessions.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) payment_mode: PaymentMode,
    /// The marketplace's fee, in hundredths of a percent.
    pub(crate) fee: i64,
    pub(crate) open_time: Duration,
    pub(crate) pay_time: Duration,
    pub(crate) confirm_time: Duration,
    pub(crate) access_time: Duration,
    pub(crate) refresh_time: Duration,
    /// Whether notifications are also sent to the operator's webhook.
    pub(crate) by_webhook: bool,
    /// Whether notifications are also sent by Telegram.
    pub(crate) by_telegram: bool,
    /// Injected fault: the selected seller gets no notification.
    pub(crate) lose_accepted: bool,
}
