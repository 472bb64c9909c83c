use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};

/// The description of the HTTP interface, written by hand because it has few routes.
const OPEN_API: &str = include_str!("openapi.json");
/// A page for people, which needs no files from elsewhere.
const PAGE: &str = include_str!("docs.html");

/// `GET /openapi.json`
pub(super) async fn openapi() -> Response {
    ([(CONTENT_TYPE, "application/json")], OPEN_API).into_response()
}

/// `GET /docs` and `GET /redoc`
pub(super) async fn page() -> Response {
    Html(PAGE).into_response()
}
