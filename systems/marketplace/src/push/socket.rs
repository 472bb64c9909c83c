use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocketUpgrade, close_code};
use axum::response::Response;
use kit::serve::Place;
use kit::socket::Socket;
use tokio::time::{Instant, interval_at, timeout};

use super::follow::{Follower, StreamQuery};
use crate::market::Market;
use crate::refusal::Refusal;

/// Interval between pings. A connection that has sent nothing since the previous ping is closed.
const PING: Duration = Duration::from_secs(20);
/// Time limit for sending a message. When it has passed, the connection is closed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum size of an incoming message in bytes. It is small because clients send only pongs.
const LARGEST: usize = 4096;

/// Opens a WebSocket that sends the same notifications as the server-sent events, each as one JSON message.
pub(crate) async fn open(
    market: Arc<Market>,
    token: &str,
    query: StreamQuery,
    upgrade: WebSocketUpgrade,
    place: Option<Place>,
) -> Result<Response, Refusal> {
    let follower = Follower::begin(market, token, &query).await?;
    let upgrade = upgrade.max_message_size(LARGEST).max_frame_size(LARGEST);
    Ok(upgrade.on_upgrade(async move |socket| {
        follow(Socket::new(socket), follower).await;
        // The socket has counted as an open connection until here.
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
    // If the close frame cannot be sent, the connection ends without it.
    let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
}
