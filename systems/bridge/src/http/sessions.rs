use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kit::token::Token;
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use crate::bridge::Bridge;
use crate::refusal::Refusal;

/// Default number of sessions on one page.
const PAGE: usize = 100;
/// Maximum number of sessions on one page.
const LARGEST_PAGE: usize = 1000;

/// Query parameters that select a page of sessions.
#[derive(Debug, Deserialize)]
pub(super) struct Page {
    limit: Option<usize>,
    #[serde(default)]
    after: u64,
    count: Option<String>,
}

/// `GET /bridge/sessions`
pub(super) async fn list(
    State(bridge): State<Arc<Bridge>>,
    page: Result<Query<Page>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(page) = page.map_err(|error| Refusal::InvalidQuery(error.body_text()))?;
    let house = bridge.house();
    let active = house.active();
    if page.count.is_some() {
        return Ok(Json(json!({ "active": active })).into_response());
    }
    let limit = page.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE);
    let sessions = house.session_lines(page.after, limit, Instant::now());
    let last = sessions.last().map(|session| session.id);
    let next = last.filter(|_| sessions.len() == limit);
    let answer = json!({ "active": active, "sessions": sessions, "next": next });
    Ok(Json(answer).into_response())
}

/// `GET /bridge/sessions/{secret}`
pub(super) async fn inspect(
    State(bridge): State<Arc<Bridge>>,
    Path(secret): Path<String>,
) -> Result<Response, Refusal> {
    let house = bridge.house();
    let inside = house.inside(read_secret(&secret)?, Instant::now())?;
    Ok(Json(json!(inside)).into_response())
}

/// `DELETE /bridge/sessions/{secret}`
pub(super) async fn end(
    State(bridge): State<Arc<Bridge>>,
    Path(secret): Path<String>,
) -> Result<StatusCode, Refusal> {
    bridge.house().end_by_secret(read_secret(&secret)?)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Parses a secret. A malformed secret gives the same error as an unknown one.
fn read_secret(text: &str) -> Result<Token, Refusal> {
    text.parse().map_err(|_| Refusal::UnknownSession)
}
