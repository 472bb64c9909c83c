//! Clients that send malicious bytes, and a measurement of a system's memory.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

/// Time without progress after which the system is assumed to have stopped reading.
const TAKEN_WITHIN: Duration = Duration::from_secs(1);
/// Maximum size of all pings together, in bytes.
const MOST: usize = 256 << 20;

/// Sends pings on one WebSocket, without reading the pongs, until the system stops reading. Returns the number of bytes
/// sent.
#[must_use]
pub fn send_pings(address: SocketAddr, path: &str) -> usize {
    let mut stream = websocket(address, path);
    stream.set_write_timeout(Some(TAKEN_WITHIN)).unwrap();
    // A masked ping of 125 (0x7d) bytes; its mask is 0.
    let mut ping = vec![0x89, 0x80 | 0x7d, 0, 0, 0, 0];
    ping.extend([b'x'; 125]);
    let burst = ping.repeat(500);
    let mut sent = 0;
    while sent < MOST && stream.write_all(&burst).is_ok() {
        sent += burst.len();
    }
    sent
}

/// Opens a WebSocket.
#[must_use]
pub fn websocket(address: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 101", "{path} is no WebSocket");
    stream
}

/// Resident memory of a process in bytes, without files, whose pages the kernel may drop at any time.
#[must_use]
pub fn resident(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().unwrap() * 1024
}

/// The value of [`resident`] once it did not change for a second, as after the allocator returned what is free.
#[must_use]
pub fn settled(pid: u32) -> usize {
    let (mut memory, mut unchanged) = (resident(pid), 0);
    for _ in 0..600 {
        thread::sleep(Duration::from_millis(50));
        let now = resident(pid);
        unchanged = if now == memory { unchanged + 1 } else { 0 };
        memory = now;
        if unchanged == 20 {
            return memory;
        }
    }
    panic!("the memory keeps changing");
}
