//! The editor's web page, built by Vite into `page/dist` and embedded in the binary.

use axum::body::Body;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use kit::page::{respond, status};
use rust_embed::Embed;

/// The content security policy without `connect-src`, which depends on the host. `'unsafe-inline'` is needed because
/// `CodeMirror` inserts style sheets at run time. Everything else comes from this host.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The file that is served for every path that is not a file, because the page handles its own routes.
const INDEX: &str = "index.html";

#[derive(Embed)]
#[folder = "page/dist"]
struct Files;

/// Serves a file of the page, or the page itself for other paths.
pub(crate) async fn page(uri: Uri, headers: HeaderMap) -> Response<Body> {
    let path = uri.path().trim_start_matches('/');
    match Files::get(path) {
        Some(file) => respond(path, file, POLICY, &headers),
        None => match Files::get(INDEX) {
            Some(file) => respond(INDEX, file, POLICY, &headers),
            None => status(StatusCode::NOT_FOUND),
        },
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};

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
