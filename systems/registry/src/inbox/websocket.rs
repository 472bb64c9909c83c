use std::ops::ControlFlow;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, close_code};
use futures_util::SinkExt;
use kit::socket::Socket;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

use super::seat::Seat;
use crate::mailbox::{Delivery, End, UNACKNOWLEDGED};

/// Time limit for the client's response to a close frame.
const FAREWELL: Duration = Duration::from_secs(2);
/// Close code for an identity that is no longer registered. The codes 4000–4999 are reserved for applications.
const UNREGISTERED: u16 = 4004;

/// What a receiver says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    #[serde(rename = "type")]
    _kind: Kind,
    id: Option<String>,
    #[serde(default)]
    ids: Vec<String>,
}

/// The only kind of message. A tagged enum would copy each message once more to read its tag.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Ack,
}

/// Reason why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// The receiver closed the connection, was silent, or writing failed.
    Gone,
    /// The receiver violated the protocol.
    Violated,
    /// The messages that wait for the receiver cannot be read.
    Failed,
    /// The registry ends the connection.
    Ended(End),
}

struct Connection {
    socket: Socket,
    seat: Seat,
    ready: Vec<Delivery>,
    pings: Interval,
    /// Whether anything was received since the last ping.
    heard: bool,
}

/// Serves an inbox over a WebSocket until it ends.
pub(crate) async fn run(socket: Socket, seat: Seat) {
    let ping = seat.registry.delivery.ping;
    let mut pings = interval_at(Instant::now() + ping, ping);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut connection = Connection {
        socket,
        seat,
        ready: Vec::new(),
        pings,
        heard: true,
    };
    let over = match connection.greet().await {
        ControlFlow::Break(over) => over,
        ControlFlow::Continue(()) => loop {
            if let ControlFlow::Break(over) = connection.turn().await {
                break over;
            }
        },
    };
    connection.close(over).await;
}

impl Connection {
    async fn greet(&mut self) -> ControlFlow<Over> {
        let queued = match self.seat.catch_up().await {
            Ok(queued) => queued,
            Err(refusal) => {
                tracing::warn!(%refusal, "an inbox cannot read the messages that wait for it");
                return ControlFlow::Break(Over::Failed);
            }
        };
        let (namespace, identity) = (self.seat.tenant(), self.seat.identity());
        let ready = json!({ "type": "ready", "namespace": namespace, "identity": identity, "queued": queued });
        self.say(&ready).await
    }

    async fn turn(&mut self) -> ControlFlow<Over> {
        tokio::select! {
            next = self.seat.next(&mut self.ready) => match next {
                Ok(()) => self.send().await,
                Err(end) => ControlFlow::Break(Over::Ended(end)),
            },
            message = self.socket.recv() => self.hear(message).await,
            _ = self.pings.tick() => self.ping().await,
        }
    }

    /// Sends what is ready. A receiver that reads nothing blocks this, and the end of a full mailbox cuts it.
    async fn send(&mut self) -> ControlFlow<Over> {
        let Self {
            socket,
            seat,
            ready,
            ..
        } = self;
        let sending = async {
            for delivery in ready.drain(..) {
                let frame = delivery.message.frame().clone();
                socket.feed(Message::Text(frame)).await?;
            }
            socket.flush().await
        };
        tokio::select! {
            biased;
            sent = sending => match sent {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(Over::Gone),
            },
            end = seat.cut() => ControlFlow::Break(Over::Ended(end)),
        }
    }

    async fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> ControlFlow<Over> {
        self.heard = true;
        match message {
            None | Some(Ok(Message::Close(_))) => ControlFlow::Break(Over::Gone),
            Some(Err(_)) => ControlFlow::Break(Over::Violated),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => ControlFlow::Continue(()),
            Some(Ok(Message::Binary(_))) => self.complain("expected a text message").await,
            Some(Ok(Message::Text(text))) => match serde_json::from_str(&text) {
                Ok(Said { ids, .. }) if ids.len() > UNACKNOWLEDGED => {
                    let why = format!("at most {UNACKNOWLEDGED} ids are accepted");
                    self.complain(&why).await
                }
                Ok(Said { id, ids, .. }) => {
                    let all = ids.iter().chain(&id);
                    self.seat.acknowledge(all.map(String::as_str)).await;
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    let why = format!("expected `{{\"type\":\"ack\",\"ids\":[…]}}`: {error}");
                    self.complain(&why).await
                }
            },
        }
    }

    async fn complain(&mut self, why: &str) -> ControlFlow<Over> {
        let complaint = json!({ "type": "error", "code": "invalid_message", "message": why });
        self.say(&complaint).await
    }

    async fn say(&mut self, event: &serde_json::Value) -> ControlFlow<Over> {
        self.write(Message::text(event.to_string())).await
    }

    async fn ping(&mut self) -> ControlFlow<Over> {
        if !self.heard {
            return ControlFlow::Break(Over::Gone);
        }
        self.heard = false;
        self.write(Message::Ping(Vec::new().into())).await
    }

    async fn write(&mut self, message: Message) -> ControlFlow<Over> {
        tokio::select! {
            biased;
            sent = self.socket.send(message) => match sent {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(Over::Gone),
            },
            end = self.seat.cut() => ControlFlow::Break(Over::Ended(end)),
        }
    }

    /// Performs the close handshake. Closing while data of the client is unread would reset the connection and discard
    /// messages in flight to it.
    async fn close(self, over: Over) {
        let Self {
            mut socket,
            mut seat,
            mut ready,
            ..
        } = self;
        if over == Over::Ended(End::TooSlow) {
            seat.registry.counters.too_slow.inc();
        }
        let farewell = async {
            if over == Over::Ended(End::Stopping) {
                seat.rest(&mut ready);
                for delivery in ready {
                    let frame = delivery.message.frame().clone();
                    socket.feed(Message::Text(frame)).await?;
                }
            }
            if let Some((code, reason)) = farewell(over) {
                let reason = Utf8Bytes::from_static(reason);
                let frame = CloseFrame { code, reason };
                socket.send(Message::Close(Some(frame))).await?;
            }
            while let Some(Ok(_)) = socket.recv().await {}
            Ok::<_, axum::Error>(())
        };
        // If the handshake fails, the connection ends without it.
        let _ = timeout(FAREWELL, farewell).await;
    }
}

fn farewell(over: Over) -> Option<(u16, &'static str)> {
    match over {
        Over::Gone => None,
        Over::Violated => Some((close_code::PROTOCOL, "too large or not understood")),
        Over::Failed => Some((close_code::ERROR, "the kept messages cannot be read")),
        Over::Ended(End::TooSlow) => Some((close_code::POLICY, "receiver too slow")),
        Over::Ended(End::Unregistered) => {
            Some((UNREGISTERED, "the identity is no longer registered"))
        }
        Over::Ended(End::Stopping) => Some((close_code::AWAY, "the registry is stopping")),
    }
}
