use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Query, State};
use axum::http::{Extensions, HeaderMap};
use axum::response::Response;
use kit::serve::Place;
use kit::socket::Socket;
use serde::Deserialize;
use tokio::time::Instant;

use super::connection::Connection;
use super::seat::Seat;
use crate::bridge::Bridge;
use crate::refusal::Refusal;

/// Read buffer in bytes. It is small because messages are typed by users and ten thousand connections may be idle.
const READ_BUFFER: usize = 1024;
/// Write buffer in bytes. It collects the messages of one burst.
const WRITE_BUFFER: usize = 16 * 1024;

/// Query parameters of a new connection.
#[derive(Debug, Deserialize)]
pub(crate) struct Visitor {
    user: String,
    room: Option<String>,
    session: Option<String>,
    #[serde(default)]
    presence: bool,
}

/// `GET /bridge/ws`
pub(crate) async fn open(
    State(bridge): State<Arc<Bridge>>,
    extensions: Extensions,
    headers: HeaderMap,
    visitor: Result<Query<Visitor>, QueryRejection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refusal> {
    let Query(visitor) = visitor.map_err(|error| Refusal::InvalidQuery(error.body_text()))?;
    let upgrade = upgrade.map_err(|error| Refusal::NotAnUpgrade(error.body_text()))?;
    let secret = visitor.session.as_deref().map(str::parse).transpose();
    let secret = secret.map_err(|_| Refusal::WrongSession)?;
    let room = visitor.room.as_deref();
    let (address, now) = (bridge.address_of(&extensions, &headers), Instant::now());
    // Reserve the session before the upgrade, so that a refusal is an HTTP error with a status.
    let ticket = bridge
        .house()
        .seat(address, &visitor.user, room, secret, now);
    let ticket = ticket.inspect_err(|_| {
        bridge.counters.refusals.inc();
    })?;

    let most = bridge.max_body as usize;
    let seat = Seat::new(bridge, ticket);
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(most)
        .max_frame_size(most);
    let place = extensions.get::<Place>().cloned();
    Ok(upgrade.on_upgrade(move |socket| async move {
        // The upgraded socket counts as an open connection until it closes.
        let _place = place;
        Connection::run(Socket::new(socket), seat, visitor.presence).await;
    }))
}
