//! Long polling, in which a client receives by GET and sends by POST until it upgrades to a WebSocket. Nearly all
//! clients upgrade at once. The error responses are those of the official server.

mod mailbox;
mod payload;
mod probe;
mod session;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, Request, Response, StatusCode};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use kit::serve::BODY_LIMIT;
use kit::turns::Turns;
use tokio::time::timeout;

use self::mailbox::Mailbox;
use self::payload::{Payload, SEPARATOR};
use self::probe::Probe;
use self::session::{Listens, NotAPayload, Session, Sessions};
use super::client::Handlers;
use super::engine::{self, Beat};
use super::query::Misfit;
use crate::line::{End, Heard, Lines, Terms, upgrade};
use crate::recipient::{PollQueue, Recipient};

/// Serves polling clients.
pub(crate) struct Polling<D> {
    handlers: Arc<D>,
    beat: Beat,
    terms: Terms,
    /// Maximum number of sessions. A polling client needs no open connection, so the connection limit does not apply to
    /// it.
    most: usize,
    sessions: Arc<Sessions>,
}

impl<D: Handlers> Polling<D> {
    pub(crate) fn new(handlers: &Arc<D>, beat: Beat, terms: Terms, most: usize) -> Self {
        Self {
            handlers: handlers.clone(),
            beat,
            terms,
            most,
            sessions: Arc::default(),
        }
    }

    /// Ends every session. Each open poll returns its queued packets.
    pub(crate) fn stop(&self) {
        self.sessions.stop();
    }

    /// Responds to a request over the `polling` transport.
    pub(crate) async fn answer<B>(
        &self,
        sid: Option<String>,
        request: Request<B>,
        lines: &Arc<Lines>,
    ) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static>,
    {
        let Some(sid) = sid else {
            return match *request.method() {
                Method::GET => self.open(),
                _ => Misfit::Method.answer(),
            };
        };
        let Some(session) = self.sessions.find(&sid) else {
            return Misfit::Session.answer();
        };
        match *request.method() {
            Method::GET => fetch(&session).await,
            Method::POST => self.hear(&session, request.into_body(), lines).await,
            _ => Misfit::Request.answer(),
        }
    }

    /// Responds to the WebSocket handshake of a polling client that upgrades.
    pub(crate) fn upgrade<B>(
        &self,
        sid: &str,
        lines: &Arc<Lines>,
        request: &mut Request<B>,
    ) -> Response<Body> {
        let Some(session) = self.sessions.find_any(sid) else {
            return Misfit::Session.answer();
        };
        let sessions = self.sessions.clone();
        let answer = upgrade(request, lines, self.terms, move |outbox| {
            Probe::open(&sessions, &session, outbox)
        });
        answer.map(|()| Body::empty())
    }

    fn open(&self) -> Response<Body> {
        let Ok(sid) = crate::id::fresh() else {
            tracing::error!("the system provides no random numbers: cannot create a session id");
            return said(StatusCode::SERVICE_UNAVAILABLE, Body::empty());
        };
        let mailbox = Arc::new(Mailbox::new(self.terms.bound));
        let recipient = Recipient::Polled(mailbox.clone());
        let opened = self.sessions.open(&sid, &mailbox, self.most, || {
            let (session, alarm) = engine::begin(&self.handlers, recipient, self.beat);
            Listens {
                hear: Box::new(session),
                alarm,
            }
        });
        if opened {
            let greeting = engine::greeting(&sid, &["websocket"], self.beat);
            return said(StatusCode::OK, Body::from(greeting));
        }
        said(
            StatusCode::SERVICE_UNAVAILABLE,
            Body::from("too many sessions"),
        )
    }

    async fn hear<B>(&self, session: &Arc<Session>, body: B, lines: &Arc<Lines>) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static>,
    {
        let body = Limited::new(body, self.terms.limit).collect();
        let body = match timeout(BODY_LIMIT, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                session.mailbox.finish(End::Closed(1009, "too large"));
                return said(StatusCode::PAYLOAD_TOO_LARGE, Body::empty());
            }
            Ok(Err(_)) | Err(_) => return Misfit::Request.answer(),
        };
        // A task of its own, so that a client that disconnects does not lose the rest of its packets.
        let (handler, lines) = (session.clone(), lines.clone());
        let handled = tokio::spawn(async move { handle(&handler, &body, &lines.turns).await });
        let Ok(Ok(())) = handled.await else {
            session
                .mailbox
                .finish(End::Closed(1002, "not an Engine.IO payload"));
            return Misfit::Request.answer();
        };
        said(StatusCode::OK, Body::from("ok"))
    }
}

/// Handles each packet of a posted payload in its turn, because there may be many.
async fn handle(session: &Session, payload: &[u8], turns: &Turns) -> Result<(), NotAPayload> {
    let payload = str::from_utf8(payload).map_err(|_| NotAPayload)?;
    // Two payloads at once must not mix.
    let _whole = session.posted.lock().await;
    for packet in payload.split(char::from(SEPARATOR)) {
        if let Heard::End(_) = turns.take(false, || session.hear(packet)).await? {
            break;
        }
    }
    Ok(())
}

async fn fetch(session: &Session) -> Response<Body> {
    let Some(packets) = session.mailbox.fetch().await else {
        // With two open polls, it is undefined which one receives a packet. End the session, as the official server
        // does.
        session.mailbox.finish(End::Closed(1002, "two polls"));
        return Misfit::Request.answer();
    };
    said(StatusCode::OK, Body::new(Payload::new(packets)))
}

fn said(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=UTF-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}
