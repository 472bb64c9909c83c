use std::collections::VecDeque;
use std::io;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use rustix::net::sockopt::{set_socket_send_buffer_size, set_tcp_user_timeout};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::descriptors;

/// Time after which the kernel closes a connection whose client does not read the pending data. Without a limit, a
/// client could keep the data in memory forever.
const UNREAD_LIMIT: Duration = Duration::from_mins(1);

/// Maximum number of connections beyond the limit, unless the limit on open files requires fewer.
const BEYOND: usize = 512;

/// The open connections of a server: their number, their limit, and the signal to stop.
#[derive(Clone, Debug)]
pub struct Connections {
    limit: i64,
    open: Gauge<i64, AtomicI64>,
    refused: Counter,
    stopping: watch::Sender<bool>,
    unread_limit: Duration,
    /// Size of the kernel's send buffer in bytes. `None` leaves it to the kernel.
    send_buffer: Option<usize>,
    /// Connections beyond the limit, kept open briefly to refuse them or to serve `/healthz` and `/metrics`. A further
    /// connection ends the oldest one, so a client that sends its request at once is served even during a flood. These
    /// connections use the files in reserve.
    beyond: Arc<Mutex<VecDeque<AbortHandle>>>,
    beyond_limit: usize,
}

/// A place among the open connections. Upgrade requests carry the place in their extensions. The code that handles the
/// upgraded connection holds the place until the connection ends.
#[derive(Clone, Debug)]
pub struct Place(#[expect(dead_code, reason = "kept for its end")] Arc<Counted>);

#[derive(Debug)]
struct Counted(Gauge<i64, AtomicI64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A connection that still uses HTTP and receives the signal to stop.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) place: Place,
    stopping: watch::Receiver<bool>,
}

impl Connections {
    /// Creates the counters. At most `limit` connections may be open.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        Self {
            limit: i64::from(limit),
            open: Gauge::default(),
            refused: Counter::default(),
            stopping: watch::Sender::new(false),
            unread_limit: UNREAD_LIMIT,
            send_buffer: None,
            beyond: Arc::default(),
            beyond_limit: BEYOND,
        }
    }

    /// Creates the counters. At most `wanted` connections may be open, or fewer if the limit on open files requires it.
    #[must_use]
    pub fn within_descriptors(wanted: u32) -> Self {
        let room = descriptors::room(wanted);
        Self {
            beyond_limit: room.beyond,
            ..Self::new(room.connections)
        }
    }

    /// Limits the data that the kernel holds for a client that does not read. The kernel reserves twice as much.
    #[must_use]
    pub fn with_send_buffer(self, bytes: u32) -> Self {
        Self {
            send_buffer: Some(bytes as usize),
            ..self
        }
    }

    /// Sets the socket options of an accepted connection.
    pub(super) fn prepare(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        if let Some(bytes) = self.send_buffer {
            set_socket_send_buffer_size(stream, bytes)?;
        }
        let limit = u32::try_from(self.unread_limit.as_millis()).unwrap_or(u32::MAX);
        Ok(set_tcp_user_timeout(stream, limit)?)
    }

    /// Registers the counts for `/metrics`.
    pub fn register(&self, registry: &mut Registry) {
        let (open, refused) = (self.open.clone(), self.refused.clone());
        registry.register(
            "http_connections",
            "Open connections, including upgraded ones",
            open,
        );
        let help = "Connections refused because the limit was reached";
        registry.register("http_connections_refused", help, refused);
    }

    /// The number of open connections, including upgraded ones.
    #[must_use]
    pub fn open(&self) -> i64 {
        self.open.get()
    }

    /// The number of connections refused because too many were open.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Admits one more connection. Returns `None`, and counts the refusal, if too many are open.
    pub(super) fn admit(&self) -> Option<Open> {
        if self.open.get() >= self.limit {
            self.refused.inc();
            return None;
        }
        self.open.inc();
        Some(Open {
            place: Place(Arc::new(Counted(self.open.clone()))),
            stopping: self.stopping.subscribe(),
        })
    }

    /// Stores the task of a connection beyond the limit. Aborts the oldest task if there are too many.
    pub(super) fn keep_beyond(&self, task: AbortHandle) {
        let mut beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
        beyond.push_back(task);
        if beyond.len() > self.beyond_limit
            && let Some(oldest) = beyond.pop_front()
        {
            oldest.abort();
        }
    }

    /// Tells every connection to end after its current response, and waits until all have ended. Returns `false` if
    /// `limit` passed first.
    pub(super) async fn drain(&self, limit: Duration) -> bool {
        self.stopping.send_replace(true);
        timeout(limit, self.stopping.closed()).await.is_ok()
    }
}

impl Open {
    /// Resolves when the server stops.
    pub(super) async fn stop(&mut self) {
        // An error means that the server was dropped, which is also a stop.
        let _ = self.stopping.wait_for(|stopping| *stopping).await;
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::net::SocketAddr;

    use axum::body::Body;
    use hyper::body::Incoming;
    use hyper::service::service_fn;
    use hyper::{Request, Response};
    use tokio::io::AsyncWriteExt;
    use tokio::time::sleep;

    use super::*;
    use crate::serve::{Server, bind};

    #[tokio::test]
    async fn an_answer_that_nobody_takes_is_forgotten_after_a_while() {
        let mut connections = Connections::new(1);
        connections.unread_limit = Duration::from_millis(200);
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        // Far more than the kernel's buffers hold.
        let service = |_| {
            service_fn(|_: Request<Incoming>| async {
                let body = Body::from(vec![0; 64 << 20]);
                Ok::<_, Infallible>(Response::new(body))
            })
        };
        let server = Server {
            service,
            connections: connections.clone(),
            stop_limit: Duration::ZERO,
        };
        tokio::spawn(server.run(listener, std::future::pending()));
        let mut client = TcpStream::connect(address).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        client.write_all(request).await.unwrap();
        let gone = async {
            for wanted in [1, 0] {
                while connections.open() != wanted {
                    sleep(Duration::from_millis(10)).await;
                }
            }
        };
        timeout(Duration::from_secs(20), gone).await.unwrap();
        drop(client);
    }
}
