use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use kit::body::BodyError;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::refusal::Refusal;
use crate::store::answers::Key;
use crate::work::Actor;

/// Parses the ids in the path. A malformed id is reported as not found, because nothing can have this id.
pub(super) async fn path<T: DeserializeOwned + Send>(parts: &mut Parts) -> Result<T, Refusal> {
    let path = Path::<T>::from_request_parts(parts, &()).await;
    path.map(|Path(path)| path)
        .map_err(|_| Refusal::NotFound("resource"))
}

pub(super) async fn query<T: DeserializeOwned>(parts: &mut Parts) -> Result<T, Refusal> {
    let query = Query::<T>::from_request_parts(parts, &()).await;
    query
        .map(|Query(query)| query)
        .map_err(|error| Refusal::InvalidQuery(error.body_text()))
}

/// Reads the whole body, at most `limit` bytes.
pub(super) async fn body(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let read = kit::body::read(body, limit).await;
    read.map_err(|error| match error {
        BodyError::TooLarge(limit) => Refusal::BodyTooLarge { limit },
        BodyError::Crowded => Refusal::Crowded,
        BodyError::Incomplete => Refusal::BodyIncomplete,
    })
}

/// Parses a JSON body. An empty body counts as `{}`.
pub(super) fn json<T: DeserializeOwned>(parts: &Parts, bytes: &[u8]) -> Result<T, Refusal> {
    let kind = parts
        .headers
        .get(CONTENT_TYPE)
        .map(|kind| kind.to_str().unwrap_or_default());
    let is_json = |kind: &str| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/json")
    };
    // Some clients send a `Content-Type` without a body.
    if !bytes.is_empty() && kind.is_some_and(|kind| !is_json(kind)) {
        return Err(Refusal::NotJson);
    }
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    kit::json::object(bytes).map_err(|error| Refusal::InvalidJson(error.to_string()))
}

/// The idempotency key of a write, if the request has one.
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

/// Converts an idempotency key to its stored form.
///
/// A body may contain a password, which must not be guessable from the request's fingerprint. The fingerprint therefore
/// includes the key, of which only a hash is stored. Callers without login cannot be distinguished, so the fingerprint
/// becomes part of their name. If such callers send the same key with different bodies, they count as different
/// callers.
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
