use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use kit::serve::Connections;
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

use super::{chat, rooms, sessions};
use crate::bridge::Bridge;
use crate::refusal::Refusal;
use crate::socket;

/// Builds the router with all routes of the bridge.
pub(crate) fn router(bridge: &Arc<Bridge>, connections: &Connections) -> Router {
    let mut registry = Registry::default();
    bridge.counters.register(&mut registry);
    connections.register(&mut registry);
    let (asked, connections) = (bridge.clone(), connections.clone());
    let health = move || health(&asked, &connections);
    let faults = bridge.faults.clone();
    let common = kit::metrics::routes(registry, faults, env!("CARGO_PKG_VERSION"), health);
    Router::new()
        .route("/bridge/chat", post(say))
        .route("/bridge/move", post(rooms::go))
        .route("/bridge/rooms", get(rooms::list))
        .route("/bridge/sessions", get(sessions::list))
        .route(
            "/bridge/sessions/{secret}",
            get(sessions::inspect).delete(sessions::end),
        )
        .route("/bridge/ws", get(socket::open))
        .merge(common)
        .fallback(async || Refusal::UnknownRoute.into_response())
        .method_not_allowed_fallback(async || Refusal::WrongMethod.into_response())
        .with_state(bridge.clone())
}

async fn say(State(bridge): State<Arc<Bridge>>, request: Request) -> Response {
    let address = bridge.address_of(request.extensions(), request.headers());
    let answer = chat::respond(&bridge, address, request.into_body()).await;
    answer.map(Body::new)
}

fn health(bridge: &Bridge, connections: &Connections) -> Map<String, Value> {
    let house = bridge.house();
    let facts = [
        ("sessions", Value::from(house.active())),
        ("sockets", Value::from(house.listening())),
        ("connections", Value::from(connections.open())),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    facts.into_iter().collect()
}
