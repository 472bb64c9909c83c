use std::collections::VecDeque;
use std::io;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::descriptors;

/// A client that takes nothing of what waits for it for so long is gone, as the kernel sees it: otherwise what
/// it asked for would stay in memory for as long as it likes.
const UNREAD_LIMIT: Duration = Duration::from_mins(1);

/// Connections beyond the limit that are kept for a moment, to be told that there are too many; of `/healthz` and
/// `/metrics` they are answered. One more ends the oldest: who asks soon is answered during a flood, too. They are part of
/// the files in reserve.
const BEYOND: usize = 512;

/// The open connections of a server: how many there are, how many there may be, and the word to stop.
#[derive(Clone, Debug)]
pub struct Connections {
    limit: i64,
    open: Gauge<i64, AtomicI64>,
    refused: Counter,
    stopping: watch::Sender<bool>,
    unread_limit: Duration,
    beyond: Arc<Mutex<VecDeque<AbortHandle>>>,
}

/// One of the connections that may be open. It is in the extensions of a request that asks for an upgrade:
/// whoever goes on with the connection afterwards keeps it as long.
#[derive(Clone, Debug)]
pub struct Place(#[expect(dead_code, reason = "kept for its end")] Arc<Counted>);

#[derive(Debug)]
struct Counted(Gauge<i64, AtomicI64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// One connection while HTTP is spoken on it. It also hears the word to stop.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) place: Place,
    stopping: watch::Receiver<bool>,
}

impl Connections {
    /// No connection yet, `limit` at most.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        Self {
            limit: i64::from(limit),
            open: Gauge::default(),
            refused: Counter::default(),
            stopping: watch::Sender::new(false),
            unread_limit: UNREAD_LIMIT,
            beyond: Arc::default(),
        }
    }

    /// No connection yet; `wanted` at most, and no more than the limit of open files has room for.
    #[must_use]
    pub fn within_descriptors(wanted: u32) -> Self {
        Self::new(descriptors::connections(wanted))
    }

    /// Sets up a connection that was accepted.
    pub(super) fn prepare(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let limit = u32::try_from(self.unread_limit.as_millis()).unwrap_or(u32::MAX);
        Ok(set_tcp_user_timeout(stream, limit)?)
    }

    /// Shows the counts in `/metrics`.
    pub fn register(&self, registry: &mut Registry) {
        let (open, refused) = (self.open.clone(), self.refused.clone());
        registry.register(
            "http_connections",
            "Open connections, those that were upgraded among them",
            open,
        );
        let help = "Connections refused because too many were open";
        registry.register("http_connections_refused", help, refused);
    }

    /// Open connections, those that were upgraded among them.
    #[must_use]
    pub fn open(&self) -> i64 {
        self.open.get()
    }

    /// Connections that were refused because too many were open.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// One more; `None`, counted, when there are too many.
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

    /// Remembers the task of a connection beyond the limit, and ends the oldest when there are too many.
    pub(super) fn keep_beyond(&self, task: AbortHandle) {
        let mut beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
        beyond.push_back(task);
        if beyond.len() > BEYOND
            && let Some(oldest) = beyond.pop_front()
        {
            oldest.abort();
        }
    }

    /// Tells every connection to end after what it is answering, and waits for that. `false` at the
    /// time limit.
    pub(super) async fn drain(&self, limit: Duration) -> bool {
        self.stopping.send_replace(true);
        timeout(limit, self.stopping.closed()).await.is_ok()
    }
}

impl Open {
    /// Ends at the word to stop.
    pub(super) async fn stop(&mut self) {
        // An error means that the server is gone, which is a stop too.
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
        // Far more than the system's own buffers take.
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
