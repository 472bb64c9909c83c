use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tokio::time::{Instant, sleep_until};

use super::mailbox::Mailbox;
use crate::line::{End, Hear, Heard, Outbox, STOPPING};
use crate::recipient::PollQueue;

/// One polling client.
pub(super) struct Session {
    sid: Arc<str>,
    pub(super) mailbox: Arc<Mailbox>,
    listens: Mutex<Option<Listens>>,
    /// Held while a posted payload is handled.
    pub(super) posted: tokio::sync::Mutex<()>,
}

/// The handler of a client's messages, and the next expiry of the handler's timer.
pub(super) struct Listens {
    pub(super) hear: Box<dyn Hear>,
    pub(super) alarm: Instant,
}

/// The payload contains an invalid or unexpected packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an Engine.IO payload")]
pub(super) struct NotAPayload;

impl Session {
    /// Handles a packet of a posted payload. An invalid packet ends the session.
    pub(super) fn hear(&self, packet: &str) -> Result<Heard, NotAPayload> {
        let Some(Listens { hear, .. }) = &mut *self.listens() else {
            return Err(NotAPayload);
        };
        let heard = match packet.strip_prefix('b') {
            _ if packet == "1" => Heard::End(End::Gone),
            None => hear.text(packet),
            Some(binary) => match BASE64_STANDARD.decode(binary) {
                Ok(bytes) => hear.binary(&bytes),
                Err(_) => Heard::End(End::Closed(1002, "invalid base64")),
            },
        };
        if let Heard::End(end) = heard {
            self.mailbox.finish(end);
            if !matches!(end, End::Gone | End::Closed(1000, _)) {
                return Err(NotAPayload);
            }
        }
        Ok(heard)
    }

    /// Moves the client and its handler to a WebSocket. `None` if polling has ended.
    pub(super) fn go_over(&self, line: &Arc<Outbox>) -> Option<Listens> {
        let listens = self.leave()?;
        self.mailbox.lead_to(line).then_some(listens)
    }

    /// Removes and returns the handler.
    fn leave(&self) -> Option<Listens> {
        self.listens().take()
    }

    fn listens(&self) -> MutexGuard<'_, Option<Listens>> {
        self.listens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the timer until polling has ended.
    async fn keep(&self) {
        loop {
            let due = self.listens().as_ref().map(|listens| listens.alarm);
            let Some(due) = due else { return };
            tokio::select! {
                biased;
                () = self.mailbox.over() => return,
                () = sleep_until(due) => {}
            }
            if let Some(listens) = &mut *self.listens() {
                match listens.hear.alarm() {
                    Ok(next) => listens.alarm = next,
                    Err(end) => return self.mailbox.finish(end),
                }
            }
        }
    }
}

/// All clients that poll or have upgraded from polling, keyed by session id.
#[derive(Default)]
pub(super) struct Sessions(Mutex<Open>);

#[derive(Default)]
struct Open {
    by_id: HashMap<Arc<str>, Arc<Session>>,
    stopping: bool,
}

impl Sessions {
    /// Opens a session and runs its timer until polling ends. Returns `false` if `most` sessions are open or the server
    /// is stopping.
    pub(super) fn open(
        self: &Arc<Self>,
        sid: &str,
        mailbox: &Arc<Mailbox>,
        most: usize,
        begin: impl FnOnce() -> Listens,
    ) -> bool {
        let mut open = self.inside();
        if open.stopping || open.by_id.len() >= most {
            return false;
        }
        let session = Arc::new(Session {
            sid: sid.into(),
            mailbox: mailbox.clone(),
            listens: Mutex::new(Some(begin())),
            posted: tokio::sync::Mutex::default(),
        });
        open.by_id.insert(session.sid.clone(), session.clone());
        drop(open);
        let sessions = self.clone();
        tokio::spawn(async move {
            session.keep().await;
            if !session.mailbox.went_over() {
                sessions.forget(&session);
                // Drop the handler now, so that the client leaves its rooms at once.
                drop(session.leave());
            }
        });
        true
    }

    /// Finds a session that is polling.
    pub(super) fn find(&self, sid: &str) -> Option<Arc<Session>> {
        self.find_any(sid)
            .filter(|session| !session.mailbox.is_over())
    }

    /// Finds a session that is polling or has upgraded.
    pub(super) fn find_any(&self, sid: &str) -> Option<Arc<Session>> {
        self.inside().by_id.get(sid).cloned()
    }

    /// Ends every session and refuses new ones.
    pub(super) fn stop(&self) {
        let mut open = self.inside();
        open.stopping = true;
        for session in open.by_id.values() {
            session.mailbox.finish(STOPPING);
        }
    }

    /// Removes a session, so that its id is no longer valid.
    pub(super) fn forget(&self, session: &Session) {
        self.inside().by_id.remove(&session.sid);
    }

    fn inside(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
