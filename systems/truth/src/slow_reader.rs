//! A WebSocket client of the server itself that reads too slowly, like a phone on a bad network.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_recv_buffer_size;

/// Size of the receive buffer in bytes. The kernel doubles it.
const BUFFER: usize = 64 * 1024;
/// Pause between two reads.
const PAUSE: Duration = Duration::from_millis(10);
const PAUSES_PER_S: u64 = 100;

/// Opens a WebSocket at this target of the server, and reads `rate` bytes per second from it until the server closes it.
/// The thread ends then.
pub(crate) fn start(server: SocketAddr, target: &str, rate: u64) -> io::Result<()> {
    let mut socket = TcpStream::connect(server)?;
    set_socket_recv_buffer_size(&socket, BUFFER)?;
    let request = format!(
        "GET {target} HTTP/1.1\r\nhost: {server}\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    socket.write_all(request.as_bytes())?;
    let size = usize::try_from(rate.div_ceil(PAUSES_PER_S)).unwrap_or(usize::MAX);
    let mut buffer = vec![0; size.min(BUFFER)];
    thread::Builder::new()
        .name("truth-slow".to_owned())
        .spawn(move || {
            while socket.read(&mut buffer).is_ok_and(|read| read > 0) {
                thread::sleep(PAUSE);
            }
        })?;
    Ok(())
}
