//! A recipient of messages, independent of its transport. Injected faults apply to the messages on the way to the
//! recipient.

mod tampering;

use std::fmt;
use std::sync::Arc;

use kit::fault::Faults;
use tokio::sync::mpsc;

use self::tampering::Mail;
use crate::line::{End, Frame, Outbox, TOO_SLOW};

/// The queue of a client that uses long polling.
pub(crate) trait PollQueue: fmt::Debug + Send + Sync {
    /// Queues a frame. `caret` is the sender's number if only the newest frame of that sender matters. If the queue is
    /// full, ends the session as too slow and returns `false`.
    fn post(&self, frame: &Frame, caret: Option<u64>) -> bool;
    /// Whether the session has ended.
    fn ended(&self) -> bool;
    /// Stops accepting frames. An open poll still returns the queued frames.
    fn finish(&self, end: End);
}

/// The recipients of all rooms, as needed by injected faults.
pub(crate) trait Directory: Send + Sync + 'static {
    /// Returns a recipient in a room that this session has not joined. Successive calls return different recipients.
    fn somebody_apart_from(&self, visit: u64) -> Option<Recipient>;
    /// Counts a recipient that was disconnected as too slow.
    fn count_too_slow(&self);
}

/// A connected client to which messages can be sent. Clones refer to the same client.
#[derive(Clone, Debug)]
pub(crate) enum Recipient {
    /// A client with a WebSocket.
    Line(Arc<Outbox>),
    /// A client that uses long polling, or that has upgraded from polling to a WebSocket.
    Polled(Arc<dyn PollQueue>),
    /// One of the other recipients, with injected faults.
    Tampered(mpsc::Sender<Mail>, Arc<Recipient>),
}

impl Recipient {
    /// Returns the same recipient with injected faults. At most `queue` frames wait for the faults.
    pub(crate) fn tampered(
        &self,
        directory: &Arc<impl Directory>,
        faults: &Arc<Faults>,
        visit: u64,
        queue: usize,
    ) -> Self {
        let posts = tampering::start(directory, faults, visit, self, queue);
        Self::Tampered(posts, Arc::new(self.clone()))
    }

    /// Returns the same recipient without injected faults.
    fn untampered(&self) -> &Self {
        match self {
            Self::Tampered(_, way) => way,
            plain => plain,
        }
    }

    /// Sends a message from another session like [`Self::post`]. Injected faults affect only messages sent this way.
    pub(crate) fn deliver(&self, frame: &Frame, caret: Option<u64>, sender: u64) -> bool {
        match self {
            Self::Tampered(posts, way) => hand(posts, way, Mail::new(frame, Some(sender))),
            plain => plain.post(frame, caret),
        }
    }

    /// Sends a text to this recipient only.
    pub(crate) fn text(&self, text: &str) {
        self.post(&Frame::text(text), None);
    }

    /// Queues a frame. Of several queued frames with the same `caret`, only the newest is sent. If the queue is full,
    /// disconnects the recipient as too slow and returns `false`.
    pub(crate) fn post(&self, frame: &Frame, caret: Option<u64>) -> bool {
        match self {
            Self::Tampered(posts, way) => hand(posts, way, Mail::new(frame, None)),
            Self::Line(outbox) => outbox.post(frame, caret),
            Self::Polled(mailbox) => mailbox.post(frame, caret),
        }
    }

    /// Whether the connection has ended.
    fn ended(&self) -> bool {
        match self {
            Self::Line(outbox) => outbox.ended(),
            Self::Polled(mailbox) => mailbox.ended(),
            Self::Tampered(_, way) => way.ended(),
        }
    }

    /// Ends the connection.
    fn finish(&self, end: End) {
        match self {
            Self::Line(outbox) => outbox.finish(end),
            Self::Polled(mailbox) => mailbox.finish(end),
            Self::Tampered(_, way) => way.finish(end),
        }
    }
}

/// Passes a frame to the task that injects faults. If that task's queue is full, disconnects the recipient and returns
/// `false`.
fn hand(posts: &mpsc::Sender<Mail>, way: &Recipient, mail: Mail) -> bool {
    if way.ended() || posts.try_send(mail).is_ok() {
        return true;
    }
    way.finish(TOO_SLOW);
    false
}
