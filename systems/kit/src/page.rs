//! The files of a page that is embedded in the binary. The page connects only to its own host.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use rust_embed::EmbeddedFile;

/// The folder whose file names contain a hash of the content.
const HASHED: &str = "assets/";

/// The response with a file. `policy` is the content security policy without `connect-src`, and `headers` are those of
/// the request.
#[must_use]
pub fn respond(
    path: &str,
    file: EmbeddedFile,
    policy: &'static str,
    headers: &HeaderMap,
) -> Response<Body> {
    let kept = if path.starts_with(HASHED) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let fixed: [(HeaderName, &str); 5] = [
        (CONTENT_TYPE, kind(path)),
        (CACHE_CONTROL, kept),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    let mut response =
        Response::builder().header(CONTENT_SECURITY_POLICY, complete(policy, headers));
    for (name, value) in fixed {
        response = response.header(name, value);
    }
    let body = match file.data {
        Cow::Borrowed(bytes) => Body::from(Bytes::from_static(bytes)),
        Cow::Owned(bytes) => Body::from(bytes),
    };
    response
        .body(body)
        .unwrap_or_else(|_| status(StatusCode::INTERNAL_SERVER_ERROR))
}

/// A response without a body.
#[must_use]
pub fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// The content security policy for a page at the requested host. Not every browser applies `'self'` to `WebSockets`,
/// so their URLs are listed explicitly.
fn complete(policy: &'static str, headers: &HeaderMap) -> HeaderValue {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    // The client controls this header, so ignore a value that could add directives to the policy.
    let lines = host
        .filter(|host| host.parse::<Authority>().is_ok() && !host.contains([';', ',', '@']))
        .map(|host| format!(" ws://{host} wss://{host}"))
        .unwrap_or_default();
    HeaderValue::try_from(format!("{policy}; connect-src 'self'{lines}"))
        .unwrap_or(HeaderValue::from_static(policy))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_speaks_to_its_own_host_alone() {
        for (host, lines) in [
            (
                "127.0.0.1:5000",
                " ws://127.0.0.1:5000 wss://127.0.0.1:5000",
            ),
            ("[::1]:5000", " ws://[::1]:5000 wss://[::1]:5000"),
            ("evil; script-src *", ""),
            ("a.example,b.example", ""),
        ] {
            let headers = HeaderMap::from_iter([(HOST, host.parse().unwrap())]);
            assert_eq!(
                complete("default-src 'none'", &headers),
                format!("default-src 'none'; connect-src 'self'{lines}"),
                "{host}"
            );
        }
    }
}
