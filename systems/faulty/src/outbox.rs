use tokio::sync::mpsc;
use tokio::time::Instant;

/// Data or an action for a connection, due at a given time.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) due: Instant,
    pub(crate) what: What,
    pub(crate) note: Note,
}

#[derive(Debug)]
pub(crate) enum What {
    Bytes(Vec<u8>),
    /// Send these bytes repeatedly, until the client disconnects.
    Flood(Vec<u8>),
    Close,
    Reset,
}

/// The log entry to add when the message has been written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    Nothing,
    /// The response to this request, and whether it reports success.
    Answer(usize, bool),
    /// A copy of this delivery.
    Copy(usize),
    /// A copy of this delivery for a member of another room, on this connection.
    Stray(usize, usize),
}

/// The send queue of one connection. Messages that are due at the same time keep their order.
#[derive(Clone, Debug)]
pub(crate) struct Outbox(mpsc::UnboundedSender<Outgoing>);

impl Outbox {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Outgoing>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    pub(crate) fn put(&self, due: Instant, what: What, note: Note) {
        // Sending fails only after the connection has closed. The log then has no entry for this message.
        let _ = self.0.send(Outgoing { due, what, note });
    }
}
