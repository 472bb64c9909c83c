use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use super::client::{Client, Handlers};
use crate::line::{End, Hear, Heard, Outbox};
use crate::recipient::Recipient;

/// Time limit for a client to enter the namespace, as in the original. When it has passed, the client is disconnected.
const CONNECT_LIMIT: Duration = Duration::from_secs(45);

/// The heartbeat's interval and timeout, and the message limit, all of which the client receives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beat {
    pub(crate) every: Duration,
    pub(crate) patience: Duration,
    /// Maximum size of a message in bytes.
    pub(crate) limit: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Open<'a> {
    sid: &'a str,
    upgrades: &'a [&'a str],
    ping_interval: u128,
    ping_timeout: u128,
    max_payload: usize,
}

/// The packet that opens a session.
pub(super) fn greeting(sid: &str, upgrades: &[&str], beat: Beat) -> String {
    let open = Open {
        sid,
        upgrades,
        ping_interval: beat.every.as_millis(),
        ping_timeout: beat.patience.as_millis(),
        max_payload: beat.limit,
    };
    format!("0{}", serde_json::to_string(&open).unwrap_or_default())
}

/// Opens a session on a WebSocket.
pub(crate) fn open<D: Handlers>(
    handlers: &Arc<D>,
    outbox: &Arc<Outbox>,
    beat: Beat,
) -> (Session<D>, Instant) {
    let recipient = Recipient::Line(outbox.clone());
    let sid = crate::id::fresh().unwrap_or_default();
    recipient.text(&greeting(&sid, &[], beat));
    begin(handlers, recipient, beat)
}

/// Begins a session with a client that has received the opening packet. Also returns the first expiry of the session's
/// timer.
pub(super) fn begin<D: Handlers>(
    handlers: &Arc<D>,
    recipient: Recipient,
    beat: Beat,
) -> (Session<D>, Instant) {
    let now = Instant::now();
    let session = Session {
        client: Client::new(handlers.clone(), recipient),
        beat,
        opened: now,
        due: now + beat.every,
        waits: false,
        answered: true,
    };
    (session, now + beat.every.min(CONNECT_LIMIT))
}

/// One client, over any transport.
pub(crate) struct Session<D: Handlers> {
    client: Client<D>,
    beat: Beat,
    opened: Instant,
    /// Time of the next ping, or of the check for the response to the last ping.
    due: Instant,
    /// Whether a ping was sent and its response has not been checked.
    waits: bool,
    answered: bool,
}

impl<D: Handlers> Hear for Session<D> {
    fn text(&mut self, text: &str) -> Heard {
        match text.as_bytes().first() {
            Some(b'4') => match self.client.packet(&text[1..]) {
                Ok(true) => Heard::More,
                Ok(false) => Heard::End(End::Closed(1000, "")),
                Err(_) => Heard::End(End::Closed(1002, "not a Socket.IO packet")),
            },
            Some(b'3') => {
                self.answered = true;
                Heard::More
            }
            // `5` (upgrade) and `6` (noop) need no action here.
            Some(b'5' | b'6') => Heard::More,
            Some(b'1') => Heard::End(End::Closed(1000, "")),
            _ => Heard::End(End::Closed(1002, "not an Engine.IO packet")),
        }
    }

    fn binary(&mut self, _: &[u8]) -> Heard {
        if self.client.binary() {
            return Heard::More;
        }
        Heard::End(End::Closed(1002, "binary data without an event"))
    }

    fn alarm(&mut self) -> Result<Instant, End> {
        let now = Instant::now();
        let enters_by = self.opened + CONNECT_LIMIT;
        if !self.client.came() && enters_by <= now {
            return Err(End::Closed(
                1008,
                "the client did not enter a namespace in time",
            ));
        }
        if self.due <= now {
            self.due = now + self.ask()?;
        }
        Ok(if self.client.came() {
            self.due
        } else {
            self.due.min(enters_by)
        })
    }
}

impl<D: Handlers> Session<D> {
    /// Sends a ping, or checks for the response to the last ping. Returns the time until the next such step.
    fn ask(&mut self) -> Result<Duration, End> {
        if self.waits {
            if !self.answered {
                return Err(End::Closed(1001, "ping timeout"));
            }
            self.waits = false;
            return Ok(self.beat.every.saturating_sub(self.beat.patience));
        }
        self.waits = true;
        self.answered = false;
        self.client.recipient().text("2");
        Ok(self.beat.patience)
    }
}
