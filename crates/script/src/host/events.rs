use model::Nanos;

/// A stream of server-sent events to open.
#[derive(Clone, Debug, Default)]
pub struct EventsCall {
    /// The URL, absolute or relative to the target.
    pub url: String,
    /// Name under which connecting is measured.
    pub name: String,
    /// Additional headers of the request.
    pub headers: Vec<(String, String)>,
    /// The id after which the stream continues. Empty: from where the server begins.
    pub last_event_id: String,
    /// Whether to reconnect after the server or the network has ended a connection.
    pub reconnects: bool,
    /// Time limit until the stream is open. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// A server-sent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEvent {
    /// The name; `message` unless the server chose another one.
    pub event: String,
    /// The id of this event, or else of the last event before it that had one; empty if there was none.
    pub id: String,
    /// The lines of data, separated by line feeds.
    pub data: String,
}

/// The state of an open stream of server-sent events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamState {
    /// The id of the last event that had one; empty if there was none.
    pub last_event_id: String,
    /// The number of times that the stream was reconnected.
    pub reconnects: u32,
}

/// The message that the script awaits on a socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextCall {
    /// The name of the server-sent event; `None` for any message.
    pub event: Option<String>,
    /// Values required at pointers, as in [`super::StampPlace`].
    pub only: Vec<(String, String)>,
    /// Time limit. `None` means the run's limit.
    pub timeout: Option<Nanos>,
}
