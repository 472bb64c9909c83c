//! Notifications on their way to people: the list, streams by SSE and WebSocket, and what leaves by
//! webhook or Telegram. A stream reads the list, so that it shows the same, once and in order; what
//! leaves is written with the step it tells of, and sent until it arrives.

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

/// Where notifications go besides the list.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Notifications")]
pub struct PushConfig {
    /// Every notification is posted there too, signed
    #[arg(long, value_name = "URL", env = "MARKETPLACE_NOTIFY_WEBHOOK")]
    pub notify_webhook: Option<String>,
    /// What they are signed with, at least 16 characters
    #[arg(
        long,
        value_name = "SECRET",
        env = "MARKETPLACE_NOTIFY_SECRET",
        hide_env_values = true
    )]
    pub notify_secret: Option<Secret>,
    /// The Telegram bot that tells users who named a chat
    #[arg(
        long,
        value_name = "TOKEN",
        env = "TELEGRAM_BOT_TOKEN",
        hide_env_values = true
    )]
    pub telegram_token: Option<Secret>,
    /// Where Telegram's bot API is
    #[arg(
        long,
        value_name = "URL",
        env = "MARKETPLACE_TELEGRAM_API",
        default_value = "https://api.telegram.org"
    )]
    pub telegram_api: String,
    /// Streams that may be open at the same time
    #[arg(long, value_name = "N", env = "MARKETPLACE_MAX_STREAMS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_streams: u32,
}

/// The query of a stream.
#[derive(Clone, Deserialize, JsonSchema)]
pub(crate) struct StreamQuery {
    /// Browsers cannot send a header when they open a stream.
    pub(crate) access_token: Option<String>,
    /// Begin after this place of the list; else with what comes from now on.
    pub(crate) after: Option<i64>,
}
