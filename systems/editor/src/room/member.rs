use std::sync::Arc;

use serde::Serialize;
use tokio::time::Instant;

use crate::bus::Visitor;
use crate::line::Outbox;
use crate::recipient::Recipient;

/// One who is in a room by Socket.IO.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Which visit of the process, for the order of carets and for exclusion.
    pub(crate) visit: u64,
    /// As clients know it.
    pub(crate) who: Visitor,
    pub(crate) recipient: Recipient,
    /// Whether it wants texts, or follows the document otherwise.
    pub(crate) texts: bool,
    /// When a text of another was last sent to it.
    pub(crate) heard: Option<Instant>,
    /// Whether its text may be another than the document's.
    pub(crate) doubtful: bool,
}

/// One who follows the document by Yjs.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    /// Which visit of the process.
    pub(crate) visit: u64,
    pub(crate) outbox: Arc<Outbox>,
}

/// A member as the others see it.
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
