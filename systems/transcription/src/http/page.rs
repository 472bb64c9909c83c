//! The page of the service, built by Vite into `page/dist` and embedded in the binary.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use kit::page::respond;
use rust_embed::Embed;

use crate::answer::detail;

/// The content security policy without `connect-src`, which depends on the host. Everything comes from this host.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";
/// Features of the browser that the page may use.
const PERMISSIONS: &str = "microphone=(self), camera=(), geolocation=()";

#[derive(Embed)]
#[folder = "page/dist"]
struct Files;

/// `GET /` and the files of the page
pub(super) async fn page(uri: Uri, headers: HeaderMap) -> Response<Body> {
    let path = match uri.path() {
        "/" => "index.html",
        other => other.trim_start_matches('/'),
    };
    let Some(file) = Files::get(path) else {
        return detail(StatusCode::NOT_FOUND, "Not Found");
    };
    let mut response = respond(path, file, POLICY, &headers);
    response
        .headers_mut()
        .insert("permissions-policy", HeaderValue::from_static(PERMISSIONS));
    response
}
