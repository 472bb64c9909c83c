use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use kit::serve::Connections;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

use super::{describe, page, sessions, transcribe};
use crate::answer::detail;
use crate::service::Service;
use crate::socket;

/// Builds the router with all routes of the service.
pub(crate) fn router(service: &Arc<Service>, connections: &Connections) -> Router {
    let mut registry = Registry::default();
    service.counters.register(&mut registry);
    connections.register(&mut registry);
    registry.register_collector(Box::new(LiveSessions(service.clone())));
    let (asked, connections) = (service.clone(), connections.clone());
    let health = move || health(&asked, &connections);
    let faults = service.faults.clone();
    let common = kit::metrics::routes(registry, faults, env!("CARGO_PKG_VERSION"), health);
    Router::new()
        .route("/v1/health", get(sessions::health))
        .route("/v1/transcribe", post(transcribe::transcribe))
        .route("/v1/transcribe/stream", get(socket::open))
        .route("/v1/sessions", get(sessions::list))
        .route("/v1/sessions/metrics", get(sessions::sums))
        .route("/v1/sessions/{id}", delete(sessions::end))
        .route("/v1/metrics", get(sessions::metrics))
        .route("/", get(page::page))
        .route("/favicon.svg", get(page::page))
        .route("/assets/{file}", get(page::page))
        .route("/openapi.json", get(describe::openapi))
        .route("/docs", get(describe::page))
        .route("/redoc", get(describe::page))
        .merge(common)
        .fallback(async || detail(StatusCode::NOT_FOUND, "Not Found"))
        .method_not_allowed_fallback(async || {
            detail(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
        })
        .with_state(service.clone())
}

fn health(service: &Service, connections: &Connections) -> Map<String, Value> {
    let recognition = if service.config.engine.serial {
        "serial"
    } else {
        "pipelined"
    };
    let facts = [
        ("sessions", Value::from(service.sessions.count())),
        ("max_sessions", Value::from(service.sessions.limit())),
        ("connections", Value::from(connections.open())),
        ("recognition", Value::from(recognition)),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    facts.into_iter().collect()
}

/// The number of live sessions, read when the metrics are requested.
#[derive(Debug)]
struct LiveSessions(Arc<Service>);

impl prometheus_client::collector::Collector for LiveSessions {
    fn encode(
        &self,
        mut encoder: prometheus_client::encoding::DescriptorEncoder<'_>,
    ) -> Result<(), std::fmt::Error> {
        use prometheus_client::encoding::EncodeMetric;
        let live = i64::try_from(self.0.sessions.count()).unwrap_or(i64::MAX);
        let gauge = ConstGauge::new(live);
        let kind = gauge.metric_type();
        gauge.encode(encoder.encode_descriptor(
            "asr_active_sessions",
            "Live sessions",
            None,
            kind,
        )?)
    }
}
