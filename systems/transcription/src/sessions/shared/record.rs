use serde::{Deserialize, Serialize};

use crate::sessions::session::Session;
use crate::sessions::view::{Line, Past};

/// A session as the other nodes see it. Its figures are a few seconds old.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) line: Line,
    pub(crate) past: Past,
}

impl Shown {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            line: session.line(),
            past: session.past(),
        }
    }

    pub(in crate::sessions) fn write(&self) -> String {
        // Writing these types to a string cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// `None` if another version of the service wrote it.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}
