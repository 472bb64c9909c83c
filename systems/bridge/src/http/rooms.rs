use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::time::Instant;

use super::body;
use crate::bridge::Bridge;
use crate::refusal::Refusal;
use crate::wire::{self, Move};

/// `GET /bridge/rooms`
pub(super) async fn list(State(bridge): State<Arc<Bridge>>) -> Response {
    let house = bridge.house();
    Json(json!({ "rooms": house.room_lines() })).into_response()
}

/// `POST /bridge/move`
pub(super) async fn go(State(bridge): State<Arc<Bridge>>, body: Body) -> Result<Response, Refusal> {
    let bytes = body::read(body, bridge.max_body).await?;
    let request: Move<'_> = wire::read(&bytes)?;
    let (user, room) = (&request.user, &request.room);
    let sequence = bridge
        .house()
        .go(user, &request.session, room, Instant::now())?;
    Ok(Json(json!({ "user": user, "room": room, "sequence": sequence })).into_response())
}
