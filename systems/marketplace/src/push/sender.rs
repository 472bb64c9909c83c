use std::sync::Arc;
use std::time::Duration;

use kit::secret::Secret;
use reqwest::{Client, Url, redirect};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::config::PushConfig;
use crate::market::Market;
use crate::refusal::Refusal;
use crate::signature;
use crate::store::outbox::{self, Channel, OutboxRow};
use crate::types::Time;

/// Interval at which the sender reads the outbox even without a wake-up.
const LOOK: Duration = Duration::from_secs(1);
/// Maximum number of notifications per query.
const ROWS: i64 = 50;
/// Time limit of a request. If it passes without a response, the notification counts as not delivered.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest pause between two attempts.
const LONGEST: Duration = Duration::from_hours(1);
/// Maximum number of attempts, which take about eight hours in total. The notification is then discarded.
const TRIES: i64 = 20;

/// Reason why the address of a service is not usable.
#[derive(Clone, Debug)]
pub(crate) struct AddressError {
    pub(crate) flag: &'static str,
    pub(crate) why: String,
}

impl AddressError {
    fn new(flag: &'static str, why: String) -> Self {
        Self { flag, why }
    }
}

/// Sends the notifications in the outbox, and repeats each until it arrives. Receivers may therefore get a notification
/// more than once.
#[derive(Debug)]
pub(crate) struct Sender {
    http: Client,
    webhook: Option<(Url, Secret)>,
    telegram: Option<Url>,
    /// The origin of the front end to which messages link. It is the first of `--cors-origins`.
    front_end: Option<String>,
}

impl Sender {
    /// Creates the sender. `None` if neither a webhook nor Telegram is configured.
    pub(crate) fn new(
        config: &PushConfig,
        front_end: Option<&String>,
    ) -> Result<Option<Self>, AddressError> {
        let webhook = match (&config.notify_webhook, &config.notify_secret) {
            (Some(url), Some(secret)) => Some((address("notify-webhook", url)?, secret.clone())),
            _ => None,
        };
        let telegram = config.telegram_token.as_ref().map(|token| {
            let base = config.telegram_api.trim_end_matches('/');
            let url = format!("{base}/bot{}/sendMessage", token.reveal());
            address("telegram-api", &url).map_err(|_| {
                let why = "URL and token do not form a valid address".to_owned();
                AddressError::new("telegram-api", why)
            })
        });
        let telegram = telegram.transpose()?;
        if webhook.is_none() && telegram.is_none() {
            return Ok(None);
        }
        let http = Client::builder()
            .timeout(PATIENCE)
            .redirect(redirect::Policy::none())
            .build();
        let http = http.map_err(|error| AddressError::new("notify-webhook", error.to_string()))?;
        let front_end = front_end.filter(|origin| *origin != "*").cloned();
        Ok(Some(Self {
            http,
            webhook,
            telegram,
            front_end,
        }))
    }

    /// Sends forever. The channels are independent, so a channel that does not respond does not delay the other one.
    pub(crate) async fn run(self, market: Arc<Market>) {
        tokio::join!(
            self.empty(&market, Channel::Webhook),
            self.empty(&market, Channel::Telegram)
        );
    }

    async fn empty(&self, market: &Market, channel: Channel) {
        loop {
            match self.round(market, channel).await {
                Ok(sent) if sent == ROWS => continue,
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "cannot read the outbox; trying again"),
            }
            // After a wake-up or a timeout, the outbox is read again.
            let _ = timeout(LOOK, market.hub.sender_woken(channel)).await;
        }
    }

    /// Sends the due notifications of one channel. Returns their number.
    async fn round(&self, market: &Market, channel: Channel) -> Result<i64, Refusal> {
        let due = {
            let mut db = market.store.read().await?;
            outbox::due(&mut db, channel, Time::now(), ROWS).await?
        };
        for row in &due {
            let arrived = self.send(row).await;
            let mut transaction = market.store.begin().await?;
            match arrived {
                Ok(()) => {
                    market.counters.sent.inc();
                    outbox::delete(&mut transaction, &row.id).await?;
                }
                Err(why) => {
                    market.counters.send_failures.inc();
                    let given_up = row.attempts + 1 >= TRIES;
                    tracing::warn!(id = %row.id, channel = row.channel.word(), why, given_up, "cannot deliver a notification");
                    if given_up {
                        outbox::delete(&mut transaction, &row.id).await?;
                    } else {
                        let again = Time::now().after(pause(row.attempts));
                        outbox::postpone(&mut transaction, &row.id, again).await?;
                    }
                }
            }
            transaction.commit().await?;
        }
        Ok(i64::try_from(due.len()).unwrap_or(i64::MAX))
    }

    /// Sends one notification. Errors do not contain the URL, because it may contain a token.
    async fn send(&self, row: &OutboxRow) -> Result<(), String> {
        let request = match (row.channel, &self.webhook, &self.telegram) {
            (Channel::Webhook, Some((url, secret)), _) => self
                .http
                .post(url.clone())
                .header("content-type", "application/json")
                .header("x-marketplace-delivery", row.id.as_str())
                .header(
                    "x-marketplace-signature",
                    signature::sign(secret, Time::now(), row.body.as_bytes()),
                )
                .body(row.body.clone()),
            (Channel::Telegram, _, Some(url)) => {
                let message = json!({ "chat_id": row.target, "text": self.text(&row.body) });
                self.http.post(url.clone()).json(&message)
            }
            _ => return Err("this channel is no longer configured".to_owned()),
        };
        let answer = request
            .send()
            .await
            .map_err(|error| error.without_url().to_string())?;
        if answer.status().is_success() {
            return Ok(());
        }
        Err(format!("response status {}", answer.status().as_u16()))
    }

    /// The text of a notification, for people.
    fn text(&self, body: &str) -> String {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let kind = word(&body["kind"]).replace('_', " ");
        let text = format!("{}: {kind}", word(&body["data"]["title"]));
        let Some(front_end) = &self.front_end else {
            return text;
        };
        format!(
            "{text}
{front_end}/requests/{}",
            word(&body["requestId"])
        )
    }
}

fn address(flag: &'static str, url: &str) -> Result<Url, AddressError> {
    let parsed = Url::parse(url).map_err(|error| AddressError::new(flag, error.to_string()))?;
    if matches!(parsed.scheme(), "http" | "https") {
        return Ok(parsed);
    }
    Err(AddressError::new(
        flag,
        "the URL must begin with `http:` or `https:`".to_owned(),
    ))
}

/// The pause before the next attempt. It starts at one second and doubles each time, up to [`LONGEST`].
fn pause(attempts: i64) -> Duration {
    let doubled = u32::try_from(attempts.clamp(0, 12)).unwrap_or_default();
    (Duration::from_secs(1) * 2_u32.pow(doubled)).min(LONGEST)
}
