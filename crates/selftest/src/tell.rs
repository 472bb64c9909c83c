use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(10);

/// Requests the counts of the truth server at `url`.
pub(crate) fn ask(url: &str) -> io::Result<Value> {
    call(url, "GET", "/truth", None)
}

/// Sends one request to our own server at `url`. Returns the JSON in the response.
pub(crate) fn call(url: &str, method: &str, path: &str, body: Option<&Value>) -> io::Result<Value> {
    let address = url.trim_start_matches("http://");
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    socket.write_all(request.as_bytes())?;
    let mut response = String::new();
    socket.read_to_string(&mut response)?;
    let (head, body) = response
        .split_once("\r\n\r\n")
        .ok_or_else(|| io::Error::other("no response"))?;
    if !head.starts_with("HTTP/1.1 200") {
        let status = head.lines().next().unwrap_or_default();
        return Err(io::Error::other(format!("{path}: {status}")));
    }
    serde_json::from_str(body).map_err(io::Error::other)
}
