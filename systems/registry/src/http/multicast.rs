use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::enumerate::filter;
use super::input;
use super::operation::Operation;
use crate::message::{JSON, MessageId, Mode};
use crate::multicast::{Multicast as Wanted, Outcome, Targets};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::Metadata;
use crate::registry::Registry;
use crate::tenant::Tenant;
use crate::tracking::{Cause, Status};

/// Default and maximum time to wait for acknowledgements, in milliseconds.
const TIMEOUT_MS: u64 = 1000;
const LONGEST_TIMEOUT_MS: u64 = 60_000;

/// Sends a message to many identities.
#[derive(Debug)]
pub(super) struct Multicast;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MulticastBody {
    /// Sends to the identities that meet this filter. Give either `filter` or `identities`.
    #[schemars(with = "Option<Metadata>")]
    filter: Option<Value>,
    /// Sends to these identities.
    #[schemars(with = "Option<Vec<Name>>")]
    identities: Option<Vec<String>>,
    /// The payload: any JSON, or a string if the content type is `text/…`.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Value")]
    payload: Option<Value>,
    /// The payload in base64, for other content types.
    payload_base64: Option<String>,
    /// Default: `application/json`.
    content_type: Option<String>,
    #[serde(default)]
    delivery: Mode,
    /// Time to wait for acknowledgements. 0: do not wait. Default: 1000.
    #[schemars(range(max = 60_000))]
    timeout_ms: Option<u64>,
    /// The caller's own id for the message: letters, digits, `-`, `_` and `:`. A repeated multicast with the same id is
    /// not sent again, if `delivery` is `exactly_once`.
    #[schemars(length(min = 1, max = 128), regex(pattern = "^[A-Za-z0-9_:-]+$"))]
    message_id: Option<String>,
    #[serde(default)]
    results: Results,
}

/// Which targets the response lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Results {
    #[default]
    All,
    /// Only those that did not receive the message in time.
    NotReceived,
    None,
}

/// What is known about the deliveries of a multicast.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Multicasted {
    message_id: String,
    /// The message was sent before, and was not sent again.
    repeated: bool,
    target_count: usize,
    received_count: usize,
    published_count: usize,
    queued_count: usize,
    timed_out_count: usize,
    failed_count: usize,
    results: Vec<Delivered>,
}

/// What is known about one delivery.
#[derive(Debug, Serialize, JsonSchema)]
struct Delivered {
    identity: Name,
    status: Status,
    /// Only if the delivery failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
}

impl Operation for Multicast {
    const ID: &'static str = "multicast";
    const SUMMARY: &'static str =
        "Sends a message to many identities and says what is known about each delivery";
    const REFUSALS: &'static [&'static str] = &[];
    type Body = MulticastBody;
    type Answer = Multicasted;

    async fn perform(
        registry: &Registry,
        tenant: &Arc<Tenant>,
        body: MulticastBody,
    ) -> Result<Multicasted, Refusal> {
        let listed = body.results;
        let wanted = wanted(body, tenant)?;
        let outcome = registry.multicast(tenant, wanted).await?;
        Ok(answer(outcome, listed))
    }
}

fn wanted(body: MulticastBody, tenant: &Tenant) -> Result<Wanted, Refusal> {
    let to = match (&body.filter, &body.identities) {
        (Some(value), None) => Targets::Filter(filter(Some(value))?),
        (None, Some(names)) => Targets::List(input::names(names)?),
        _ => {
            let why = "give either `filter` or `identities`; `{}` as filter means all".to_owned();
            return Err(Refusal::InvalidField("filter", why));
        }
    };
    let timeout = body.timeout_ms.unwrap_or(TIMEOUT_MS);
    if timeout > LONGEST_TIMEOUT_MS {
        let why = format!("must be at most {LONGEST_TIMEOUT_MS}");
        return Err(Refusal::InvalidField("timeout_ms", why));
    }
    let id = body.message_id.as_deref().map(|text| {
        let why = "must have 1 to 128 letters, digits, `-`, `_` or `:`".to_owned();
        MessageId::new(text).ok_or(Refusal::InvalidField("message_id", why))
    });
    let content_type = body.content_type.as_deref().unwrap_or(JSON);
    if content_type.len() > 100
        || !content_type
            .bytes()
            .all(|byte| (b' '..=b'~').contains(&byte))
    {
        let why = "must have at most 100 ASCII characters".to_owned();
        return Err(Refusal::InvalidField("content_type", why));
    }
    let payload = payload(content_type, body.payload, body.payload_base64.as_deref())?;
    let limit = tenant.limits.max_payload;
    if payload.len() > limit as usize {
        let size = payload.len();
        let why = format!("has {size} bytes, and at most {limit} are accepted");
        return Err(Refusal::InvalidField("payload", why));
    }
    Ok(Wanted {
        to,
        content_type: content_type.into(),
        mode: body.delivery,
        payload,
        timeout: Duration::from_millis(timeout),
        id: id.transpose()?,
    })
}

/// The bytes of the payload.
fn payload(
    content_type: &str,
    json: Option<Value>,
    base64: Option<&str>,
) -> Result<Bytes, Refusal> {
    let is_json = content_type.starts_with(JSON);
    match (json, base64) {
        (Some(json), None) if is_json => Ok(json.to_string().into()),
        (Some(Value::String(text)), None) => Ok(text.into()),
        (None, Some(text)) => {
            let bytes = BASE64_STANDARD.decode(text);
            let bytes = bytes
                .map_err(|error| Refusal::InvalidField("payload_base64", error.to_string()))?;
            if is_json && serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_err() {
                let why = "is not JSON, but the content type is".to_owned();
                return Err(Refusal::InvalidField("payload_base64", why));
            }
            Ok(bytes.into())
        }
        (Some(_), None) => {
            let why = format!("must be a string, because the content type is `{content_type}`");
            Err(Refusal::InvalidField("payload", why))
        }
        (Some(_), Some(_)) | (None, None) => {
            let why = "give either `payload` or `payload_base64`".to_owned();
            Err(Refusal::InvalidField("payload", why))
        }
    }
}

fn answer(outcome: Outcome, listed: Results) -> Multicasted {
    let mut answer = Multicasted {
        message_id: outcome.id.to_string(),
        repeated: outcome.repeated,
        target_count: outcome.results.len(),
        ..Multicasted::default()
    };
    for (identity, status, cause) in outcome.results {
        *match status {
            Status::Received => &mut answer.received_count,
            Status::Published => &mut answer.published_count,
            Status::Queued => &mut answer.queued_count,
            Status::TimedOut => &mut answer.timed_out_count,
            Status::Failed => &mut answer.failed_count,
        } += 1;
        let is_listed = match listed {
            Results::All => true,
            Results::NotReceived => status != Status::Received,
            Results::None => false,
        };
        if is_listed {
            answer.results.push(Delivered {
                identity,
                status,
                cause,
            });
        }
    }
    answer
}

/// Distinguishes a payload `null` from a missing payload.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
