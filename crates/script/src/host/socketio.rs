use model::{Fault, Nanos, UserId};

use super::{OpId, SocketId};
use crate::loading::{Loading, refused};

/// A Socket.IO socket to open: one namespace on its own connection.
#[derive(Clone, Debug, Default)]
pub struct SocketIoCall {
    /// URL of Engine.IO: absolute, or relative to the target, with the script's own query.
    pub url: String,
    /// Name under which connecting is measured.
    pub name: String,
    /// The namespace, such as `/` or `/admin`.
    pub namespace: String,
    /// Data of the CONNECT packet, as JSON text of an object.
    pub auth: Option<String>,
    /// Whether to start with polling.
    pub polls: bool,
    /// Whether to use WebSocket, either at once or, after polling, if the server offers it.
    pub upgrades: bool,
    /// Additional headers of every request and of the handshake.
    pub headers: Vec<(String, String)>,
    /// Time limit for connecting. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// An event or an acknowledgement to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emission {
    /// A JSON list: the event's name and its arguments, or the acknowledgement's arguments.
    pub list: String,
    /// Bytes for the placeholders in the list.
    pub attachments: Vec<Vec<u8>>,
    /// Number of the server's event that this acknowledges, if it is an acknowledgement.
    pub acknowledges: Option<u64>,
}

/// An event that awaits its acknowledgement.
#[derive(Clone, Debug, Default)]
pub struct EventCall {
    /// Name under which the round trip is measured.
    pub name: String,
    /// The event.
    pub said: Emission,
    /// Time limit. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// Data of a received event or acknowledgement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// The arguments as a JSON list.
    pub arguments: String,
    /// Binary attachments, indexed by the numbers of their placeholders.
    pub attachments: Vec<Vec<u8>>,
}

/// The calls for Socket.IO.
pub trait SocketIoHost {
    /// Starts to open a Socket.IO socket. The operation completes when the server accepts the namespace.
    fn open_socketio(&mut self, op: OpId, user: UserId, call: SocketIoCall) -> Result<(), Fault>;
    /// Emits an event, or acknowledges one.
    fn emit(
        &mut self,
        socket: SocketId,
        said: Emission,
        planned: Option<Nanos>,
    ) -> Result<(), Fault>;
    /// Emits an event and awaits its acknowledgement.
    fn emit_acknowledged(
        &mut self,
        op: OpId,
        socket: SocketId,
        call: EventCall,
    ) -> Result<(), Fault>;
    /// Awaits the next event of this name.
    fn next_event(
        &mut self,
        op: OpId,
        socket: SocketId,
        event: String,
        timeout: Option<Nanos>,
    ) -> Result<(), Fault>;
    /// Registers that the script has a handler for this event.
    fn listen_event(&mut self, socket: SocketId, event: &str);
}

impl<C> SocketIoHost for Loading<C> {
    calls_of_groups! {
        open_socketio(OpId, UserId, SocketIoCall) -> Result<(), Fault> = refused();
        emit(SocketId, Emission, Option<Nanos>) -> Result<(), Fault> = refused();
        emit_acknowledged(OpId, SocketId, EventCall) -> Result<(), Fault> = refused();
        next_event(OpId, SocketId, String, Option<Nanos>) -> Result<(), Fault> = refused();
        listen_event(SocketId, &str);
    }
}
