use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::Either;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, UPGRADE};
use hyper::service::{Service, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};

use super::beyond::{BEYOND_LIMIT, WATCHED, busy, refuse};
use super::connections::{Connections, Open};
use super::outgoing::outgoing;
use super::protocol::protocol;
use crate::turns::Turns;

/// Time limit for reading the body of a request. Without a limit, an incomplete request would keep its connection open
/// forever.
pub const BODY_LIMIT: Duration = Duration::from_secs(30);
/// Pause after a failed accept. Accepting fails when file descriptors run out, and retrying at once would waste CPU.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Number of connections accepted before other tasks run. On one thread, the runtime polls the accept loop after every
/// 61 tasks. A loop that accepts more connections than that would let the queue of tasks grow during a flood, and a
/// health check would wait behind all of them.
const ACCEPTS_PER_TURN: usize = 32;
/// A request that follows a response this quickly was there before. Other tasks run first, because a client that pipelines
/// requests without pause would otherwise have several of them served in each turn.
const PIPELINED: Duration = Duration::from_micros(20);
/// Type of the responses that are streams of server-sent events.
const EVENTS: &str = "text/event-stream";
const CROWDED: &str = "too many large responses wait for their clients\n";

/// One service on one listener.
#[derive(Debug)]
pub struct Server<F> {
    /// Creates the service for one connection. The argument is the client's address.
    pub service: F,
    /// Counts and limits the connections.
    pub connections: Connections,
    /// Time limit for requests in progress when the server stops.
    pub stop_limit: Duration,
}

impl<F, S, B> Server<F>
where
    F: Fn(SocketAddr) -> S,
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    S: Send + 'static,
    S::Future: Send,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin + Send + 'static,
{
    /// Serves until `stop` resolves, then finishes the requests in progress. Returns the time left of `stop_limit`, or
    /// zero if it has passed.
    pub async fn run(self, listener: TcpListener, stop: impl Future<Output = ()>) -> Duration {
        let mut stop = pin!(stop);
        let turns = Arc::new(Turns::of_runtime());
        for number in 1_usize.. {
            if number.is_multiple_of(ACCEPTS_PER_TURN) {
                yield_now().await;
            }
            tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => self.take(stream, peer, &turns),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        let begin = Instant::now();
        if !self.connections.drain(self.stop_limit).await {
            tracing::warn!(
                open = self.connections.open(),
                "stopped with requests in progress"
            );
        }
        self.stop_limit.saturating_sub(begin.elapsed())
    }

    fn take(&self, stream: TcpStream, peer: SocketAddr, turns: &Arc<Turns>) {
        if let Err(error) = self.connections.prepare(&stream) {
            tracing::debug!(%error, "a connection closed before it was served");
            return;
        }
        let service = (self.service)(peer);
        if let Some(open) = self.connections.admit() {
            drop(tokio::spawn(serve_one(
                stream,
                service,
                open,
                turns.clone(),
            )));
        } else {
            let told = timeout(BEYOND_LIMIT, refuse(stream, service));
            let task = tokio::spawn(async move { drop(told.await) });
            self.connections.keep_beyond(task.abort_handle());
        }
    }
}

/// Serves one connection. Its requests take turns with those of all others, and so do its server-sent events. Requests for
/// `/healthz` and `/metrics` do not wait.
async fn serve_one<S, B>(stream: TcpStream, service: S, mut open: Open, turns: Arc<Turns>)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Send + 'static,
    S::Future: Send,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin + Send + 'static,
{
    let place = open.place.clone();
    let responded = Arc::new(Mutex::new(None::<Instant>));
    let (sends_events, all_turns) = (Arc::new(AtomicBool::new(false)), turns.clone());
    let shares = sends_events.clone();
    let shares = || shares.load(Ordering::Relaxed);
    let service = service_fn(move |mut request: Request<Incoming>| {
        // The request takes turns itself, so its connection must not.
        sends_events.store(false, Ordering::Relaxed);
        if request.headers().contains_key(UPGRADE) {
            request.extensions_mut().insert(place.clone());
            request.extensions_mut().insert(turns.clone());
        }
        let is_watched = WATCHED.contains(&request.uri().path());
        let answer = service.call(request);
        let (responded, turns) = (responded.clone(), turns.clone());
        let sends_events = sends_events.clone();
        async move {
            let last = locked(&responded).take();
            if last.is_some_and(|last| last.elapsed() < PIPELINED) {
                yield_now().await;
            }
            let answer = if is_watched {
                answer.await
            } else {
                turns.share(answer).await
            };
            let answer = answer?;
            let kind = answer.headers().get(CONTENT_TYPE);
            let events = kind.is_some_and(|kind| kind == EVENTS);
            sends_events.store(events, Ordering::Relaxed);
            let answer = outgoing(answer);
            *locked(&responded) = Some(Instant::now());
            Ok::<_, Infallible>(match answer {
                Some(response) => response.map(Either::Left),
                None => busy(CROWDED).map(Either::Right),
            })
        }
    });
    let connection = protocol().serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection.with_upgrades());
    let ended = tokio::select! {
        biased;
        ended = all_turns.share_while(shares, connection.as_mut()) => ended,
        () = open.stop() => {
            connection.as_mut().graceful_shutdown();
            all_turns.share_while(shares, connection).await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection failed");
    }
}

/// The time of the last response on a connection.
fn locked(responded: &Mutex<Option<Instant>>) -> MutexGuard<'_, Option<Instant>> {
    responded.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::pin::Pin;
    use std::sync::atomic::AtomicUsize;
    use std::task::{Context, Poll};
    use std::thread;

    use http_body_util::Full;
    use hyper::body::Frame;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::watch;

    use super::*;
    use crate::serve::bind;

    #[tokio::test]
    async fn a_health_check_does_not_wait_behind_slow_requests_of_others() {
        const SLOW: usize = 60;
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(Mutex::new(Vec::new()));
        let recorder = served.clone();
        let service = move |_| {
            let recorder = recorder.clone();
            service_fn(move |request: Request<Incoming>| {
                let recorder = recorder.clone();
                async move {
                    let is_check = request.uri().path() == "/healthz";
                    if !is_check {
                        thread::sleep(Duration::from_millis(3));
                    }
                    recorder.lock().unwrap().push(is_check);
                    Ok::<_, Infallible>(Response::new(Full::<Bytes>::from("fine")))
                }
            })
        };
        let server = Server {
            service,
            connections: Connections::new(100),
            stop_limit: Duration::ZERO,
        };
        // All have sent their requests before the server runs, the health check last.
        let clients: Vec<_> = (0..=SLOW)
            .map(|number| {
                let path = if number < SLOW { "/slow" } else { "/healthz" };
                let mut client = std::net::TcpStream::connect(address).unwrap();
                let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
                client.write_all(request.as_bytes()).unwrap();
                client
            })
            .collect();
        let running = tokio::spawn(server.run(listener, std::future::pending()));
        let count = || served.lock().unwrap().len();
        while count() <= SLOW {
            sleep(Duration::from_millis(5)).await;
        }
        let place = served.lock().unwrap().iter().position(|is_check| *is_check);
        assert!(place.is_some_and(|place| place < SLOW / 4), "{place:?}");
        running.abort();
        drop(clients);
    }

    /// The body of a response with one event, which takes 3 ms when `begins` has passed.
    struct Events<F> {
        begins: Option<Pin<Box<F>>>,
        served: Arc<Mutex<Vec<bool>>>,
    }

    impl<F: Future> Body for Events<F> {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let Some(begins) = &mut self.begins else {
                return Poll::Ready(None);
            };
            std::task::ready!(begins.as_mut().poll(context));
            self.begins = None;
            thread::sleep(Duration::from_millis(3));
            self.served.lock().unwrap().push(false);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from("data: x\n\n")))))
        }
    }

    #[tokio::test]
    async fn a_health_check_does_not_wait_behind_server_sent_events_of_others() {
        const STREAMS: usize = 60;
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(Mutex::new(Vec::new()));
        let opened = Arc::new(AtomicUsize::new(0));
        let (begin, begun) = watch::channel(false);
        let (recorder, counter) = (served.clone(), opened.clone());
        let service = move |_| {
            let (served, opened, begun) = (recorder.clone(), counter.clone(), begun.clone());
            service_fn(move |request: Request<Incoming>| {
                let (served, mut begun) = (served.clone(), begun.clone());
                let is_check = request.uri().path() == "/healthz";
                if is_check {
                    served.lock().unwrap().push(true);
                } else {
                    opened.fetch_add(1, Ordering::Relaxed);
                }
                let begins = async move { begun.wait_for(|begun| *begun).await.is_ok() };
                let begins = (!is_check).then(|| Box::pin(begins));
                let kind = if is_check { "text/plain" } else { EVENTS };
                let response = Response::builder().header(CONTENT_TYPE, kind);
                let response = response.body(Events { begins, served }).unwrap();
                async { Ok::<_, Infallible>(response) }
            })
        };
        let server = Server {
            service,
            connections: Connections::new(100),
            stop_limit: Duration::ZERO,
        };
        let ask = |path: &str| {
            let mut client = std::net::TcpStream::connect(address).unwrap();
            let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
            client.write_all(request.as_bytes()).unwrap();
            client
        };
        let mut clients: Vec<_> = (0..STREAMS).map(|_| ask("/events")).collect();
        let running = tokio::spawn(server.run(listener, std::future::pending()));
        while opened.load(Ordering::Relaxed) < STREAMS {
            sleep(Duration::from_millis(5)).await;
        }
        clients.push(ask("/healthz"));
        begin.send(true).unwrap();
        let count = || served.lock().unwrap().len();
        while count() <= STREAMS {
            sleep(Duration::from_millis(5)).await;
        }
        let place = served.lock().unwrap().iter().position(|is_check| *is_check);
        assert!(place.is_some_and(|place| place < STREAMS / 4), "{place:?}");
        running.abort();
        drop(clients);
    }

    #[tokio::test]
    async fn a_client_that_pipelines_is_served_in_turn_with_other_tasks() {
        const REQUESTS: usize = 2000;
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(AtomicUsize::new(0));
        let counter = served.clone();
        let service = move |_| {
            let counter = counter.clone();
            service_fn(move |_: Request<Incoming>| {
                counter.fetch_add(1, Ordering::Relaxed);
                async { Ok::<_, Infallible>(Response::new(Full::<Bytes>::from("fine"))) }
            })
        };
        let server = Server {
            service,
            connections: Connections::new(1),
            stop_limit: Duration::ZERO,
        };
        tokio::spawn(server.run(listener, std::future::pending()));
        let (mut from, mut to) = TcpStream::connect(address).await.unwrap().into_split();
        let sending = async move {
            let requests = "GET / HTTP/1.1\r\n\r\n".repeat(REQUESTS);
            to.write_all(requests.as_bytes()).await.unwrap();
            to
        };
        let reading = async move {
            let mut bytes = [0; 4096];
            while from.read(&mut bytes).await.unwrap() > 0 {}
        };
        let (sending, reading) = (tokio::spawn(sending), tokio::spawn(reading));
        let (mut last, mut turns) = (0, 0);
        while last < REQUESTS {
            yield_now().await;
            let now = served.load(Ordering::Relaxed);
            turns += usize::from(now > last);
            last = now;
        }
        // Up to sixteen requests are served in each turn otherwise.
        assert!(turns > REQUESTS / 3, "{turns} turns");
        sending.abort();
        reading.abort();
    }
}
