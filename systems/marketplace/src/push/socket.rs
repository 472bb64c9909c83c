use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocketUpgrade, close_code};
use axum::response::Response;
use kit::serve::Place;
use kit::socket::Socket;
use tokio::time::{Instant, interval_at, timeout};

use super::StreamQuery;
use super::follow::Follower;
use crate::http::Shared;
use crate::refusal::Refusal;

/// A socket is pinged so often.
const PING: Duration = Duration::from_secs(20);
/// Who does not take a message within this time is cut off.
const PATIENCE: Duration = Duration::from_secs(10);
/// Nothing but pongs is expected.
const LARGEST: usize = 4096;

/// The same as server-sent events, one JSON message each.
pub(crate) async fn open(
    market: Shared,
    token: &str,
    query: StreamQuery,
    upgrade: WebSocketUpgrade,
    place: Option<Place>,
) -> Result<Response, Refusal> {
    let follower = Follower::begin(market, token, &query).await?;
    let upgrade = upgrade.max_message_size(LARGEST).max_frame_size(LARGEST);
    Ok(upgrade.on_upgrade(async move |socket| {
        follow(Socket::new(socket), follower).await;
        // Until here it was one of the connections that may be open.
        drop(place);
    }))
}

async fn follow(mut socket: Socket, mut follower: Follower) {
    let mut pings = interval_at(Instant::now() + PING, PING);
    let mut answered = true;
    loop {
        let message = tokio::select! {
            next = follower.next() => match next {
                Some(next) => match serde_json::to_string(&next) {
                    Ok(text) => Message::text(text),
                    Err(_) => continue,
                },
                None => break,
            },
            heard = socket.recv() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {
                    answered = true;
                    continue;
                }
            },
            _ = pings.tick() => {
                if !answered {
                    return;
                }
                answered = false;
                Message::Ping(Vec::new().into())
            }
        };
        if !matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
    let frame = CloseFrame {
        code: close_code::AWAY,
        reason: "the session is over".into(),
    };
    // Where even this does not arrive, the connection just ends.
    let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
}
