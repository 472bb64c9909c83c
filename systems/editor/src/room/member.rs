use std::sync::Arc;

use serde::Serialize;
use tokio::time::Instant;

use crate::bus::Visitor;
use crate::line::Outbox;
use crate::recipient::Recipient;

/// A client that is in a room by Socket.IO.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The session's number. It identifies the sender of a caret, and excludes senders from receiving their own
    /// messages.
    pub(crate) visit: u64,
    /// The id and name that clients see.
    pub(crate) who: Visitor,
    pub(crate) recipient: Recipient,
    /// Whether the member receives `code-change` events. `false` if it follows the document by Yjs.
    pub(crate) texts: bool,
    /// Time at which another member's text was last sent to this member.
    pub(crate) heard: Option<Instant>,
    /// Whether the member's text may differ from the document.
    pub(crate) doubtful: bool,
}

/// A client that follows the document by Yjs.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    /// The session's number.
    pub(crate) visit: u64,
    pub(crate) outbox: Arc<Outbox>,
}

/// A member as other clients see it.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Seen<'a> {
    socket_id: &'a str,
    username: &'a str,
}

impl<'a> Seen<'a> {
    pub(crate) fn of(who: &'a Visitor) -> Self {
        Self {
            socket_id: &who.id,
            username: &who.username,
        }
    }
}
