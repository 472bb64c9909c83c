use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use crate::answer::detail;
use crate::service::Service;
use crate::sessions::State as SessionState;

/// `GET /v1/health`
pub(super) async fn health(State(service): State<Arc<Service>>) -> Response {
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "active_sessions": service.sessions.count(),
    }))
    .into_response()
}

/// `GET /v1/sessions`
pub(super) async fn list(State(service): State<Arc<Service>>) -> Response {
    let lines = service.sessions.lines();
    Json(json!({ "count": lines.len(), "sessions": lines })).into_response()
}

/// `GET /v1/sessions/metrics`: sums over live sessions.
pub(super) async fn sums(State(service): State<Arc<Service>>) -> Response {
    Json(service.sessions.sums()).into_response()
}

/// `DELETE /v1/sessions/{id}`
pub(super) async fn end(State(service): State<Arc<Service>>, Path(id): Path<String>) -> Response {
    if service.sessions.end(&id) {
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
    Json(json!({
        "active_sessions": active,
        "max_sessions": most,
        "capacity_percent": active as f64 * 100.0 / f64::from(most),
        "sessions_by_state": Map::from_iter(states),
        "worker_id": service.worker,
        "uptime_seconds": service.started.elapsed().as_secs_f64(),
    }))
    .into_response()
}
