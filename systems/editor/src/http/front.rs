use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use engineioxide::service::EngineIoService;
use hyper::body::Incoming;
use hyper::{Request, Response};
use kit::serve::Connections;
use percent_encoding::percent_decode_str;
use tower::ServiceExt;

use super::routes;
use crate::config::Config;
use crate::editor::Editor;
use crate::line::{self, Room, Terms, is_upgrade};
use crate::sio::{self, Beat, Polling};
use crate::yjs;

/// Where Socket.IO is served.
const SOCKET_IO: &str = "/socket.io";

/// Where Yjs is served, and the room's name behind it.
const YJS: &str = "/yjs/";

/// The door.
#[derive(Clone)]
pub(crate) struct Front {
    editor: Arc<Editor>,
    beat: Beat,
    terms: Terms,
    polling: EngineIoService<Polling<Editor>>,
    router: Router,
}

impl Front {
    pub(crate) fn new(editor: &Arc<Editor>, config: &Config, connections: &Connections) -> Self {
        let limits = &config.limits;
        let limit = limits.max_message as usize;
        let beat = Beat {
            every: config.times.ping_interval,
            patience: config.times.ping_timeout,
            limit,
        };
        let room = Room {
            frames: limits.queue as usize,
            bytes: limits.queue_bytes as usize,
        };
        Self {
            editor: editor.clone(),
            beat,
            terms: Terms { room, limit },
            polling: sio::service(editor, beat, limits.queue as usize),
            router: routes::router(editor, connections),
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
            if is_upgrade(request.headers()) && begins(request.uri().query().unwrap_or_default()) {
                return Ok(self.open(&mut request));
            }
            return sio::answer(&self.polling, request).await;
        }
        if path.starts_with(YJS) && is_upgrade(request.headers()) {
            return Ok(self.follow(&mut request));
        }
        self.router.oneshot(request.map(Body::new)).await
    }

    /// A client of Yjs, in the room that the path names.
    fn follow(self, request: &mut Request<Incoming>) -> Response<Body> {
        let name = request.uri().path().trim_start_matches(YJS);
        let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
        let (editor, every) = (self.editor.clone(), self.beat.every);
        let answer = line::upgrade(request, &self.editor.lines, self.terms, move |outbox| {
            yjs::open(&editor, &name, outbox, every)
        });
        answer.map(|()| Body::empty())
    }

    /// A client that comes by WebSocket alone.
    fn open(self, request: &mut Request<Incoming>) -> Response<Body> {
        let (editor, beat) = (self.editor.clone(), self.beat);
        let answer = line::upgrade(request, &self.editor.lines, self.terms, move |outbox| {
            sio::open(&editor, outbox, beat)
        });
        answer.map(|()| Body::empty())
    }
}

/// Whether a query begins a session over WebSocket. Any other is the long polling's to serve or to
/// refuse.
fn begins(query: &str) -> bool {
    let has = |wanted: &str| query.split('&').any(|part| part == wanted);
    let resumes = query.split('&').any(|part| part.starts_with("sid="));
    has("transport=websocket") && has("EIO=4") && !resumes
}
