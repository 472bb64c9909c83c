use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};
use tungstenite::{Message, WebSocket};

/// Time between two chunks.
const PACE: Duration = Duration::from_millis(20);
/// A slow client reads one reply per this number of chunks.
const READS: usize = 10;
/// Time limit of a read or write.
const PATIENCE: Duration = Duration::from_secs(2);
/// Receive buffer in bytes, so that a client that does not read is noticed in time.
const RECEIVE_BUFFER: usize = 4096;
/// The close code for a client that is too slow.
const TOO_SLOW: u16 = 1008;

/// The ends of the clients' sessions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Closed {
    /// Sessions that the service closed with 1008.
    pub(crate) too_slow: u64,
    /// Sessions that ended in another way.
    pub(crate) otherwise: u64,
}

impl Closed {
    /// Counts a session with its close code. `None` for one that ended without a code.
    fn count(&mut self, code: Option<u16>) {
        if code == Some(TOO_SLOW) {
            self.too_slow += 1;
        } else {
            self.otherwise += 1;
        }
    }
}

/// Clients that send live audio. Half of them read a tenth of the replies, and the others none. When a session ends, its
/// client begins another. The clients measure nothing.
#[derive(Debug)]
pub(super) struct SlowClients {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Closed>>,
}

impl SlowClients {
    /// Starts the clients. `url` is the service's base URL. After `chunks` chunks, the client of a session reads everything.
    pub(super) fn start(url: &str, count: usize, chunks: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let clients = (0..count).map(|number| {
            let (url, stop) = (url.to_owned(), stop.clone());
            thread::spawn(move || run(&url, (chunks, number % 2 == 0), &stop))
        });
        let threads = clients.collect();
        Self { stop, threads }
    }

    /// Ends all clients. Sessions in progress do not count.
    pub(super) fn end(self) -> Closed {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.threads.into_iter().filter_map(|one| one.join().ok());
        ended.fold(Closed::default(), |sum, one| Closed {
            too_slow: sum.too_slow + one.too_slow,
            otherwise: sum.otherwise + one.otherwise,
        })
    }
}

fn run(url: &str, (chunks, reads): (usize, bool), stop: &AtomicBool) -> Closed {
    let mut closed = Closed::default();
    while !stop.load(Ordering::Relaxed) {
        let code = open(url).and_then(|socket| session(socket, (chunks, reads), stop));
        if stop.load(Ordering::Relaxed) {
            break;
        }
        closed.count(code);
        if code != Some(TOO_SLOW) {
            // A service that refuses sessions must not be flooded.
            sleep(PATIENCE / 2);
        }
    }
    closed
}

fn open(url: &str) -> Option<WebSocket<TcpStream>> {
    let host = url.strip_prefix("http://")?;
    let stream = connected(host.parse().ok()?).ok()?;
    let url = format!("ws://{host}/v1/transcribe/stream");
    let (socket, _) = tungstenite::client(url, stream).ok()?;
    Some(socket)
}

fn connected(address: SocketAddr) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let socket = socket(family, SocketType::STREAM, None)?;
    // It limits the window that is announced when the connection opens.
    sockopt::set_socket_recv_buffer_size(&socket, RECEIVE_BUFFER)?;
    connect(&socket, &address)?;
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Streams, and then reads everything. Returns the close code.
fn session(
    mut socket: WebSocket<TcpStream>,
    (chunks, reads): (usize, bool),
    stop: &AtomicBool,
) -> Option<u16> {
    for number in 0..chunks {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let chunk = loud(number);
        if socket.send(Message::binary(chunk)).is_err() {
            break;
        }
        if reads
            && number % READS == 0
            && let Ok(Message::Close(frame)) = socket.read()
        {
            return frame.map(|frame| frame.code.into());
        }
        sleep(PACE);
    }
    loop {
        match socket.read() {
            Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

/// 20 ms of loud noise.
fn loud(number: usize) -> Vec<u8> {
    let mut state = u32::try_from(number + 1).unwrap_or(1);
    let mut next = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        state.to_be_bytes()[0]
    };
    (0..640).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use tungstenite::protocol::CloseFrame;

    use super::*;

    /// A service that closes each session after a few chunks.
    fn service(code: u16) -> String {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut socket = tungstenite::accept(stream.unwrap()).unwrap();
                for _ in 0..5 {
                    socket.read().unwrap();
                    socket.send(Message::text("{}")).unwrap();
                }
                let frame = CloseFrame {
                    code: code.into(),
                    reason: "".into(),
                };
                socket.close(Some(frame)).unwrap();
                while socket.read().is_ok() {}
            }
        });
        url
    }

    #[test]
    fn sessions_count_by_their_close_code() {
        let mut closed = Closed::default();
        for (code, reads) in [(1008, true), (1008, false), (1011, true)] {
            let url = service(code);
            let stop = AtomicBool::new(false);
            let ended = open(&url).and_then(|socket| session(socket, (10, reads), &stop));
            assert_eq!(ended, Some(code));
            closed.count(ended);
        }
        closed.count(None);
        assert_eq!((closed.too_slow, closed.otherwise), (2, 2));
    }
}
