use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;

/// Time limit for reading a request head.
const HEAD_LIMIT: Duration = Duration::from_secs(30);
/// Maximum size of a request head in bytes. A larger one is refused.
const LARGEST_HEAD: usize = 64 * 1024;

/// The HTTP/1.1 settings, with limits on time and size. Responses to pipelined requests are not gathered
/// (`pipeline_flush`): they would be kept in memory without limit while the client does not read.
pub(super) fn protocol() -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .max_buf_size(LARGEST_HEAD);
    protocol
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http_body_util::Full;
    use hyper::body::{Bytes, Incoming};
    use hyper::service::service_fn;
    use hyper::{Request, Response};
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpStream;
    use tokio::time::sleep;

    use super::*;
    use crate::serve::{Connections, Server, bind};

    #[tokio::test]
    async fn a_client_that_pipelines_and_does_not_read_is_not_served_further() {
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&served);
        let body = Bytes::from(vec![0; 1 << 20]);
        let service = move |_| {
            let (served, body) = (Arc::clone(&counter), body.clone());
            service_fn(move |_: Request<Incoming>| {
                served.fetch_add(1, Ordering::Relaxed);
                let response = Response::new(Full::new(body.clone()));
                async { Ok::<_, Infallible>(response) }
            })
        };
        let server = Server {
            service,
            connections: Connections::new(1),
            stop_limit: Duration::ZERO,
        };
        tokio::spawn(server.run(listener, std::future::pending()));
        let mut client = TcpStream::connect(address).await.unwrap();
        let requests = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000);
        client.write_all(requests.as_bytes()).await.unwrap();
        while served.load(Ordering::Relaxed) == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        sleep(Duration::from_secs(1)).await;
        // The kernel's buffers hold a few of the responses of 1 MiB, and the server one.
        let served = served.load(Ordering::Relaxed);
        assert!(served < 50, "{served} of 2,000 requests were served");
        drop(client);
    }
}
