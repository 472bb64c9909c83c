use std::sync::Arc;

use serde::Serialize;
use tokio::time::Instant;

use crate::line::Outbox;
use crate::outlet::Outlet;

/// One who is in a room by Socket.IO.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Which visit of the process, for the order of carets and for exclusion.
    pub(crate) visit: u64,
    /// The id that clients know.
    pub(crate) id: Arc<str>,
    pub(crate) username: Arc<str>,
    pub(crate) outlet: Outlet,
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
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Seen {
    pub(crate) socket_id: Arc<str>,
    pub(crate) username: Arc<str>,
}

impl Member {
    pub(crate) fn seen(&self) -> Seen {
        Seen {
            socket_id: self.id.clone(),
            username: self.username.clone(),
        }
    }
}
