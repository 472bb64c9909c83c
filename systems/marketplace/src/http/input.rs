use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use http_body_util::BodyExt;
use kit::serve::BODY_LIMIT;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::refusal::Refusal;
use crate::store::answers::Key;
use crate::types::{Id, PageSize};
use crate::work::Actor;

/// So much of a body that is too large is read and thrown away.
const DRAINED: usize = 1 << 20;

/// A body, or an answer, that says nothing: `{}`. As a body, nothing at all will do.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Empty {}

/// No query is looked at.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(crate) struct NoQuery {}

/// The query of a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct PageQuery {
    pub(crate) limit: Option<PageSize>,
    /// The `next` of the page before.
    pub(crate) after: Option<Id>,
}

/// What the path names; what cannot be read names nothing that there is.
pub(super) async fn path<T: DeserializeOwned + Send>(parts: &mut Parts) -> Result<T, Refusal> {
    let path = Path::<T>::from_request_parts(parts, &()).await;
    path.map(|Path(path)| path)
        .map_err(|_| Refusal::NotFound("thing"))
}

pub(super) async fn query<T: DeserializeOwned>(parts: &mut Parts) -> Result<T, Refusal> {
    let query = Query::<T>::from_request_parts(parts, &()).await;
    query
        .map(|Query(query)| query)
        .map_err(|error| Refusal::InvalidQuery(error.body_text()))
}

/// The whole body, at most `limit` bytes. What is too large is read a while longer, so that its sender
/// hears why it was refused instead of finding the connection closed.
pub(super) async fn body(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let read = timeout(BODY_LIMIT, take(body, limit)).await;
    let (whole, length) = read.map_err(|_| Refusal::BodyIncomplete)??;
    if length > limit {
        return Err(Refusal::BodyTooLarge { limit });
    }
    Ok(whole.into())
}

/// At most `limit` bytes of a body, and how long it was.
async fn take(mut body: Body, limit: usize) -> Result<(Vec<u8>, usize), Refusal> {
    let (mut whole, mut length) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::BodyIncomplete)?;
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        length += piece.len();
        if length <= limit {
            whole.extend_from_slice(&piece);
        }
        if length > limit + DRAINED {
            break;
        }
    }
    Ok((whole, length))
}

/// Reads a body; one of nothing is `{}`.
pub(super) fn json<T: DeserializeOwned>(parts: &Parts, bytes: &[u8]) -> Result<T, Refusal> {
    let kind = parts
        .headers
        .get(CONTENT_TYPE)
        .map(|kind| kind.to_str().unwrap_or_default());
    let is_json = |kind: &str| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/json")
    };
    // Some clients name a type though they send nothing.
    if !bytes.is_empty() && kind.is_some_and(|kind| !is_json(kind)) {
        return Err(Refusal::NotJson);
    }
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    kit::json::object(bytes).map_err(|error| Refusal::InvalidJson(error.to_string()))
}

/// The key under which a write is to be done once, if it names one.
pub(super) fn key(
    parts: &Parts,
    actor: &Actor,
    operation: &str,
    body: &[u8],
) -> Result<Option<Key>, Refusal> {
    let Some(name) = parts.headers.get("idempotency-key") else {
        return Ok(None);
    };
    let name = name.to_str().map_err(|_| Refusal::InvalidKey)?;
    let fits = (1..=200).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
    if !fits {
        return Err(Refusal::InvalidKey);
    }
    let path = parts.uri.path().as_bytes();
    Ok(Some(kept(name, actor, [operation.as_bytes(), path, body])))
}

/// A key as it is kept. A body may hold a password: whoever reads the database has nothing to try
/// guesses against, unless the key itself is known, of which nothing but a hash is kept. Strangers have
/// no name of their own, so that the same key with another body is somebody else's.
fn kept(name: &str, actor: &Actor, asked: [&[u8]; 3]) -> Key {
    let mut hash = Sha256::new();
    for part in [name.as_bytes()].into_iter().chain(asked) {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let fingerprint = format!("{:x}", hash.finalize());
    let caller = match actor {
        Actor::Nobody => format!("nobody/{fingerprint}"),
        _ => actor.name(),
    };
    Key {
        caller,
        name: format!("{:x}", Sha256::digest(name)),
        fingerprint,
    }
}
