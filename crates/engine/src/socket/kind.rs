/// The kind of a socket. Each protocol has its own kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SocketKind {
    /// Precedes the socket's name in the name under which its failures are counted.
    pub(crate) counted_as: &'static str,
    /// The kind of connection as it appears in the texts of failures.
    pub(crate) line: &'static str,
    /// Whether the connection of another socket carries this one, so that its opening is not measured.
    pub(crate) is_carried: bool,
    /// Whether it is measured apart if the socket opens again by itself.
    pub(crate) reconnects: bool,
}

/// What a socket is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Purpose {
    pub(crate) kind: SocketKind,
    /// The key of the socket that this one serves. It is the polling session that a probe will replace, or the cluster of a
    /// node.
    pub(crate) serves: Option<u32>,
}

/// The messages of the script.
const WEBSOCKET: SocketKind = SocketKind::new("websocket", "WebSocket");
/// The upgrade handshake of a polling session.
const PROBE: SocketKind = SocketKind::new("socket.io", "WebSocket");

impl SocketKind {
    pub(crate) const fn new(counted_as: &'static str, line: &'static str) -> Self {
        Self {
            counted_as,
            line,
            is_carried: false,
            reconnects: false,
        }
    }
}

impl Purpose {
    /// The handshake that will replace the polling of this session.
    pub(crate) fn probe(session: u32) -> Self {
        Self {
            kind: PROBE,
            serves: Some(session),
        }
    }

    /// The polling session that a probe will replace.
    pub(super) fn probes(self) -> Option<u32> {
        self.serves.filter(|_| self.kind == PROBE)
    }

    /// Whether the socket has messages of a WebSocket or a Socket.IO session for the script.
    pub(crate) fn is_messages(self) -> bool {
        self.kind == WEBSOCKET
    }
}

impl Default for Purpose {
    fn default() -> Self {
        WEBSOCKET.into()
    }
}

impl From<SocketKind> for Purpose {
    fn from(kind: SocketKind) -> Self {
        Self { kind, serves: None }
    }
}
