//! A third-party server. It records requests and responds with the configured statuses.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::served::PATIENCE;

/// A received request.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

#[derive(Clone)]
struct Inside {
    answers: Arc<Mutex<VecDeque<u16>>>,
    came: mpsc::UnboundedSender<Came>,
}

/// A running stub.
pub(crate) struct Stub {
    pub(crate) url: String,
    came: mpsc::UnboundedReceiver<Came>,
}

impl Stub {
    /// Responds with these statuses in order, then with 200.
    pub(crate) async fn start(answers: &[u16]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, came) = mpsc::unbounded_channel();
        let answers = Arc::new(Mutex::new(answers.iter().copied().collect()));
        let inside = Inside {
            answers,
            came: sender,
        };
        let router = Router::new().fallback(take).with_state(inside);
        tokio::spawn(crate::stub::serve(listener, router));
        Self { url, came }
    }

    pub(crate) async fn next(&mut self) -> Came {
        timeout(PATIENCE, self.came.recv())
            .await
            .expect("nothing came")
            .unwrap()
    }
}

async fn serve(listener: tokio::net::TcpListener, router: Router) {
    let server = kit::serve::Server {
        service: move |_| {
            let router = router.clone();
            hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                tower::ServiceExt::oneshot(router.clone(), request.map(axum::body::Body::new))
            })
        },
        connections: kit::serve::Connections::new(100),
        stop_limit: PATIENCE,
    };
    server.run(listener, std::future::pending()).await;
}

async fn take(
    State(inside): State<Inside>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let path = uri.path().to_owned();
    let _ = inside.came.send(Came {
        path,
        headers,
        body: body.to_vec(),
    });
    let status = inside.answers.lock().unwrap().pop_front().unwrap_or(200);
    StatusCode::from_u16(status).unwrap()
}
