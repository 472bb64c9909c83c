//! The editor's web page, built by Vite into `page/dist` and embedded in the binary.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Uri};
use rust_embed::{Embed, EmbeddedFile};

/// The content security policy without `connect-src`, which depends on the host. `'unsafe-inline'` is needed because
/// `CodeMirror` inserts style sheets at run time. Everything else comes from this host.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The folder whose file names contain a hash of the content.
const HASHED: &str = "assets/";
/// The file that is served for every path that is not a file, because the page handles its own routes.
const INDEX: &str = "index.html";

#[derive(Embed)]
#[folder = "page/dist"]
struct Files;

/// Serves a file of the page, or the page itself for other paths.
pub(crate) async fn page(uri: Uri, headers: HeaderMap) -> Response<Body> {
    let policy = policy(&headers);
    let path = uri.path().trim_start_matches('/');
    match Files::get(path) {
        Some(file) => answer(path, file, policy),
        None => match Files::get(INDEX) {
            Some(file) => answer(INDEX, file, policy),
            None => status(StatusCode::NOT_FOUND),
        },
    }
}

/// The content security policy for a page at the requested host. Not every browser applies `'self'` to `WebSockets`,
/// so their URLs are listed explicitly.
fn policy(headers: &HeaderMap) -> HeaderValue {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    // The client controls this header, so ignore a value that could add directives to the policy.
    let lines = host
        .filter(|host| host.parse::<Authority>().is_ok() && !host.contains([';', ',', '@']))
        .map(|host| format!(" ws://{host} wss://{host}"))
        .unwrap_or_default();
    HeaderValue::try_from(format!("{POLICY}; connect-src 'self'{lines}"))
        .unwrap_or(HeaderValue::from_static(POLICY))
}

fn answer(path: &str, file: EmbeddedFile, policy: HeaderValue) -> Response<Body> {
    let kept = if path.starts_with(HASHED) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers: [(HeaderName, &str); 5] = [
        (CONTENT_TYPE, kind(path)),
        (CACHE_CONTROL, kept),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    let mut response = Response::builder().header(CONTENT_SECURITY_POLICY, policy);
    for (name, value) in headers {
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

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
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

    #[tokio::test]
    async fn every_path_that_is_no_file_is_the_page() {
        for path in ["/", "/editor/some-room", "/nothing.js"] {
            let response = page(path.parse().unwrap(), HeaderMap::new()).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(
                response.headers()[CONTENT_TYPE],
                "text/html; charset=utf-8",
                "{path}"
            );
        }
    }

    #[tokio::test]
    async fn a_page_speaks_to_its_own_host_alone() {
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
            let response = page(Uri::from_static("/"), headers).await;
            assert_eq!(
                response.headers()[CONTENT_SECURITY_POLICY],
                format!("{POLICY}; connect-src 'self'{lines}"),
                "{host}"
            );
        }
    }

    #[tokio::test]
    async fn files_that_carry_their_hash_are_kept_for_good() {
        let script = Files::iter()
            .find(|file| file.starts_with("assets/index") && file.ends_with(".js"))
            .unwrap();
        let response = page(format!("/{script}").parse().unwrap(), HeaderMap::new()).await;
        assert_eq!(
            response.headers()[CACHE_CONTROL],
            "public, max-age=31536000, immutable"
        );
        assert_eq!(
            response.headers()[CONTENT_TYPE],
            "text/javascript; charset=utf-8"
        );
    }
}
