use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode, Uri, Version};
use model::Fault;

use crate::http::encoding::{push_authority, push_target, refused};
use crate::http::{Headers, Request};

/// Headers that are not sent: HTTP/2 forbids headers about one HTTP/1.1 connection (RFC 9113 §8.2.2), and Host becomes
/// `:authority`.
const NOT_SENT: [&str; 5] = [
    "connection",
    "host",
    "keep-alive",
    "proxy-connection",
    "upgrade",
];

/// The request in the form that `h2` takes, without its body.
pub(super) fn encode(request: &Request, cookies: Option<&str>) -> Result<http::Request<()>, Fault> {
    request.check_method()?;
    let mut encoded = http::Request::new(());
    *encoded.version_mut() = Version::HTTP_2;
    *encoded.method_mut() = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| refused(&format!("method {:?} is not valid", request.method)))?;
    *encoded.uri_mut() = uri_of(request)?;
    let headers = encoded.headers_mut();
    request.each_header(cookies, |name, value| push(headers, name, value))?;
    Ok(encoded)
}

fn uri_of(request: &Request) -> Result<Uri, Fault> {
    let mut authority = Vec::new();
    match request.header("host") {
        Some(host) => authority.extend_from_slice(host.as_bytes()),
        None => push_authority(&request.url, &mut authority)?,
    }
    let mut target = Vec::new();
    push_target(&request.url, &mut target);
    Uri::builder()
        .scheme(request.url.scheme())
        .authority(authority.as_slice())
        .path_and_query(target.as_slice())
        .build()
        .map_err(|error| refused(&format!("{} cannot be requested: {error}", request.url)))
}

fn push(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Fault> {
    let refuse = || refused(&format!("HTTP/2 cannot carry the header `{name}`"));
    let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse())?;
    if NOT_SENT.contains(&known.as_str()) {
        return Ok(());
    }
    let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| refuse())?;
    headers.try_append(known, value).map_err(|_| refuse())?;
    Ok(())
}

/// Size of the head in bytes, in the form that [`decode`] produces. `h2` does not report the size of the HPACK block.
pub(super) fn size(headers: &HeaderMap) -> usize {
    let line = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    "HTTP/2 200\r\n\r\n".len() + headers.iter().map(line).sum::<usize>()
}

/// The head in the form of HTTP/1.1, so that [`Headers`] has the same form for both protocols.
pub(super) fn decode(status: StatusCode, headers: &HeaderMap) -> Headers {
    let mut raw = Vec::with_capacity(size(headers));
    raw.extend_from_slice(b"HTTP/2 ");
    raw.extend_from_slice(status.as_str().as_bytes());
    raw.extend_from_slice(b"\r\n");
    for (name, value) in headers {
        raw.extend_from_slice(name.as_str().as_bytes());
        raw.extend_from_slice(b": ");
        raw.extend_from_slice(value.as_bytes());
        raw.extend_from_slice(b"\r\n");
    }
    raw.extend_from_slice(b"\r\n");
    Headers::new(&raw, headers.contains_key("set-cookie"))
}
