//! The page that people type in: built by Vite into `page/dist`, and kept inside of the binary.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, Response, StatusCode, Uri};
use rust_embed::{Embed, EmbeddedFile};

/// What a page may do. `CodeMirror` writes its style sheets at run time; everything else comes from this
/// host.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Files of this folder have a hash of their content in the name.
const HASHED: &str = "assets/";
/// What every path that is no file gets: the routes of the page are its own.
const INDEX: &str = "index.html";

#[derive(Embed)]
#[folder = "page/dist"]
struct Files;

/// A file of the page, or the page itself.
pub(crate) async fn page(uri: Uri) -> Response<Body> {
    let path = uri.path().trim_start_matches('/');
    match Files::get(path) {
        Some(file) => answer(path, file),
        None => match Files::get(INDEX) {
            Some(file) => answer(INDEX, file),
            None => status(StatusCode::NOT_FOUND),
        },
    }
}

fn answer(path: &str, file: EmbeddedFile) -> Response<Body> {
    let kept = if path.starts_with(HASHED) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers: [(HeaderName, &str); 6] = [
        (CONTENT_TYPE, kind(path)),
        (CACHE_CONTROL, kept),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    let mut response = Response::builder();
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
            let response = page(path.parse().unwrap()).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(
                response.headers()[CONTENT_TYPE],
                "text/html; charset=utf-8",
                "{path}"
            );
            assert_eq!(response.headers()[CONTENT_SECURITY_POLICY], POLICY);
        }
    }

    #[tokio::test]
    async fn files_that_carry_their_hash_are_kept_for_good() {
        let script = Files::iter()
            .find(|file| file.starts_with("assets/index") && file.ends_with(".js"))
            .unwrap();
        let response = page(format!("/{script}").parse().unwrap()).await;
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
