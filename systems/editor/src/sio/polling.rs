use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode};
use bytes::Bytes;
use engineioxide::config::EngineIoConfig;
use engineioxide::handler::EngineIoHandler;
use engineioxide::service::EngineIoService;
use engineioxide::{DisconnectReason, Socket, Str};
use hyper::body::Incoming;
use hyper::service::Service;
use serde::Deserialize;
use tokio::time::timeout;

use super::client::{Client, Desk};
use super::engine::Beat;
use crate::outlet::Outlet;

/// Bytes read at once from a client that upgraded.
const READ_BUFFER: usize = 4096;
/// Bytes of the packet that opens a session, at most.
const OPEN_LIMIT: usize = 4096;
/// The first ping is there at once, or it comes when it is due.
const FIRST_PING: Duration = Duration::from_millis(100);

/// The service for clients that begin with long polling.
pub(crate) fn service<D: Desk>(
    desk: &Arc<D>,
    beat: Beat,
    queue: usize,
) -> EngineIoService<Polling<D>> {
    let config = EngineIoConfig::builder()
        .req_path("/socket.io")
        .ping_interval(beat.every)
        .ping_timeout(beat.patience)
        .max_buffer_size(queue)
        .max_payload(beat.limit as u64)
        .ws_read_buffer_size(READ_BUFFER)
        .ws_max_message_size(beat.limit)
        .ws_max_frame_size(beat.limit)
        .build();
    EngineIoService::with_config(Arc::new(Polling { desk: desk.clone() }), config)
}

/// Answers a request.
///
/// `engineioxide` pings a new session at once, and not after the interval as the protocol has it: what
/// the client then polls for ends with nothing. That ping is taken here, before the client knows of the
/// session, so that nothing else can be in its queue.
pub(crate) async fn answer<D: Desk>(
    service: &EngineIoService<Polling<D>>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let query = request.uri().query().unwrap_or_default();
    let opens = !query.split('&').any(|part| part.starts_with("sid="));
    let response = service.call(request).await?.map(Body::new);
    if !opens || response.status() != StatusCode::OK {
        return Ok(response);
    }
    let (head, body) = response.into_parts();
    let body = to_bytes(body, OPEN_LIMIT).await.unwrap_or_default();
    if let Some(Ok(opened)) = body.get(1..).map(serde_json::from_slice::<Opened<'_>>) {
        take_first_ping(service, opened.sid).await?;
    }
    Ok(Response::from_parts(head, Body::from(body)))
}

#[derive(Deserialize)]
struct Opened<'a> {
    sid: &'a str,
}

async fn take_first_ping<D: Desk>(
    service: &EngineIoService<Polling<D>>,
    sid: &str,
) -> Result<(), Infallible> {
    let session = format!("/socket.io/?EIO=4&transport=polling&sid={sid}");
    let poll = Request::get(&session).body(Body::empty());
    let pong = Request::post(&session).body(Body::from("3"));
    if let (Ok(poll), Ok(pong)) = (poll, pong)
        && timeout(FIRST_PING, service.call(poll)).await.is_ok()
    {
        service.call(pong).await?;
    }
    Ok(())
}

/// Hands what comes by long polling to the same desk.
pub(crate) struct Polling<D> {
    desk: Arc<D>,
}

impl<D> fmt::Debug for Polling<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Polling(..)")
    }
}

/// The client of one session; empty once the session is over.
pub(crate) struct Seat<D: Desk>(Mutex<Option<Client<D>>>);

impl<D: Desk> Default for Seat<D> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<D: Desk> Seat<D> {
    /// Whether the session goes on. The lock is free again before it is ended: that takes it too.
    fn hears(&self, hear: impl FnOnce(&mut Client<D>) -> bool) -> bool {
        let mut seat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seat.as_mut().is_none_or(hear)
    }
}

impl<D: Desk> EngineIoHandler for Polling<D> {
    type Data = Seat<D>;

    fn on_connect(self: Arc<Self>, socket: Arc<Socket<Seat<D>>>) {
        let outlet = Outlet::engine(&socket);
        let client = Client::new(self.desk.clone(), outlet);
        *socket.data.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(client);
    }

    fn on_disconnect(&self, socket: Arc<Socket<Seat<D>>>, _: DisconnectReason) {
        let gone = socket
            .data
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(gone);
    }

    fn on_message(self: &Arc<Self>, message: Str, socket: Arc<Socket<Seat<D>>>) {
        if !socket
            .data
            .hears(|client| matches!(client.packet(&message), Ok(true)))
        {
            socket.close(DisconnectReason::PacketParsingError);
        }
    }

    fn on_binary(self: &Arc<Self>, _: Bytes, socket: Arc<Socket<Seat<D>>>) {
        if !socket.data.hears(Client::binary) {
            socket.close(DisconnectReason::PacketParsingError);
        }
    }
}
