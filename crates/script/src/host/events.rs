use model::{Fault, Nanos, UserId};

use super::message::Content;
use super::{OpId, SocketId};
use crate::loading::{Loading, refused};

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

impl Content for ServerEvent {
    fn bytes(&self) -> &[u8] {
        self.data.as_bytes()
    }

    fn is_event(&self, name: &str) -> bool {
        self.event == name
    }
}

/// The calls for server-sent events.
pub trait EventsHost {
    /// Starts to open a stream of server-sent events. The operation completes when the server has accepted it. The stream
    /// is a socket on which nothing can be sent.
    fn open_events(&mut self, op: OpId, user: UserId, call: EventsCall) -> Result<(), Fault>;
    /// Returns the state of a stream of server-sent events. `None` once it is closed.
    fn stream_state(&mut self, socket: SocketId) -> Option<StreamState>;
}

impl<C> EventsHost for Loading<C> {
    calls_of_groups! {
        open_events(OpId, UserId, EventsCall) -> Result<(), Fault> = refused();
        stream_state(SocketId) -> Option<StreamState> = None;
    }
}
