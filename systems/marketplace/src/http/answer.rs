use std::future::Future;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::time::{Instant, timeout_at};

use super::caller::caller;
use super::input;
use crate::market::{Done, Market};
use crate::metrics::Answered;
use crate::operation::{Read, Route, Write};
use crate::refusal::Refusal;
use crate::store::PATIENCE;

/// Handles a write: reads the request, performs its step and returns the response.
pub(super) async fn write<W: Write>(
    State(market): State<Arc<Market>>,
    request: Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let ticket = market.door.admit(W::ROUTE.id, &parts);
    let work = async {
        let bytes = input::body(body, market.door.max_body).await?;
        // This time limit applies only to the database. Reading the body has its own limit.
        let mut deadline = Instant::now() + PATIENCE;
        let actor = until(deadline, caller(&market, W::ROUTE.access, &parts)).await?;
        let path = input::path(&mut parts).await?;
        let body = input::json(&parts, &bytes)?;
        let key = input::key(&parts, &actor, W::ROUTE.id, &bytes)?;
        // A response with secrets must not be stored, so ignore the idempotency key.
        let key = key.filter(|_| !W::ROUTE.secret);
        let begun = W::begin(path, body, &market);
        let step = if W::ROUTE.hashes {
            // Waiting for a hash may take longer than the database limit, so restart the limit afterwards.
            let step = begun.await?;
            deadline = Instant::now() + PATIENCE;
            step
        } else {
            until(deadline, begun).await?
        };
        if let Some(faults) = &market.faults {
            faults.message();
        }
        let done = until(deadline, market.perform(&actor, key.as_ref(), &step)).await?;
        Ok(written(&W::ROUTE, done))
    };
    finish(&market, &W::ROUTE, ticket, work).await
}

/// Handles a read.
pub(super) async fn read<R: Read>(State(market): State<Arc<Market>>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let ticket = market.door.admit(R::ROUTE.id, &parts);
    let deadline = Instant::now() + PATIENCE;
    let work = until(deadline, async {
        let actor = caller(&market, R::ROUTE.access, &parts).await?;
        let path = input::path(&mut parts).await?;
        let query = input::query(&mut parts).await?;
        let mut db = market.store.read().await?;
        let answer = R::answer(path, query, &actor, &mut db).await?;
        drop(db);
        let body = serde_json::to_string(&answer);
        let body = body.map_err(|error| Refusal::Internal(error.to_string()))?;
        Ok(json(StatusCode::OK, body))
    });
    finish(&market, &R::ROUTE, ticket, work).await
}

/// Stops waiting for the database at the deadline. An open transaction is rolled back, unless its commit has already
/// begun.
pub(super) async fn until<T>(
    deadline: Instant,
    work: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    let done = timeout_at(deadline, work).await;
    done.unwrap_or(Err(Refusal::Unreachable))
}

/// Runs an operation, unless a rate limit refuses it. Counts the response, and applies injected delays to it.
pub(super) async fn finish(
    market: &Market,
    route: &Route,
    ticket: Option<kit::limit::Ticket>,
    work: impl Future<Output = Result<Response, Refusal>>,
) -> Response {
    let refused = ticket.filter(|ticket| !ticket.admitted);
    let result = match refused {
        Some(ticket) => Err(Refusal::RateLimited {
            limit: ticket.limit,
            window_s: ticket.window.as_secs(),
            retry_s: ticket.reset_s(),
        }),
        None => work.await,
    };
    let mut response = result.unwrap_or_else(IntoResponse::into_response);
    if let Some(ticket) = ticket {
        ticket.write(response.headers_mut());
    }
    let (operation, status) = (route.id, response.status().as_u16());
    market
        .counters
        .answers
        .get_or_create(&Answered { operation, status })
        .inc();
    if let Some(faults) = &market.faults {
        faults.hold(Instant::now()).await;
    }
    response
}

fn written(route: &Route, done: Done) -> Response {
    let status = StatusCode::from_u16(route.status()).unwrap_or(StatusCode::OK);
    let mut response = json(status, done.body);
    let headers = response.headers_mut();
    if done.replayed {
        let name = HeaderName::from_static("idempotency-replayed");
        headers.insert(name, HeaderValue::from_static("true"));
    }
    if route.secret {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// A JSON response with its `Content-Type`.
pub(super) fn json(status: StatusCode, body: String) -> Response {
    let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (status, kind, body).into_response()
}
