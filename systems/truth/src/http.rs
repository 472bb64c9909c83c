use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

/// Maximum size of a request's head in bytes.
pub(crate) const MAX_HEAD: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;

/// Appended to a client's key before hashing (RFC 6455, section 1.3).
const HANDSHAKE_ID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The parts of a request's head that the server uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head<'a> {
    pub(crate) method: &'a str,
    /// Path and query, as sent.
    pub(crate) target: &'a str,
    pub(crate) keep_alive: bool,
    pub(crate) body: u64,
    pub(crate) expects_continue: bool,
    /// The `Sec-WebSocket-Key` header, if the client requests a WebSocket.
    pub(crate) websocket_key: Option<&'a str>,
    /// Size of the head in bytes.
    pub(crate) length: usize,
}

/// Reason why a request is refused. The server closes the connection after the refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadHead {
    Malformed,
    TooLong,
    /// The request has a body but does not state its length.
    NoLength,
}

impl BadHead {
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::TooLong => 431,
            Self::NoLength => 411,
        }
    }
}

/// Reads a head from the start of `input`. Returns `None` while the head is incomplete.
pub(crate) fn read_head(input: &[u8]) -> Result<Option<Head<'_>>, BadHead> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(input) {
        Ok(httparse::Status::Complete(length)) if length <= MAX_HEAD => length,
        Ok(httparse::Status::Partial) if input.len() < MAX_HEAD => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(BadHead::TooLong),
        Err(_) => return Err(BadHead::Malformed),
    };
    let mut head = Head {
        method: request.method.unwrap_or_default(),
        target: request.path.unwrap_or_default(),
        keep_alive: request.version == Some(1),
        body: 0,
        expects_continue: false,
        websocket_key: None,
        length,
    };
    let mut upgrades = false;
    for header in request.headers.iter() {
        let value = std::str::from_utf8(header.value).unwrap_or_default().trim();
        let named = |name: &str| header.name.eq_ignore_ascii_case(name);
        if named("content-length") {
            head.body = value.parse().map_err(|_| BadHead::Malformed)?;
        } else if named("transfer-encoding") {
            return Err(BadHead::NoLength);
        } else if named("connection") {
            head.keep_alive &= !value.eq_ignore_ascii_case("close");
        } else if named("expect") {
            head.expects_continue = value.eq_ignore_ascii_case("100-continue");
        } else if named("upgrade") {
            upgrades = value.eq_ignore_ascii_case("websocket");
        } else if named("sec-websocket-key") {
            head.websocket_key = Some(value);
        }
    }
    head.websocket_key = head.websocket_key.filter(|_| upgrades);
    Ok(Some(head))
}

/// The variable parts of a response's head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) keep_alive: bool,
    /// Value of the `retry-after` header in seconds, for status 429.
    pub(crate) retry_after: Option<u64>,
}

/// Writes the head of a response with a body of `length` bytes to `output`.
pub(crate) fn write_head(output: &mut Vec<u8>, answer: Answer, length: u64) {
    let status = answer.status;
    let head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n",
        reason(status)
    );
    output.extend_from_slice(head.as_bytes());
    if let Some(seconds) = answer.retry_after {
        output.extend_from_slice(format!("retry-after: {seconds}\r\n").as_bytes());
    }
    if !answer.keep_alive {
        output.extend_from_slice(b"connection: close\r\n");
    }
    output.extend_from_slice(b"\r\n");
}

/// Writes the response that accepts a WebSocket upgrade.
pub(crate) fn write_upgrade(output: &mut Vec<u8>, key: &str) {
    let mut hash = Sha1::new();
    hash.update(key.as_bytes());
    hash.update(HANDSHAKE_ID.as_bytes());
    let accept = STANDARD.encode(hash.finalize());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
         sec-websocket-accept: {accept}\r\n\r\n"
    );
    output.extend_from_slice(head.as_bytes());
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        426 => "Upgrade Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_when_it_is_complete() {
        let text = b"POST /delay/1ms?a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
        for end in 0..text.len() - 5 {
            assert_eq!(read_head(&text[..end]), Ok(None));
        }
        let head = read_head(text).unwrap().unwrap();
        assert_eq!(
            (head.method, head.target, head.body),
            ("POST", "/delay/1ms?a", 5)
        );
        assert!(head.keep_alive && head.websocket_key.is_none());
        assert_eq!(head.length, text.len() - 5);
    }

    #[test]
    fn what_cannot_be_served_is_refused() {
        let read = |text: &str| read_head(text.as_bytes()).unwrap_err().status();
        assert_eq!(read("GET\r\n\r\n"), 400);
        assert_eq!(
            read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            411
        );
        assert_eq!(read("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        let long = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(MAX_HEAD));
        assert_eq!(read(&long), 431);
    }

    #[test]
    fn the_accept_key_is_that_of_the_specification() {
        let mut output = Vec::new();
        write_upgrade(&mut output, "dGhlIHNhbXBsZSBub25jZQ==");
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{text}");
    }
}
