use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;

/// Time limit for reading a request head.
const HEAD_LIMIT: Duration = Duration::from_secs(30);
/// Maximum size of a request head in bytes. A larger one is refused.
const LARGEST_HEAD: usize = 64 * 1024;

/// The HTTP/1.1 settings, with limits on time and size. Responses to pipelined requests are not gathered
/// (`pipeline_flush`): they would be kept in memory without limit while the client does not read. Without that, hyper reads
/// the next request only after it has written the response.
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
    use tokio::net::TcpSocket;
    use tokio::time::sleep;

    use super::*;
    use crate::serve::{Connections, Server, bind};

    const GET: &str = "GET / HTTP/1.1\r\n\r\n";
    /// The server responds before it has read the body, which it then discards.
    const POST: &str = "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx";

    /// Sends `requests` at once to a server whose responses have this body, and reads nothing. Returns the number of
    /// requests that were served when the server stopped serving.
    async fn served(requests: &str, body: Bytes) -> usize {
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&served);
        let service = move |_| {
            let (served, body) = (Arc::clone(&counter), body.clone());
            service_fn(move |_: Request<Incoming>| {
                let (served, body) = (Arc::clone(&served), body.clone());
                async move {
                    served.fetch_add(1, Ordering::Relaxed);
                    Ok::<_, Infallible>(Response::new(Full::new(body)))
                }
            })
        };
        let server = Server {
            service,
            connections: Connections::new(1),
            stop_limit: Duration::ZERO,
        };
        tokio::spawn(server.run(listener, std::future::pending()));
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut client = socket.connect(address).await.unwrap();
        let requests = requests.to_owned();
        let sending = tokio::spawn(async move {
            client.write_all(requests.as_bytes()).await.unwrap();
            client
        });
        let mut before = 0;
        loop {
            sleep(Duration::from_secs(1)).await;
            let now = served.load(Ordering::Relaxed);
            if now > 0 && now == before {
                sending.abort();
                return now;
            }
            before = now;
        }
    }

    #[tokio::test]
    async fn a_client_that_pipelines_and_does_not_read_is_not_served_further() {
        // The kernel's buffers hold a few of the responses of 1 MiB, and the server one.
        let served = served(&GET.repeat(2000), Bytes::from(vec![0; 1 << 20])).await;
        assert!(served < 50, "{served} of 2,000 requests were served");
    }

    #[tokio::test]
    async fn a_client_that_pipelines_and_reads_no_empty_response_is_not_served_further() {
        // The kernel's buffers hold some megabytes of the responses of about 75 bytes, and the server one response.
        for request in [GET, POST] {
            let served = served(&request.repeat(300_000), Bytes::new()).await;
            assert!(
                served < 100_000,
                "{served} of 300,000 were served: {request}"
            );
        }
    }
}
