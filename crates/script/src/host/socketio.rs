use model::Nanos;

/// A Socket.IO socket to open: one namespace over a connection of its own.
#[derive(Clone, Debug, Default)]
pub struct SocketIoCall {
    /// Where Engine.IO answers: absolute, or relative to the target; with the script's own query.
    pub url: String,
    /// The name under which connecting is measured.
    pub name: String,
    /// `/` or `/admin`.
    pub namespace: String,
    /// What goes with the CONNECT, as JSON text of an object.
    pub auth: Option<String>,
    /// Begins with polling.
    pub polls: bool,
    /// Uses WebSocket: at once, or after polling if the server offers it.
    pub upgrades: bool,
    /// Extra headers of every request and of the handshake.
    pub headers: Vec<(String, String)>,
    /// Whole time allowed for connecting, if other than the run's.
    pub timeout: Option<Nanos>,
    /// When it should have been asked for; `None`: now.
    pub planned: Option<Nanos>,
}

/// An event or an acknowledgement to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emission {
    /// The event's name and its arguments, or the acknowledgement's arguments, as a JSON list.
    pub list: String,
    /// Bytes of which the list has placeholders.
    pub attachments: Vec<Vec<u8>>,
    /// The event of the server that is acknowledged.
    pub acknowledges: Option<u64>,
}

/// An event whose acknowledgement is awaited.
#[derive(Clone, Debug, Default)]
pub struct EventCall {
    /// The name under which it is measured.
    pub name: String,
    /// What is sent.
    pub said: Emission,
    /// Time allowed, if other than the run's.
    pub timeout: Option<Nanos>,
    /// When it should have been sent; `None`: now.
    pub planned: Option<Nanos>,
}

/// What came with an event or an acknowledgement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// The arguments as a JSON list.
    pub arguments: String,
    /// Its binary attachments by the numbers of their placeholders.
    pub attachments: Vec<Vec<u8>>,
}
