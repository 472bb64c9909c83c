//! A proxy before a Redis server, which drops, duplicates and swaps published messages and counts what it does. It knows
//! the protocol only as far as it needs to find the end of a frame.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _, copy};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::harness::Raw;

/// What the proxy did with the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    pub(super) messages: u64,
    pub(super) dropped: u64,
    pub(super) duplicated: u64,
    pub(super) swapped: u64,
}

pub(super) struct Proxy {
    raw: Raw,
    log: Arc<Mutex<Log>>,
}

impl Proxy {
    /// Starts a proxy before the server on this port. Messages are JSON texts with their sender as `from` and its own
    /// number as `n`.
    pub(super) fn start(server: u16) -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        let raw = Raw::start(move |client| {
            let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
            server.set_nodelay(true).unwrap();
            client.set_read_timeout(None).unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let sending = thread::spawn(move || {
                let _ = copy(&mut from, &mut to); // either side may leave
                let _ = to.shutdown(Shutdown::Both);
            });
            pass_on(server, client, &shared);
            sending.join().unwrap();
        });
        Self { raw, log }
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.raw.port())
    }

    pub(super) fn log(&self) -> Log {
        *self.log.lock().unwrap()
    }
}

/// Passes everything on that the server sends, with faults among the messages.
fn pass_on(server: TcpStream, mut client: TcpStream, log: &Mutex<Log>) {
    let mut server = BufReader::new(server);
    // The messages that change places with the next one of their sender.
    let mut held: HashMap<String, Vec<u8>> = HashMap::new();
    while let Some(frame) = frame(&mut server) {
        let passed = match message(&frame) {
            Some((sender, number)) => {
                faulty(frame, sender, number, &mut held, &mut log.lock().unwrap())
            }
            None => frame,
        };
        if client.write_all(&passed).is_err() {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both); // it may have left
}

/// The bytes that the client gets in place of a message.
fn faulty(
    frame: Vec<u8>,
    sender: String,
    number: u64,
    held: &mut HashMap<String, Vec<u8>>,
    log: &mut Log,
) -> Vec<u8> {
    log.messages += 1;
    match number % 10 {
        3 => {
            log.dropped += 1;
            Vec::new()
        }
        6 => {
            log.duplicated += 1;
            frame.repeat(2)
        }
        8 => {
            held.insert(sender, frame);
            Vec::new()
        }
        _ => match held.remove(&sender) {
            Some(earlier) => {
                log.swapped += 1;
                [frame, earlier].concat()
            }
            None => frame,
        },
    }
}

/// Sender and number of a published message. `None` for any other frame.
fn message(frame: &[u8]) -> Option<(String, u64)> {
    if !frame.starts_with(b">3\r\n$7\r\nmessage\r\n") {
        return None;
    }
    let text = str::from_utf8(frame).unwrap();
    let payload = text.trim_end().rsplit("\r\n").next().unwrap();
    let payload: Value = serde_json::from_str(payload).unwrap();
    let sender = payload["from"].as_str().unwrap().to_owned();
    Some((sender, payload["n"].as_u64().unwrap()))
}

/// Reads the next frame. `None` at the end.
fn frame(from: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut frame = Vec::new();
    let mut left = 1;
    while left > 0 {
        let start = frame.len();
        if from.read_until(b'\n', &mut frame).ok()? == 0 {
            return None;
        }
        left -= 1;
        let line = str::from_utf8(&frame[start..]).unwrap().trim_end();
        let (kind, count) = line.split_at(1);
        match (kind, count.parse::<i64>()) {
            ("*" | "~" | ">", Ok(count)) => left += count.max(0),
            ("%", Ok(count)) => left += 2 * count,
            ("$" | "=" | "!", Ok(size)) if size >= 0 => {
                let mut bytes = vec![0; usize::try_from(size).unwrap() + 2];
                from.read_exact(&mut bytes).ok()?;
                frame.extend(bytes);
            }
            _ => {}
        }
    }
    Some(frame)
}
