use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

/// Fetches JSON from `url` over a plain TCP socket, independently of headcount.
pub(crate) fn ask(url: &str) -> Value {
    serde_json::from_str(&text_at(url)).unwrap()
}

/// Fetches JSON from `url` with curl, over HTTP/2 without TLS.
pub(crate) fn ask_http2(url: &str) -> Value {
    let mut curl = Command::new("curl");
    let output = curl
        .args(["-s", "--http2-prior-knowledge", url])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fetches the body at `url` in the same way.
pub(crate) fn text_at(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_at(rest.find('/').unwrap());
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{url}: {text}");
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    body.to_owned()
}

/// Asserts that headcount found each fault as often as the server counted it.
pub(crate) fn has_the_faults(found: &Value, done: &Value) {
    for (ours, theirs) in [
        ("lost", "dropped"),
        ("duplicated", "duplicated"),
        ("reordered", "swapped"),
        ("misdelivered", "strayed"),
    ] {
        assert_eq!(found[ours], done[theirs], "{ours}: {found:#} {done:#}");
    }
}
