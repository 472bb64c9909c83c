use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::Response;
use kit::serve::Place;
use kit::socket::Socket;
use kit::turns::Turns;
use schemars::JsonSchema;
use serde::Deserialize;

use super::operation::{finish, tenant};
use super::{input, watch};
use crate::inbox::{self, Seat};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registry::Registry;

/// Read buffer in bytes. It is small because receivers send only acknowledgements, and thousands may be idle.
const READ_BUFFER: usize = 1024;
/// Write buffer in bytes. It collects the messages of one burst.
const WRITE_BUFFER: usize = 16 * 1024;
/// Maximum size of an acknowledgement in bytes.
const LARGEST: usize = 256 * 1024;

/// Query parameters of an inbox.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct InboxQuery {
    #[schemars(with = "Name")]
    identity: String,
    /// The token of the namespace. Browsers need it here, because they cannot send a header when they open a stream.
    access_token: Option<String>,
}

/// Query parameters of a watch.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WatchQuery {
    /// Only changes of identities that meet this filter (JSON).
    filter: Option<String>,
    /// The token of the namespace.
    access_token: Option<String>,
}

/// `GET /v1/{namespace}/inbox/ws`
pub(super) async fn socket(State(registry): State<Arc<Registry>>, request: Request) -> Response {
    let answer = async {
        let (mut parts, _) = request.into_parts();
        let query: InboxQuery = input::query(&mut parts).await?;
        let tenant = tenant(&registry, &mut parts, query.access_token.as_deref()).await?;
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await;
        let upgrade = upgrade.map_err(|error| Refusal::InvalidUpgrade(error.body_text()))?;
        let place = parts.extensions.get::<Place>().cloned();
        let turns = parts.extensions.get::<Arc<Turns>>().cloned();
        let identity = Name::new(&query.identity)?;
        let seat = Seat::take(registry.clone(), tenant, identity).await?;
        let upgrade = upgrade
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(WRITE_BUFFER)
            .max_message_size(LARGEST)
            .max_frame_size(LARGEST);
        Ok(upgrade.on_upgrade(async move |socket| {
            let inbox = inbox::run(Socket::new(socket), seat);
            match turns {
                Some(turns) => turns.share(inbox).await,
                None => inbox.await,
            }
            // The socket has counted as an open connection until here.
            drop(place);
        }))
    };
    finish(&registry, "inbox.ws", answer.await).await
}

/// `GET /v1/{namespace}/inbox/events`
pub(super) async fn events(State(registry): State<Arc<Registry>>, request: Request) -> Response {
    let answer = async {
        let (mut parts, _) = request.into_parts();
        let query: InboxQuery = input::query(&mut parts).await?;
        let tenant = tenant(&registry, &mut parts, query.access_token.as_deref()).await?;
        let identity = Name::new(&query.identity)?;
        let place = parts.extensions.get::<Place>().cloned();
        let seat = Seat::take(registry.clone(), tenant, identity).await?;
        inbox::stream(seat, place).await
    };
    finish(&registry, "inbox.events", answer.await).await
}

/// `GET /v1/{namespace}/watch`
pub(super) async fn changes(State(registry): State<Arc<Registry>>, request: Request) -> Response {
    let answer = async {
        let (mut parts, _) = request.into_parts();
        let query: WatchQuery = input::query(&mut parts).await?;
        let tenant = tenant(&registry, &mut parts, query.access_token.as_deref()).await?;
        watch::open(&registry, &tenant, query.filter.as_deref())
    };
    finish(&registry, "watch", answer.await).await
}
