use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Query, State};
use axum::http::{Extensions, StatusCode};
use axum::response::{IntoResponse, Response};
use kit::serve::Place;
use kit::socket::Socket;

use super::connection::Connection;
use crate::answer::detail;
use crate::query::FormatQuery;
use crate::service::Service;

/// Read buffer in bytes. A chunk of 20 ms is a message of 890 bytes.
const READ_BUFFER: usize = 4096;
/// Write buffer in bytes. Replies are short.
const WRITE_BUFFER: usize = 1024;

/// `GET /v1/transcribe/stream`
pub(crate) async fn open(
    State(service): State<Arc<Service>>,
    extensions: Extensions,
    Query(query): Query<FormatQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let format = match query.format(&service.config.voice) {
        Ok(format) => format,
        Err(error) => return detail(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let most = service.config.limits.max_message as usize;
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(most)
        .max_frame_size(most);
    let place = extensions.get::<Place>().cloned();
    let opened = service.sockets.subscribe();
    upgrade.on_upgrade(move |socket| async move {
        // The upgraded socket counts as an open connection until it closes, and a stop waits for it.
        let _held = (place, opened);
        Connection::run(Socket::new(socket), &service, format).await;
    })
}
