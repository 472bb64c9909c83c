//! The way to one receiver, whatever it came by, and the faults that happen on it on order.

mod tampering;

use std::sync::Arc;

use kit::fault::Faults;
use tokio::sync::mpsc;

use self::tampering::Mail;
use crate::editor::Editor;
use crate::line::{End, Frame, Outbox, TOO_SLOW};
use crate::sio::Mailbox;

/// Where a receiver is reached. Clones reach the same.
#[derive(Clone, Debug)]
pub(crate) enum Recipient {
    /// By WebSocket.
    Line(Arc<Outbox>),
    /// By long polling, or by the WebSocket to which it went over.
    Polled(Arc<Mailbox>),
    /// By one of those, through the faults that were ordered.
    Tampered(mpsc::Sender<Mail>, Arc<Recipient>),
}

impl Recipient {
    /// The same way, with the faults on it that were ordered.
    pub(crate) fn tampered(&self, editor: &Arc<Editor>, faults: &Arc<Faults>, visit: u64) -> Self {
        let queue = editor.limits.queue as usize;
        let posts = tampering::start(editor, faults, visit, self, queue);
        Self::Tampered(posts, Arc::new(self.clone()))
    }

    /// The way without faults.
    fn untampered(&self) -> &Self {
        match self {
            Self::Tampered(_, way) => way,
            plain => plain,
        }
    }

    /// Sends what `sender` said; faults fall on this alone. Otherwise as [`Self::post`].
    pub(crate) fn deliver(&self, frame: &Frame, caret: Option<u64>, sender: u64) -> bool {
        match self {
            Self::Tampered(posts, way) => hand(posts, way, Mail::new(frame, Some(sender))),
            plain => plain.post(frame, caret),
        }
    }

    /// Sends one text to this receiver alone.
    pub(crate) fn text(&self, text: &str) {
        self.post(&Frame::text(text), None);
    }

    /// Sends a frame; of frames with the same `caret`, only the newest matters. `false` when the
    /// receiver did not keep up and is cut off.
    pub(crate) fn post(&self, frame: &Frame, caret: Option<u64>) -> bool {
        match self {
            Self::Tampered(posts, way) => hand(posts, way, Mail::new(frame, None)),
            Self::Line(outbox) => outbox.post(frame, caret),
            Self::Polled(mailbox) => mailbox.post(frame, caret),
        }
    }

    /// Whether the way has ended.
    fn ended(&self) -> bool {
        match self {
            Self::Line(outbox) => outbox.ended(),
            Self::Polled(mailbox) => mailbox.ended(),
            Self::Tampered(_, way) => way.ended(),
        }
    }

    /// Ends the way.
    fn finish(&self, end: End) {
        match self {
            Self::Line(outbox) => outbox.finish(end),
            Self::Polled(mailbox) => mailbox.finish(end),
            Self::Tampered(_, way) => way.finish(end),
        }
    }
}

/// Hands something to whoever does the faults; `false` when so much waits there that the receiver is cut off.
fn hand(posts: &mpsc::Sender<Mail>, way: &Recipient, mail: Mail) -> bool {
    if way.ended() || posts.try_send(mail).is_ok() {
        return true;
    }
    way.finish(TOO_SLOW);
    false
}
