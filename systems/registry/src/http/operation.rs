use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use kit::memory::COUNTED;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::input;
use crate::metrics::Answered;
use crate::refusal::Refusal;
use crate::registry::Registry;
use crate::tenant::Tenant;

/// Permit for reading a large body.
static LARGE: Semaphore = Semaphore::const_new(1);

/// An operation that reads a JSON body and answers with JSON. It belongs to one namespace.
pub(super) trait Operation: 'static {
    /// The name, which is also the last part of the path.
    const ID: &'static str;
    const SUMMARY: &'static str;
    /// Statuses with which the operation may be refused, in addition to those that any operation may have.
    const REFUSALS: &'static [&'static str];
    type Body: DeserializeOwned + JsonSchema + Send;
    type Answer: Serialize + JsonSchema;

    fn perform(
        registry: &Registry,
        tenant: &Arc<Tenant>,
        body: Self::Body,
    ) -> impl Future<Output = Result<Self::Answer, Refusal>> + Send;
}

/// Handles a request for an operation.
pub(super) async fn handle<O: Operation>(
    State(registry): State<Arc<Registry>>,
    request: Request,
) -> Response {
    let answer = answer::<O>(&registry, request).await;
    finish(&registry, O::ID, answer).await
}

async fn answer<O: Operation>(registry: &Registry, request: Request) -> Result<Response, Refusal> {
    let (mut parts, body) = request.into_parts();
    let tenant = tenant(registry, &mut parts, None).await?;
    let bytes = input::body(&parts, body).await?;
    let body = read(&bytes).await?;
    let answer = O::perform(registry, &tenant, body).await?;
    Ok((StatusCode::OK, Json(answer)).into_response())
}

/// Reads a JSON body. Large ones are read one after the other, so that other requests need not wait for several of them.
async fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    let _turn = match bytes.len() {
        ..COUNTED => None,
        // An error would mean that the semaphore was closed, which never happens.
        _ => LARGE.acquire().await.ok(),
    };
    kit::json::object(bytes).map_err(|error| Refusal::InvalidJson(error.to_string()))
}

/// Counts a response and applies injected delays to it.
pub(super) async fn finish(
    registry: &Registry,
    operation: &'static str,
    answer: Result<Response, Refusal>,
) -> Response {
    let status = match &answer {
        Ok(response) => response.status().as_u16(),
        Err(refusal) => refusal.status(),
    };
    let answered = Answered { operation, status };
    registry.counters.answers.get_or_create(&answered).inc();
    if let Some(faults) = &registry.faults {
        faults.hold(Instant::now()).await;
    }
    answer.unwrap_or_else(IntoResponse::into_response)
}

/// The namespace in the path, if the caller's token is right. The token comes from the header, or else from the query,
/// because browsers cannot send headers when they open a stream.
pub(super) async fn tenant(
    registry: &Registry,
    parts: &mut Parts,
    in_query: Option<&str>,
) -> Result<Arc<Tenant>, Refusal> {
    let path = Path::<String>::from_request_parts(parts, &()).await;
    let Path(namespace) = path.map_err(|_| Refusal::UnknownNamespace)?;
    let header = parts.headers.get(AUTHORIZATION);
    let header = header.and_then(|header| header.to_str().ok()?.split_once(' '));
    let bearer = header.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let token = bearer.map(|(_, token)| token.trim()).or(in_query);
    registry.tenant(&namespace, token).cloned()
}
