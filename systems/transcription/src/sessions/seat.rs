use std::ops::Deref;
use std::sync::Arc;

use tokio::time::Instant;

use super::session::Session;
use super::table::Sessions;

/// A live session, which ends when this is dropped, whatever ended the connection or request.
#[derive(Debug)]
pub(crate) struct Seat {
    session: Arc<Session>,
    table: Arc<Sessions>,
    /// Whether the session was a stream that the client did not end by request.
    pub(crate) recoverable: bool,
}

impl Seat {
    pub(super) fn new(session: Arc<Session>, table: Arc<Sessions>) -> Self {
        Self {
            session,
            table,
            recoverable: false,
        }
    }
}

impl Deref for Seat {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.table
            .remove(&self.session, self.recoverable, Instant::now());
    }
}
