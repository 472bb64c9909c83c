use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::Response;
use kit::secret::Secret;
use kit::serve::Place;
use tokio::time::Instant;

use super::answer::{finish, json, until};
use super::input;
use crate::market::Market;
use crate::operation::{Access, Route};
use crate::push::{StreamQuery, open_socket, open_stream};
use crate::refusal::Refusal;
use crate::signature;
use crate::store::PATIENCE;
use crate::trade::{ProviderEvent, TakeEvent};
use crate::types::Time;
use crate::work::Actor;

pub(super) const STREAM: Route = Route::get("notifications.stream", "/api/notifications/stream")
    .says("The caller's notifications as server-sent events: new ones, or those after a position");
pub(super) const SOCKET: Route = Route::get("notifications.socket", "/api/notifications/ws")
    .says("The caller's notifications by WebSocket: new ones, or those after a position");
pub(super) const WEBHOOK: Route = Route::post("payments.webhook", "/api/payments/webhook")
    .says("Events of the payment provider, signed in `X-Payment-Signature: t=SECONDS,v1=HMAC`")
    .by(Access::Anyone);
pub(super) const DESCRIPTION: Route = Route::get("openapi", "/openapi.json")
    .says("This description")
    .by(Access::Anyone);

/// The secret with which the provider signs its webhooks.
#[derive(Clone, Debug)]
pub(super) struct Provider(pub(super) Option<Secret>);

/// `GET /api/notifications/stream`
pub(super) async fn stream(State(market): State<Arc<Market>>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let ticket = market.door.admit(STREAM.id, &parts);
    let work = async {
        let query: StreamQuery = input::query(&mut parts).await?;
        let token = token(&parts, &query)?;
        let last = parts
            .headers
            .get("last-event-id")
            .and_then(|id| id.to_str().ok());
        let opened = open_stream(market.clone(), &token, query, last);
        until(Instant::now() + PATIENCE, opened).await
    };
    finish(&market, &STREAM, ticket, work).await
}

/// `GET /api/notifications/ws`
pub(super) async fn socket(State(market): State<Arc<Market>>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let ticket = market.door.admit(SOCKET.id, &parts);
    let work = async {
        let query: StreamQuery = input::query(&mut parts).await?;
        let token = token(&parts, &query)?;
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await;
        let upgrade = upgrade.map_err(|error| Refusal::InvalidUpgrade(error.body_text()))?;
        let place = parts.extensions.get::<Place>().cloned();
        let opened = open_socket(market.clone(), &token, query, upgrade, place);
        until(Instant::now() + PATIENCE, opened).await
    };
    finish(&market, &SOCKET, ticket, work).await
}

/// The access token of a stream. Comes from the `Authorization` header, or else from the query.
fn token(parts: &Parts, query: &StreamQuery) -> Result<String, Refusal> {
    let header = parts
        .headers
        .get(AUTHORIZATION)
        .and_then(|header| header.to_str().ok());
    let bearer = header
        .and_then(|header| header.strip_prefix("Bearer "))
        .map(str::to_owned);
    bearer
        .or_else(|| query.access_token.clone())
        .ok_or(Refusal::Unauthenticated)
}

/// `POST /api/payments/webhook`
pub(super) async fn webhook(
    State(market): State<Arc<Market>>,
    provider: Provider,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let ticket = market.door.admit(WEBHOOK.id, &parts);
    let work = async {
        let bytes = input::body(body, market.door.max_body).await?;
        let secret = provider.0.ok_or(Refusal::NotFound("payment provider"))?;
        let signature = parts.headers.get("x-payment-signature");
        let signature = signature
            .and_then(|header| header.to_str().ok())
            .unwrap_or_default();
        if !signature::is_good(&secret, signature, Time::now(), &bytes) {
            return Err(Refusal::WrongSignature);
        }
        let event: ProviderEvent = input::json(&parts, &bytes)?;
        let (deadline, event) = (Instant::now() + PATIENCE, TakeEvent(event));
        let taken = market.perform(&Actor::Provider, None, &event);
        let done = until(deadline, taken).await?;
        Ok(json(StatusCode::OK, done.body))
    };
    finish(&market, &WEBHOOK, ticket, work).await
}
