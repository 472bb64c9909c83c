//! Parses HTTP/1.1 requests.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The head of a request whose body has also been read.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The `Sec-WebSocket-Key` header, if the client requests a WebSocket.
    pub(crate) websocket_key: Option<String>,
}

/// Reads until a request is complete. `None` if the client disconnects or sends something else.
pub(crate) async fn read_request(
    from: &mut (impl AsyncRead + Unpin),
    input: &mut Vec<u8>,
) -> Option<Request> {
    loop {
        if let Some((request, length)) = parse(input).ok()? {
            input.drain(..length);
            return Some(request);
        }
        if from.read_buf(input).await.ok()? == 0 {
            return None;
        }
    }
}

/// The input is not a request.
struct NoRequest;

/// Returns a request and its length including the body. `None` while the request is incomplete.
fn parse(input: &[u8]) -> Result<Option<(Request, usize)>, NoRequest> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = head.parse(input).map_err(|_| NoRequest)? else {
        return Ok(None);
    };
    let value = |name: &str| {
        let header = head
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name));
        header.and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let body = value("content-length").map_or(Ok(0), |text| text.trim().parse::<usize>());
    let length = body
        .ok()
        .and_then(|body| length.checked_add(body))
        .ok_or(NoRequest)?;
    if input.len() < length {
        return Ok(None);
    }
    let request = Request {
        path: head.path.unwrap_or_default().to_owned(),
        websocket_key: value("sec-websocket-key").map(str::to_owned),
    };
    Ok(Some((request, length)))
}
