use std::sync::Arc;

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use kit::serve::Connections;
use prometheus_client::registry::Registry as Metrics;
use serde_json::{Map, Value, json};

use super::acknowledge::Acknowledge;
use super::describe::{Describer, StreamRoute};
use super::enumerate::Enumerate;
use super::multicast::Multicast;
use super::operation::{Operation, handle};
use super::register::{Refresh, Register, Unregister};
use super::streams::{self, InboxQuery, WatchQuery};
use crate::metrics::Population;
use crate::refusal::Refusal;
use crate::registry::Registry;

const SOCKET: StreamRoute = StreamRoute {
    id: "inbox.ws",
    path: "/v1/{namespace}/inbox/ws",
    summary: "The messages to an identity over WebSocket, acknowledged on the same connection",
    status: "101",
    content_type: "text/plain",
};
const EVENTS: StreamRoute = StreamRoute {
    id: "inbox.events",
    path: "/v1/{namespace}/inbox/events",
    summary: "The messages to an identity as server-sent events, acknowledged by `acknowledge`",
    status: "200",
    content_type: "text/event-stream",
};
const WATCH: StreamRoute = StreamRoute {
    id: "watch",
    path: "/v1/{namespace}/watch",
    summary: "The changes of registrations as server-sent events",
    status: "200",
    content_type: "text/event-stream",
};

/// The router and the `OpenAPI` description of its routes.
#[derive(Default)]
struct Routes {
    router: Router<Arc<Registry>>,
    describer: Describer,
}

impl Routes {
    fn operation<O: Operation>(mut self, path: &'static str) -> Self {
        self.describer.operation::<O>(path);
        self.router = self.router.route(path, post(handle::<O>));
        self
    }
}

/// Builds the router with all routes of the registry.
pub(crate) fn router(registry: &Arc<Registry>, connections: &Connections) -> Router {
    let routes = Routes::default()
        .operation::<Register>("/v1/{namespace}/register")
        .operation::<Refresh>("/v1/{namespace}/refresh")
        .operation::<Unregister>("/v1/{namespace}/unregister")
        .operation::<Enumerate>("/v1/{namespace}/enumerate")
        .operation::<Multicast>("/v1/{namespace}/multicast")
        .operation::<Acknowledge>("/v1/{namespace}/acknowledge");
    let Routes {
        router,
        mut describer,
    } = routes;
    describer.stream::<InboxQuery>(SOCKET);
    describer.stream::<InboxQuery>(EVENTS);
    describer.stream::<WatchQuery>(WATCH);
    let description = describer.finish().to_string();
    let description = async move || {
        let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        (kind, description).into_response()
    };

    let mut metrics = Metrics::default();
    registry.counters.register(&mut metrics);
    metrics.register_collector(Box::new(Population(registry.tenants.clone())));
    connections.register(&mut metrics);
    let (asked, connections) = (registry.clone(), connections.clone());
    let health = move || health(&asked, &connections);
    let faults = registry.faults.clone();
    let common = kit::metrics::routes(metrics, faults, env!("CARGO_PKG_VERSION"), health);
    router
        .route(SOCKET.path, get(streams::socket))
        .route(EVENTS.path, get(streams::events))
        .route(WATCH.path, get(streams::changes))
        .route("/openapi.json", get(description))
        .merge(common)
        .fallback(async || Refusal::UnknownRoute)
        .method_not_allowed_fallback(async || Refusal::WrongMethod)
        .with_state(registry.clone())
}

/// The body of `/healthz`.
fn health(registry: &Registry, connections: &Connections) -> Map<String, Value> {
    let tenants = registry.tenants.values();
    let identities: usize = tenants.clone().map(|tenant| tenant.view.read().len()).sum();
    let receivers: usize = tenants.clone().map(|tenant| tenant.receivers()).sum();
    let reasons = registry.reasons();
    let status = if reasons.is_empty() { "ok" } else { "degraded" };
    let facts = [
        ("status", json!(status)),
        ("reasons", json!(reasons)),
        ("backend", json!(registry.backend.kind())),
        ("namespaces", json!(tenants.len())),
        ("identities", json!(identities)),
        ("receivers", json!(receivers)),
        ("connections", json!(connections.open())),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    facts.into_iter().collect()
}
