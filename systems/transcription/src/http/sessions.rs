use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use redis::RedisError;
use serde_json::{Map, Value, json};

use crate::answer::detail;
use crate::service::Service;
use crate::sessions::State as SessionState;

/// Maximum number of sessions in a list.
const LISTED: usize = 10_000;

/// `GET /v1/health`
pub(super) async fn health(State(service): State<Arc<Service>>) -> Response {
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "active_sessions": service.sessions.count(),
    }))
    .into_response()
}

/// `GET /v1/sessions`: all sessions, up to a limit. The count is that of all sessions.
pub(super) async fn list(State(service): State<Arc<Service>>) -> Response {
    let mut lines = service.sessions.lines(LISTED);
    let mut count = service.sessions.count();
    if let Some(shared) = service.sessions.shared() {
        match shared.others(LISTED - lines.len()).await {
            Ok((others, all)) => {
                lines.extend(others.into_iter().map(|shown| shown.line));
                count += all;
            }
            Err(error) => return unavailable(&error),
        }
    }
    let count = if lines.len() < LISTED {
        lines.len()
    } else {
        count
    };
    Json(json!({ "count": count, "sessions": lines })).into_response()
}

fn unavailable(error: &RedisError) -> Response {
    tracing::warn!(%error, "the session table cannot be reached");
    detail(
        StatusCode::SERVICE_UNAVAILABLE,
        "Session table is not available",
    )
}

/// `GET /v1/sessions/metrics`: sums over live sessions.
pub(super) async fn sums(State(service): State<Arc<Service>>) -> Response {
    Json(service.sessions.sums()).into_response()
}

/// `DELETE /v1/sessions/{id}`
pub(super) async fn end(State(service): State<Arc<Service>>, Path(id): Path<String>) -> Response {
    let mut found = service.sessions.end(&id);
    if !found && let Some(shared) = service.sessions.shared() {
        match shared.end(&id).await {
            Ok(ended) => found = ended,
            Err(error) => return unavailable(&error),
        }
    }
    if found {
        Json(json!({ "status": "closed", "session_id": id })).into_response()
    } else {
        detail(StatusCode::NOT_FOUND, "Session not found")
    }
}

/// `GET /v1/metrics`: the state of this worker.
pub(super) async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let (active, most) = (service.sessions.count(), service.sessions.limit());
    let states = SessionState::ALL.map(|state| {
        let count = service.sessions.count_in(state);
        (state.name().to_owned(), Value::from(count))
    });
    let mut answer = json!({
        "active_sessions": active,
        "max_sessions": most,
        "capacity_percent": active as f64 * 100.0 / f64::from(most),
        "sessions_by_state": Map::from_iter(states),
        "worker_id": service.worker,
        "uptime_seconds": service.started.elapsed().as_secs_f64(),
    });
    if let Some(shared) = service.sessions.shared() {
        let count = shared.count().await.inspect_err(|error| {
            tracing::warn!(%error, "the session table cannot be reached");
        });
        // The other figures are known without Redis.
        answer["global_sessions"] = count.ok().into();
        answer["max_global_sessions"] = shared.limit().into();
    }
    Json(answer).into_response()
}
