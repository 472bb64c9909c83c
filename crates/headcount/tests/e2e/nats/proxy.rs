//! A proxy that drops, duplicates and swaps the messages of a NATS server on their way to the clients, and counts exactly.

use std::io::{ErrorKind, Read, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::harness::Raw;

/// Subjects whose messages get faults.
const SUBJECTS: &str = "room.";
/// Time that a message is held back for a successor.
const HOLD: Duration = Duration::from_millis(200);

/// Each nth message of a connection has the fault. The first fault that applies wins.
#[derive(Clone, Copy)]
pub(super) struct Faults {
    pub(super) drop: u64,
    pub(super) duplicate: u64,
    pub(super) swap: u64,
}

/// What the proxy did.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) messages: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) duplicated: AtomicU64,
    pub(super) reordered: AtomicU64,
}

pub(super) struct Proxy {
    raw: Raw,
    pub(super) done: Arc<Done>,
}

impl Proxy {
    pub(super) fn start(server: u16, faults: Faults) -> Self {
        let done = Arc::new(Done::default());
        let counts = Arc::clone(&done);
        let raw = Raw::start(move |client| {
            let upstream = TcpStream::connect(("127.0.0.1", server)).unwrap();
            upstream.set_nodelay(true).unwrap();
            upstream.set_read_timeout(Some(HOLD)).unwrap();
            let mut from = client.try_clone().unwrap();
            let mut to = upstream.try_clone().unwrap();
            thread::spawn(move || {
                pass_on(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both); // it may be closed already
            });
            let lane = Lane {
                faults,
                done: Arc::clone(&counts),
                number: 0,
                held: None,
            };
            lane.serve(upstream, &client);
            let _ = client.shutdown(Shutdown::Both); // it may be closed already
        });
        Self { raw, done }
    }

    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.raw.port())
    }
}

fn pass_on(from: &mut TcpStream, to: &mut TcpStream) {
    let mut buffer = vec![0; 64 * 1024];
    while let Some(count) = read(from, &mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

/// Reads bytes; 0 if none have arrived within the stream's time limit. `None` at the end.
fn read(from: &mut TcpStream, buffer: &mut [u8]) -> Option<usize> {
    match from.read(buffer) {
        Ok(0) => None,
        Ok(count) => Some(count),
        Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Some(0),
        Err(_) => None,
    }
}

/// The messages on their way to one client.
struct Lane {
    faults: Faults,
    done: Arc<Done>,
    /// Number of messages so far.
    number: u64,
    /// A message that waits for the next one of its subject and subscription, which are the key: key and frame.
    held: Option<(String, Vec<u8>)>,
}

impl Lane {
    fn serve(mut self, mut server: TcpStream, mut client: &TcpStream) {
        let (mut buffer, mut pending) = (vec![0; 64 * 1024], Vec::new());
        while let Some(count) = read(&mut server, &mut buffer) {
            pending.extend_from_slice(&buffer[..count]);
            let mut out = Vec::new();
            if count == 0 {
                out.extend(self.held.take().into_iter().flat_map(|(_, frame)| frame));
            }
            let mut rest = pending.as_slice();
            while let Some((key, frame)) = next_frame(rest) {
                rest = &rest[frame.len()..];
                match key.filter(|key| key.starts_with(SUBJECTS)) {
                    Some(key) => self.pass(key, frame, &mut out),
                    None => out.extend_from_slice(frame),
                }
            }
            pending = rest.to_vec();
            if client.write_all(&out).is_err() {
                return;
            }
        }
    }

    /// Passes on a message, unless it has a fault. The successor of a message that was held back has none.
    fn pass(&mut self, key: String, frame: &[u8], out: &mut Vec<u8>) {
        let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        self.number += 1;
        count(&self.done.messages);
        let is_successor = |(held, _): &mut (String, Vec<u8>)| *held == key;
        if let Some((_, held)) = self.held.take_if(is_successor) {
            count(&self.done.reordered);
            out.extend_from_slice(frame);
            out.extend_from_slice(&held);
        } else if self.number.is_multiple_of(self.faults.drop) {
            count(&self.done.dropped);
        } else if self.number.is_multiple_of(self.faults.duplicate) {
            count(&self.done.duplicated);
            out.extend_from_slice(frame);
            out.extend_from_slice(frame);
        } else if self.number.is_multiple_of(self.faults.swap) && self.held.is_none() {
            self.held = Some((key, frame.to_vec()));
        } else {
            out.extend_from_slice(frame);
        }
    }
}

/// The first complete frame. If it is a message, its subject and the id of its subscription too.
fn next_frame(bytes: &[u8]) -> Option<(Option<String>, &[u8])> {
    let end = bytes.windows(2).position(|two| two == b"\r\n")? + 2;
    let line = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut words = line.split_whitespace();
    if !matches!(words.next(), Some("MSG" | "HMSG")) {
        return Some((None, &bytes[..end]));
    }
    let key = format!("{} {}", words.next().unwrap(), words.next().unwrap());
    let size: usize = words.last().unwrap().parse().unwrap();
    Some((Some(key), bytes.get(..end + size + 2)?))
}
