//! Delivery of notifications through the list, streams (SSE and WebSocket), webhooks and Telegram. A stream reads the
//! list, so it shows the same notifications, each once and in order. Notifications for webhooks and Telegram are stored
//! in the transaction that they report, and sending is retried until they arrive.

mod follow;
mod hub;
mod list;
mod sender;
mod socket;
mod stream;

use clap::Args;
use kit::secret::Secret;

pub(crate) use hub::Hub;
pub(crate) use list::{ListNotifications, MarkRead};
pub(crate) use sender::Sender;
pub(crate) use socket::open as open_socket;
pub(crate) use stream::open as open_stream;

use schemars::JsonSchema;
use serde::Deserialize;

/// Notifications sent outside of the list.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Notifications")]
pub struct PushConfig {
    /// URL to which every notification is also posted, with a signature
    #[arg(long, value_name = "URL", env = "MARKETPLACE_NOTIFY_WEBHOOK")]
    pub notify_webhook: Option<String>,
    /// Secret with which webhooks are signed, at least 16 characters
    #[arg(
        long,
        value_name = "SECRET",
        env = "MARKETPLACE_NOTIFY_SECRET",
        hide_env_values = true
    )]
    pub notify_secret: Option<Secret>,
    /// Token of the Telegram bot that notifies users who have set a chat
    #[arg(
        long,
        value_name = "TOKEN",
        env = "TELEGRAM_BOT_TOKEN",
        hide_env_values = true
    )]
    pub telegram_token: Option<Secret>,
    /// URL of Telegram's bot API
    #[arg(
        long,
        value_name = "URL",
        env = "MARKETPLACE_TELEGRAM_API",
        default_value = "https://api.telegram.org"
    )]
    pub telegram_api: String,
    /// Maximum number of open streams
    #[arg(long, value_name = "N", env = "MARKETPLACE_MAX_STREAMS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_streams: u32,
}

/// The query parameters of a stream.
#[derive(Clone, Deserialize, JsonSchema)]
pub(crate) struct StreamQuery {
    /// The access token. Browsers need it here, because they cannot send a header when they open a stream.
    pub(crate) access_token: Option<String>,
    /// Begin after this position in the list. Default: only new notifications.
    pub(crate) after: Option<i64>,
}
