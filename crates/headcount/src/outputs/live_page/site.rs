//! The live page over HTTP.
//!
//! | request | response |
//! | --- | --- |
//! | `GET /TOKEN/` | the page |
//! | `GET /TOKEN/updates?after=N` | what has changed after change N, as soon as there is something |
//! | `POST /TOKEN/end` | ends the run in order |

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use tokio::time::{sleep, timeout};

use super::follow::Followed;
use super::guard::{Token, comes_from_here, names_this_machine};
use crate::hurry::end_in_order;

/// Time after which a request gets its response, even if nothing has changed.
const PATIENCE: Duration = Duration::from_secs(15);
/// What happens within this time is one response.
const TOGETHER: Duration = Duration::from_millis(40);

#[derive(Clone)]
struct Site {
    token: Token,
    followed: Followed,
}

/// The page, its figures and its button.
pub(super) fn router(token: Token, followed: Followed) -> Router {
    Router::new()
        .route("/{token}/", get(page))
        .route("/{token}/updates", get(updates))
        .route("/{token}/end", post(end))
        .with_state(Site { token, followed })
        .layer(from_fn(guarded))
}

/// Refuses requests that do not name this machine. Forbids browsers to store or embed a response.
async fn guarded(request: Request, next: Next) -> Response {
    let is_allowed = names_this_machine(request.headers());
    let mut response = if is_allowed {
        next.run(request).await
    } else {
        StatusCode::FORBIDDEN.into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn page(State(site): State<Site>, Path(token): Path<String>) -> Response {
    if !site.token.is(&token) {
        return StatusCode::NOT_FOUND.into_response();
    }
    Html(site.followed.run().page()).into_response()
}

async fn updates(
    State(site): State<Site>,
    Path(token): Path<String>,
    Query(query): Query<BTreeMap<String, u64>>,
) -> Response {
    if !site.token.is(&token) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let after = query.get("after").copied().unwrap_or(0);
    let followed = &site.followed;
    followed.look_at_stop();
    let _ = timeout(PATIENCE, followed.changed_after(after)).await; // also without news, so that the page sees that headcount runs
    let is_over = followed.run().is_over();
    if !is_over {
        sleep(TOGETHER).await;
    }
    let json = followed.update(after);
    ([(CONTENT_TYPE, "application/json")], json).into_response()
}

async fn end(
    State(site): State<Site>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> StatusCode {
    if !site.token.is(&token) {
        return StatusCode::NOT_FOUND;
    }
    if !comes_from_here(&headers) {
        return StatusCode::FORBIDDEN;
    }
    end_in_order(site.followed.stop(), "the live page");
    site.followed.look_at_stop();
    StatusCode::ACCEPTED
}
