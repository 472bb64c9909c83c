use std::sync::Arc;

use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use kit::serve::Place;
use sha1::{Digest, Sha1};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::outbox::Outbox;
use super::run::{Hear, Lines};
use super::waiting::Bound;

/// Appended to the client's key before hashing (RFC 6455 §1.3).
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The limits of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Limit of the send queue.
    pub(crate) bound: Bound,
    /// Maximum size of a message, in bytes.
    pub(crate) limit: usize,
}

/// Whether a request asks for an upgrade to WebSocket.
pub(crate) fn is_upgrade(headers: &HeaderMap) -> bool {
    let says = |name, word: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| {
            value
                .split(',')
                .any(|part| part.trim().eq_ignore_ascii_case(word))
        })
    };
    says(UPGRADE, "websocket")
        && says(CONNECTION, "upgrade")
        && headers.contains_key(SEC_WEBSOCKET_KEY)
}

/// Responds to a WebSocket handshake and serves the connection. When the connection is established, calls `open`, which
/// returns the handler and the first expiry of its timer.
pub(crate) fn upgrade<Body, H: Hear + 'static>(
    request: &mut Request<Body>,
    lines: &Arc<Lines>,
    terms: Terms,
    open: impl FnOnce(&Arc<Outbox>) -> (H, Instant) + Send + 'static,
) -> Response<()> {
    let mut response = Response::new(());
    let key = request.headers().get(SEC_WEBSOCKET_KEY);
    let version = request.headers().get(SEC_WEBSOCKET_VERSION);
    let Some(key) = key.filter(|_| request.extensions().get::<OnUpgrade>().is_some()) else {
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return response;
    };
    if version.is_none_or(|version| version != "13") {
        *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
        response
            .headers_mut()
            .insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return response;
    }
    let accept = accept(key.as_bytes());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    if let Ok(accept) = HeaderValue::from_str(&accept) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    let (upgraded, lines) = (hyper::upgrade::on(&mut *request), lines.clone());
    let place = request.extensions_mut().remove::<Place>();
    tokio::spawn(async move {
        // The WebSocket counts towards the connection limit until it is closed.
        let _place = place;
        match upgraded.await {
            Ok(upgraded) => serve(upgraded, &lines, terms, open).await,
            Err(error) => {
                tracing::debug!(%error, "a client disconnected before its WebSocket was open");
            }
        }
    });
    response
}

async fn serve<H: Hear>(
    upgraded: Upgraded,
    lines: &Lines,
    terms: Terms,
    open: impl FnOnce(&Arc<Outbox>) -> (H, Instant),
) {
    // The editor serves only plain TCP, so this downcast cannot fail.
    let Ok(parts) = upgraded.downcast::<TokioIo<TcpStream>>() else {
        tracing::error!("an upgraded connection is not a TCP stream");
        return;
    };
    // Free the handshake's buffer of some kilobytes, which the connection would otherwise keep.
    let already = parts.read_buf.to_vec();
    drop(parts.read_buf);
    let (read, write) = parts.io.into_inner().into_split();
    let outbox = Arc::new(Outbox::new(write, terms.bound, &lines.flush));
    let (hear, alarm) = open(&outbox);
    lines
        .run(read, outbox, terms.limit, already, hear, alarm)
        .await;
}

fn accept(key: &[u8]) -> String {
    let digest = Sha1::new().chain_update(key).chain_update(GUID).finalize();
    BASE64_STANDARD.encode(digest)
}
