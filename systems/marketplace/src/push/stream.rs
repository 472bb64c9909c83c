use std::convert::Infallible;
use std::sync::Arc;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;

use super::follow::{Follower, StreamQuery};
use crate::market::Market;
use crate::refusal::Refusal;

/// Opens a stream of server-sent events. An event's id is its position in the list, so that a browser can resume there.
pub(crate) async fn open(
    market: Arc<Market>,
    token: &str,
    mut query: StreamQuery,
    last_event: Option<&str>,
) -> Result<Response, Refusal> {
    let resumed = last_event.and_then(|id| id.parse().ok());
    query.after = resumed.or(query.after);
    let follower = Follower::begin(market, token, &query).await?;
    let events = unfold(follower, async |mut follower| {
        let next = follower.next().await?;
        let event = Event::default()
            .id(next.sequence.to_string())
            .event(next.kind.word());
        // Serializing cannot fail, because the view was itself parsed from JSON.
        let event = event.json_data(&next).ok()?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}
