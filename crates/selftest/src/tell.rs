use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(10);

/// Asks the truth server at `url` what it did.
pub(crate) fn ask(url: &str) -> io::Result<Value> {
    let address = url.trim_start_matches("http://");
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let request = format!("GET /truth HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    socket.write_all(request.as_bytes())?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer)?;
    let (_, body) = answer
        .split_once("\r\n\r\n")
        .ok_or_else(|| io::Error::other("the truth server gives no answer"))?;
    serde_json::from_str(body).map_err(io::Error::other)
}
