use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use kit::origin::Origins;
use kit::serve::Connections;
use percent_encoding::percent_decode_str;
use tower::ServiceExt;

use super::routes;
use crate::config::Config;
use crate::editor::Editor;
use crate::handlers::yjs;
use crate::line::{self, Bound, Terms, is_upgrade};
use crate::sio::{self, Beat, Polling, Query};

/// The path of Socket.IO.
const SOCKET_IO: &str = "/socket.io";

/// The path prefix of Yjs. The room's name follows the prefix.
const YJS: &str = "/yjs/";

/// The response to a page from an origin that is not allowed.
const FOREIGN: &str = "pages of this origin may not connect; allow the origin with --allow-origin";

/// Dispatches requests to Socket.IO, Yjs, and the router.
#[derive(Clone)]
pub(crate) struct Front {
    editor: Arc<Editor>,
    beat: Beat,
    terms: Terms,
    polling: Arc<Polling<Editor>>,
    router: Router,
    origins: Origins,
}

impl Front {
    pub(crate) fn new(editor: &Arc<Editor>, config: &Config, connections: &Connections) -> Self {
        let origins = Origins::new(&config.allow_origin);
        let limits = &config.limits;
        let limit = limits.max_message as usize;
        let beat = Beat {
            every: config.times.ping_interval,
            patience: config.times.ping_timeout,
            limit,
        };
        let bound = Bound {
            frames: limits.queue as usize,
            bytes: limits.queue_bytes as usize,
        };
        let terms = Terms { bound, limit };
        let most = config.serve.max_connections as usize;
        Self {
            editor: editor.clone(),
            beat,
            terms,
            polling: Arc::new(Polling::new(editor, beat, terms, most)),
            router: routes::router(editor, connections, &origins),
            origins,
        }
    }

    pub(crate) async fn answer(
        self,
        mut request: Request<Incoming>,
    ) -> Result<Response<Body>, Infallible> {
        let path = request.uri().path();
        if path
            .strip_prefix(SOCKET_IO)
            .is_some_and(|rest| rest.is_empty() || rest == "/")
        {
            if !self.origins.admit(request.headers()) {
                return Ok(foreign());
            }
            return Ok(self.socket_io(request).await);
        }
        if let Some(name) = path.strip_prefix(YJS)
            && is_upgrade(request.headers())
        {
            if !self.origins.admit(request.headers()) {
                return Ok(foreign());
            }
            let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
            return Ok(self.follow(name, &mut request));
        }
        self.router.oneshot(request.map(Body::new)).await
    }

    /// Ends the sessions of polling clients. `WebSockets` are closed later, after the last HTTP response.
    pub(crate) fn stop(&self) {
        self.polling.stop();
    }

    async fn socket_io(self, mut request: Request<Incoming>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        match Query::read(query, is_upgrade(request.headers())) {
            Ok(Query::WebSocket { sid: None }) => self.open(&mut request),
            Ok(Query::WebSocket { sid: Some(sid) }) => {
                self.polling.upgrade(&sid, &self.editor.lines, &mut request)
            }
            Ok(Query::Polling { sid }) => {
                let lines = &self.editor.lines;
                self.polling.answer(sid, request, lines).await
            }
            Err(misfit) => misfit.answer(),
        }
    }

    /// Opens a Yjs connection to the room `name`.
    fn follow(self, name: String, request: &mut Request<Incoming>) -> Response<Body> {
        let (editor, every) = (self.editor.clone(), self.beat.every);
        let answer = line::upgrade(request, &self.editor.lines, self.terms, move |outbox| {
            yjs::open(&editor, &name, outbox, every)
        });
        answer.map(|()| Body::empty())
    }

    /// Opens a Socket.IO connection that uses WebSocket from the start.
    fn open(self, request: &mut Request<Incoming>) -> Response<Body> {
        let (editor, beat) = (self.editor.clone(), self.beat);
        let answer = line::upgrade(request, &self.editor.lines, self.terms, move |outbox| {
            sio::open(&editor, outbox, beat)
        });
        answer.map(|()| Body::empty())
    }
}

fn foreign() -> Response<Body> {
    let mut response = Response::new(Body::from(FOREIGN));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response
}
