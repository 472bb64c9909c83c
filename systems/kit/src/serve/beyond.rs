use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{Either, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use hyper::service::{Service, service_fn};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::protocol::protocol;

/// Time limit for the single request on a connection that exceeds the connection limit.
pub(super) const BEYOND_LIMIT: Duration = Duration::from_secs(1);
/// Paths that monitoring systems request.
pub(super) const WATCHED: [&str; 2] = ["/healthz", "/metrics"];
const TOO_MANY: &str = "too many open connections\n";

/// Responds to the single request on a connection that exceeds the limit. Monitoring requests are served; all others
/// get 503.
pub(super) async fn refuse<S, B>(stream: TcpStream, service: S)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Send + 'static,
    S::Future: Send,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let watched = WATCHED.contains(&request.uri().path());
        let answer = watched.then(|| service.call(request));
        async move {
            let mut response = match answer {
                Some(answer) => answer.await?.map(Either::Left),
                None => busy(TOO_MANY).map(Either::Right),
            };
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
            Ok::<_, Infallible>(response)
        }
    });
    let mut protocol = protocol();
    let connection = protocol
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a refused connection failed");
    }
}

/// A response with status 503, after which the client may try again.
pub(super) fn busy(why: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(why));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let later = HeaderValue::from_static("1");
    response.headers_mut().insert(RETRY_AFTER, later);
    response
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::SocketAddr;
    use std::thread;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::runtime::Builder;
    use tokio::sync::oneshot;

    use super::*;
    use crate::serve::{Connections, Server, bind};

    /// Responds to everything with 200, until `stop` resolves.
    async fn serve(
        listener: TcpListener,
        connections: Connections,
        stop: impl Future<Output = ()>,
    ) {
        let service = |_| {
            service_fn(|_: Request<Incoming>| async {
                Ok::<_, Infallible>(Response::new(Full::<Bytes>::from("fine")))
            })
        };
        let server = Server {
            service,
            connections,
            stop_limit: Duration::ZERO,
        };
        server.run(listener, stop).await;
    }

    fn listener() -> TcpListener {
        bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap()
    }

    /// A server that accepts one connection.
    fn served() -> (SocketAddr, Connections) {
        let listener = listener();
        let address = listener.local_addr().unwrap();
        let connections = Connections::new(1);
        tokio::spawn(serve(listener, connections.clone(), std::future::pending()));
        (address, connections)
    }

    async fn answer(address: SocketAddr, path: &str) -> String {
        let stream = TcpStream::connect(address).await.unwrap();
        answer_on(stream, path).await
    }

    async fn answer_on(mut stream: TcpStream, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn a_full_server_answers_health_at_once_and_refuses_everything_else_during_a_flood_too() {
        let (address, connections) = served();
        let held = TcpStream::connect(address).await.unwrap();
        while connections.open() == 0 {
            tokio::task::yield_now().await;
        }
        // The monitoring client waits before it sends a request.
        let watcher = TcpStream::connect(address).await.unwrap();
        let mut flood = Vec::new();
        for _ in 0..300 {
            flood.push(TcpStream::connect(address).await.unwrap());
        }
        let asked_late = answer_on(watcher, "/healthz").await;
        assert!(asked_late.starts_with("HTTP/1.1 200"), "{asked_late}");
        for path in ["/healthz", "/metrics"] {
            let answer = answer(address, path).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        }
        let refused = answer(address, "/").await;
        assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
        assert!(refused.contains("retry-after: 1"), "{refused}");
        assert_eq!(connections.open(), 1);
        assert_eq!(connections.refused(), 304);
        drop(held);
    }

    /// The connections are opened before the server runs, so it finds all of them at once. It runs as in a service: on
    /// one thread, with the accept loop outside of the queue of tasks.
    #[test]
    fn a_health_check_within_a_flood_is_answered() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(async { listener() });
        let address = listener.local_addr().unwrap();
        let connections = Connections::new(1);
        let connect = || std::net::TcpStream::connect(address).unwrap();
        let mut flood: Vec<_> = (0..900).map(|_| connect()).collect();
        let mut watcher = connect();
        watcher
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        flood.extend((0..1000).map(|_| connect()));
        let (stop, stopped) = oneshot::channel::<()>();
        let answer = thread::spawn(move || {
            let mut answer = String::new();
            let read = watcher.read_to_string(&mut answer).map(|_| answer);
            drop(stop);
            read
        });
        let stopped = async { drop(stopped.await) };
        runtime.block_on(serve(listener, connections.clone(), stopped));
        let answer = answer.join().unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(connections.refused() > 900);
        drop(flood);
    }
}
