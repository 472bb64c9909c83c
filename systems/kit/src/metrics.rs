//! `/metrics` (Prometheus text), `/healthz` and `/faults`, which every system serves.

use std::sync::Arc;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde_json::{Map, Value, json};

use crate::fault::Faults;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The three routes. `/healthz` contains `status`, `version`, `faults` and the fields that `health` returns.
pub fn routes<S, H>(
    mut registry: Registry,
    faults: Option<Arc<Faults>>,
    version: &'static str,
    health: H,
) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    H: Fn() -> Map<String, Value> + Clone + Send + Sync + 'static,
{
    if let Some(faults) = &faults {
        faults.tally().register(&mut registry);
    }
    let registry = Arc::new(registry);
    let ordered = faults.as_ref().map(|faults| faults.spec().parts());
    let healthz = async move || {
        let mut answer = Map::new();
        answer.insert("status".to_owned(), "ok".into());
        answer.insert("version".to_owned(), version.into());
        answer.insert("faults".to_owned(), json!(ordered.unwrap_or_default()));
        answer.extend(health());
        Json(Value::Object(answer))
    };
    Router::new()
        .route("/metrics", get(async move || exposition(&registry)))
        .route("/healthz", get(healthz))
        .merge(crate::fault::routes(faults))
}

fn exposition(registry: &Registry) -> Response {
    let mut text = String::new();
    // Writing to a string cannot fail, so an error is a bug in a metric.
    match encode(&mut text, registry) {
        Ok(()) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
