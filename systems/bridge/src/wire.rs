//! The JSON messages of the bridge. Unknown fields are ignored.

use std::borrow::Cow;

use kit::token::Token;
use serde::{Deserialize, Serialize, Serializer};

use crate::refusal::Refusal;

/// `POST /bridge/chat`
#[derive(Debug, Deserialize)]
pub(crate) struct Chat<'a> {
    #[serde(borrow)]
    pub(crate) user: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) room: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) message: Cow<'a, str>,
}

/// The response to `POST /bridge/chat`.
#[derive(Debug, Serialize)]
pub(crate) struct ChatReply<'a> {
    pub(crate) reply: &'a str,
    #[serde(serialize_with = "token_or_null")]
    pub(crate) session: Option<Token>,
    pub(crate) user: &'a str,
    pub(crate) room: &'a str,
    pub(crate) sequence: u64,
}

/// `POST /bridge/move`
#[derive(Debug, Deserialize)]
pub(crate) struct Move<'a> {
    #[serde(borrow)]
    pub(crate) user: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) session: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) room: Cow<'a, str>,
}

/// A command of a client on a WebSocket: `say` with `text`, `move` with `room`, or `end`.
#[derive(Debug, Deserialize)]
pub(crate) struct Command<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) room: Option<Cow<'a, str>>,
}

/// An event that the bridge sends on a WebSocket, except errors.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Event<'a> {
    Welcome {
        #[serde(serialize_with = "token")]
        session: Token,
        user: &'a str,
        room: &'a str,
        /// Number of the latest message in the room. Later messages have higher numbers.
        sequence: u64,
    },
    Said {
        room: &'a str,
        from: &'a str,
        text: &'a str,
        sequence: u64,
        /// Milliseconds since 1970.
        at: u64,
    },
    Reply {
        text: &'a str,
        sequence: u64,
    },
    Moved {
        room: &'a str,
        sequence: u64,
    },
    Joined {
        room: &'a str,
        user: &'a str,
    },
    Left {
        room: &'a str,
        user: &'a str,
    },
}

/// A session as everybody may see it. `id` is a public number, not the secret.
#[derive(Debug, Serialize)]
pub(crate) struct SessionLine<'a> {
    pub(crate) id: u64,
    pub(crate) user: &'a str,
    pub(crate) room: &'a str,
    pub(crate) messages: u64,
    /// Seconds since the session last had a message or a connection.
    pub(crate) idle_s: f64,
    pub(crate) connected: bool,
}

/// A session as only its user may see it.
#[derive(Debug, Serialize)]
pub(crate) struct SessionInside<'a> {
    #[serde(flatten)]
    pub(crate) line: SessionLine<'a>,
    pub(crate) conversation: Vec<ExchangeLine<'a>>,
}

/// One message to the agent and its reply.
#[derive(Debug, Serialize)]
pub(crate) struct ExchangeLine<'a> {
    pub(crate) said: &'a str,
    pub(crate) reply: &'a str,
}

/// A room and its users.
#[derive(Debug, Serialize)]
pub(crate) struct RoomLine<'a> {
    pub(crate) room: &'a str,
    /// Number of users in the room. If there are many, `users` lists only the first ones.
    pub(crate) count: usize,
    pub(crate) listening: usize,
    pub(crate) sequence: u64,
    pub(crate) users: Vec<&'a str>,
}

/// Parses a message from a JSON object.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Refusal> {
    kit::json::object(bytes).map_err(|error| Refusal::InvalidJson(error.to_string()))
}

/// Serializes a value of this module as JSON. `size` is the expected length in bytes.
pub(crate) fn write<T: Serialize>(value: &T, size: usize) -> String {
    let mut bytes = Vec::with_capacity(size);
    // Writing these types to a `Vec` cannot fail. If it does fail, send nothing rather than part of a message.
    if serde_json::to_writer(&mut bytes, value).is_err() {
        bytes.clear();
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn token<S: Serializer>(token: &Token, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(token)
}

#[expect(clippy::ref_option, reason = "the shape that serde calls")]
fn token_or_null<S: Serializer>(secret: &Option<Token>, serializer: S) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => token(secret, serializer),
        None => serializer.serialize_none(),
    }
}
