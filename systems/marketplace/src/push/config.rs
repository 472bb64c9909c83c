use clap::Args;
use kit::secret::Secret;

/// Notifications sent outside of the list.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Notifications")]
pub struct PushConfig {
    /// URL to which every notification is also posted, signed with `--notify-secret`
    #[arg(long, value_name = "URL", env = "MARKETPLACE_NOTIFY_WEBHOOK")]
    pub notify_webhook: Option<String>,
    /// Secret that signs the posted notifications, with at least 16 characters
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
    /// Maximum number of open streams of notifications
    #[arg(long, value_name = "N", env = "MARKETPLACE_MAX_STREAMS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_streams: u32,
}
