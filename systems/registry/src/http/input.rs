use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Query};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use kit::body::BodyError;
use serde::de::DeserializeOwned;

use crate::name::Name;
use crate::refusal::Refusal;

/// Maximum size of a body in bytes. A multicast to a list names its targets.
const LARGEST_BODY: usize = 4 << 20;
/// Maximum number of identities in a list.
const MOST: usize = 50_000;

/// Reads a JSON body.
pub(super) async fn body(parts: &Parts, body: Body) -> Result<Bytes, Refusal> {
    let bytes = kit::body::read(body, LARGEST_BODY).await;
    let bytes = bytes.map_err(|error| match error {
        BodyError::TooLarge(limit) => Refusal::BodyTooLarge(limit),
        BodyError::Crowded => Refusal::Crowded,
        BodyError::Incomplete => Refusal::BodyIncomplete,
    })?;
    if !bytes.is_empty() && !is_json(parts) {
        return Err(Refusal::NotJson);
    }
    Ok(bytes)
}

/// Whether the body is declared as JSON, or not declared.
fn is_json(parts: &Parts) -> bool {
    let Some(kind) = parts.headers.get(CONTENT_TYPE) else {
        return true;
    };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// Reads the query parameters.
pub(super) async fn query<T: DeserializeOwned>(parts: &mut Parts) -> Result<T, Refusal> {
    let query = Query::<T>::from_request_parts(parts, &()).await;
    query
        .map(|Query(query)| query)
        .map_err(|error| Refusal::InvalidQuery(error.body_text()))
}

/// Reads a list of identities.
pub(super) fn names(texts: &[String]) -> Result<Vec<Name>, Refusal> {
    few(texts, "identities", MOST)?;
    let names = texts.iter().map(|text| Name::new(text));
    Ok(names.collect::<Result<_, _>>()?)
}

/// Refuses a list that is too long.
pub(super) fn few<T>(list: &[T], field: &'static str, most: usize) -> Result<(), Refusal> {
    if list.len() > most {
        return Err(Refusal::InvalidField(
            field,
            format!("at most {most} are accepted"),
        ));
    }
    Ok(())
}
