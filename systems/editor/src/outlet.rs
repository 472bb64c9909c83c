//! The way to one receiver, whatever it came by, and the faults that happen on it on order.

mod tampering;

use std::fmt;
use std::sync::Arc;

use engineioxide::{DisconnectReason, Socket};
use kit::fault::Faults;
use tokio::sync::mpsc;

use self::tampering::Mail;
use crate::editor::Editor;
use crate::line::{Frame, Outbox};

/// Where a receiver is reached. Clones reach the same.
#[derive(Clone)]
pub(crate) enum Outlet {
    /// By WebSocket.
    Line(Arc<Outbox>),
    /// By long polling, or by an upgrade from it.
    Engine(Arc<dyn Engine>),
    /// By one of those, through the faults that were ordered.
    Tampered(mpsc::Sender<Mail>, Arc<Outlet>),
}

/// A session of `engineioxide`, without the type of what it keeps.
pub(crate) trait Engine: Send + Sync {
    /// Sends a Socket.IO packet; `false` when too many wait.
    fn send(&self, packet: &str) -> bool;
    /// Ends the session.
    fn close(&self);
}

impl Outlet {
    pub(crate) fn engine<D: Default + Send + Sync + 'static>(socket: &Arc<Socket<D>>) -> Self {
        Self::Engine(socket.clone())
    }

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
            Self::Tampered(posts, _) => posts.try_send(Mail::new(frame, Some(sender))).is_ok(),
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
            Self::Tampered(posts, _) => posts.try_send(Mail::new(frame, None)).is_ok(),
            Self::Line(outbox) => outbox.post(frame, caret),
            Self::Engine(socket) => {
                let text = str::from_utf8(frame.payload()).unwrap_or_default();
                // The Engine.IO type is the session's to write.
                let sent = text
                    .strip_prefix('4')
                    .is_none_or(|packet| socket.send(packet));
                if !sent {
                    // Not from here: whoever is told of the end may hold what the caller holds.
                    let socket = socket.clone();
                    tokio::spawn(async move { socket.close() });
                }
                sent
            }
        }
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line(_) => "Outlet::Line",
            Self::Engine(_) => "Outlet::Engine",
            Self::Tampered(..) => "Outlet::Tampered",
        })
    }
}

impl<D: Default + Send + Sync + 'static> Engine for Socket<D> {
    fn send(&self, packet: &str) -> bool {
        self.is_closed() || self.emit(packet.to_owned()).is_ok()
    }

    fn close(&self) {
        Self::close(self, DisconnectReason::TransportClose);
    }
}
