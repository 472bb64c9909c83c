use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::session::{Listens, Session, Sessions};
use crate::line::{End, Frame, Hear, Heard, Outbox};

/// Time limit for a client to complete the upgrade to its WebSocket, as in the official server.
const LIMIT: Duration = Duration::from_secs(10);
/// Interval at which open polls are ended during an upgrade. The client upgrades only after its last poll has ended.
const NUDGE: Duration = Duration::from_millis(100);

/// A WebSocket to which a polling client may upgrade.
pub(super) struct Probe {
    sessions: Arc<Sessions>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    opened: Instant,
    probed: bool,
    /// The client's handler. `None` until the client has upgraded.
    listens: Option<Listens>,
}

impl Probe {
    /// Begins to handle the WebSocket's messages. Also returns the first expiry of the timer.
    pub(super) fn open(
        sessions: &Arc<Sessions>,
        session: &Arc<Session>,
        outbox: &Arc<Outbox>,
    ) -> (Self, Instant) {
        if session.mailbox.is_over() {
            outbox.finish(End::Closed(
                1008,
                "the session is over or was already upgraded",
            ));
        }
        let now = Instant::now();
        let probe = Self {
            sessions: sessions.clone(),
            session: session.clone(),
            outbox: outbox.clone(),
            opened: now,
            probed: false,
            listens: None,
        };
        (probe, now + NUDGE)
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        if self.listens.is_some() {
            self.sessions.forget(&self.session);
        }
    }
}

impl Hear for Probe {
    fn text(&mut self, text: &str) -> Heard {
        if let Some(listens) = &mut self.listens {
            return listens.hear.text(text);
        }
        match text {
            "2probe" => {
                self.probed = true;
                self.outbox.post(&Frame::text("3probe"), None);
                self.session.mailbox.nudge();
                Heard::More
            }
            "5" if self.probed => {
                self.listens = self.session.go_over(&self.outbox);
                if self.listens.is_some() {
                    return Heard::More;
                }
                Heard::End(End::Closed(1008, "the session is over"))
            }
            _ => Heard::End(End::Closed(1002, "not an upgrade")),
        }
    }

    fn binary(&mut self, bytes: &[u8]) -> Heard {
        match &mut self.listens {
            Some(listens) => listens.hear.binary(bytes),
            None => Heard::End(End::Closed(1002, "not an upgrade")),
        }
    }

    fn alarm(&mut self) -> Result<Instant, End> {
        let now = Instant::now();
        if let Some(listens) = &mut self.listens {
            // Handle a timer that expired just before the upgrade.
            if listens.alarm <= now {
                listens.alarm = listens.hear.alarm()?;
            }
            return Ok(listens.alarm);
        }
        if now.duration_since(self.opened) >= LIMIT {
            return Err(End::Closed(1008, "the upgrade was not completed in time"));
        }
        if self.probed {
            self.session.mailbox.nudge();
        }
        Ok(now + NUDGE)
    }
}
