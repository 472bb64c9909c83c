//! A small HTTP server on a thread of its own, beside a run. It cannot delay the run: the thread has a low priority, and
//! the run only leaves values for it. Connections, the size of requests and their time are limited.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::{sleep, timeout};
use tower::ServiceExt as _;

/// Maximum number of connections. Further ones are closed at once.
const CONNECTIONS: u32 = 32;
/// Maximum size of the head of a request in bytes.
const LARGEST_HEAD: usize = 16 * 1024;
/// Time limit for the head of a request.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Time after which a connection gets no further requests, and the time that its last response may take.
const LIFETIME: Duration = Duration::from_mins(10);
const LAST_RESPONSE: Duration = Duration::from_secs(10);
/// Time limit for responses in progress when the server closes.
const CLOSE_LIMIT: Duration = Duration::from_millis(300);
/// Pause after a failed accept. File descriptors may have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Priority of the thread, as that of `nice`: a little below the load and the target.
pub(super) const NICE: i32 = 5;

/// A port that is reserved for a server.
#[derive(Debug)]
pub(super) struct Port {
    listener: TcpListener,
    address: SocketAddr,
}

impl Port {
    pub(super) fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(address).context("cannot listen there")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts the thread. It runs `task` beside the server, until the server is closed or dropped.
    pub(super) fn serve(
        self,
        name: &str,
        router: Router,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> anyhow::Result<LocalServer> {
        let (close, closing) = oneshot::channel();
        let (ended, has_ended) = mpsc::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = self.listener;
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let _ = rustix::process::setpriority_process(None, NICE); // for this thread, and only a courtesy
                runtime.block_on(async {
                    tokio::spawn(task);
                    // Without a listener nobody is served; the run continues.
                    if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                        serve(listener, router, closing).await;
                    }
                });
                drop(ended);
            })?;
        Ok(LocalServer { close, has_ended })
    }
}

/// A running server.
#[derive(Debug)]
pub(super) struct LocalServer {
    close: oneshot::Sender<()>,
    has_ended: mpsc::Receiver<()>,
}

impl LocalServer {
    /// Finishes the responses in progress, and ends the thread. Waits a fraction of a second at most.
    pub(super) fn close(self) {
        let _ = self.close.send(()); // the thread may have ended
        let _ = self.has_ended.recv_timeout(CLOSE_LIMIT * 2); // an error: it has ended, or it never will
    }
}

async fn serve(
    listener: tokio::net::TcpListener,
    router: Router,
    mut closing: oneshot::Receiver<()>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let (close, is_closing) = watch::channel(false);
    loop {
        let accepted = tokio::select! {
            _ = &mut closing => break, // closed or dropped
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            let connection = connection(stream, router.clone(), is_closing.clone(), place);
            tokio::spawn(connection);
        }
    }
    drop(listener);
    let _ = close.send(true); // nobody listens if there is no connection
    let _ = timeout(CLOSE_LIMIT, places.acquire_many(CONNECTIONS)).await; // a slow client is cut off
}

async fn connection(
    stream: TcpStream,
    router: Router,
    mut is_closing: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
) {
    let service = service_fn(move |request: Request<Incoming>| router.clone().oneshot(request));
    let mut connection = pin!(protocol().serve_connection(TokioIo::new(stream), service));
    let limit = tokio::select! {
        _ = connection.as_mut() => return, // an error: the client has gone
        _ = is_closing.wait_for(|closing| *closing) => CLOSE_LIMIT,
        () = sleep(LIFETIME) => LAST_RESPONSE,
    };
    connection.as_mut().graceful_shutdown();
    let _ = timeout(limit, connection).await; // a slow client is cut off
}

fn protocol() -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .max_buf_size(LARGEST_HEAD);
    protocol
}
