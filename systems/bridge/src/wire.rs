//! The JSON of the bridge: what comes in and what goes out. Unknown fields are let pass.

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

/// The answer to it.
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

/// What a client says on a WebSocket: `say` with `text`, `move` with `room`, or `end`.
#[derive(Debug, Deserialize)]
pub(crate) struct Command<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) room: Option<Cow<'a, str>>,
}

/// What the bridge says on a WebSocket, errors apart.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Event<'a> {
    Welcome {
        #[serde(serialize_with = "token")]
        session: Token,
        user: &'a str,
        room: &'a str,
        /// The last message of the room so far: what is heard from now on is higher.
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

/// One session as everybody may see it. `id` is not its secret.
#[derive(Debug, Serialize)]
pub(crate) struct SessionLine<'a> {
    pub(crate) id: u64,
    pub(crate) user: &'a str,
    pub(crate) room: &'a str,
    pub(crate) messages: u64,
    /// Seconds since its last message or connection.
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

/// One message to the agent and what it answered.
#[derive(Debug, Serialize)]
pub(crate) struct ExchangeLine<'a> {
    pub(crate) said: &'a str,
    pub(crate) reply: &'a str,
}

/// A room and who is in it.
#[derive(Debug, Serialize)]
pub(crate) struct RoomLine<'a> {
    pub(crate) room: &'a str,
    /// Users in it; `users` is cut off where there are very many.
    pub(crate) count: usize,
    pub(crate) listening: usize,
    pub(crate) sequence: u64,
    pub(crate) users: Vec<&'a str>,
}

/// Reads a message from a JSON object.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Refusal> {
    kit::json::object(bytes).map_err(|error| Refusal::InvalidJson(error.to_string()))
}

/// Writes anything of this file as JSON into a string of about `size` bytes.
pub(crate) fn write<T: Serialize>(value: &T, size: usize) -> String {
    let mut bytes = Vec::with_capacity(size);
    // Neither a `Vec` nor these shapes can fail; nothing half-written may leave if one ever did.
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
