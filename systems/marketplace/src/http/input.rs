use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::refusal::Refusal;
use crate::store::answers::Key;
use crate::types::{Id, PageSize};
use crate::work::Actor;

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

/// The whole body, at most `limit` bytes.
pub(super) async fn body(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let too_large = || Refusal::BodyTooLarge { limit };
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    to_bytes(body, limit).await.map_err(|error| {
        let cause = std::error::Error::source(&error);
        match cause.is_some_and(|cause| cause.is::<http_body_util::LengthLimitError>()) {
            true => too_large(),
            false => Refusal::BodyIncomplete,
        }
    })
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
    if kind.is_some_and(|kind| !is_json(kind)) {
        return Err(Refusal::NotJson);
    }
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| Refusal::InvalidJson(error.to_string()))
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
    let mut hash = Sha256::new();
    for part in [operation.as_bytes(), parts.uri.path().as_bytes(), body] {
        hash.update(part);
        hash.update([0]);
    }
    Ok(Some(Key {
        caller: actor.name(),
        name: name.to_owned(),
        fingerprint: format!("{:x}", hash.finalize()),
    }))
}
