use serde::Serialize;

/// Microseconds since the port was opened.
pub(crate) type Micros = u64;

/// Everything that happened on a port.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Log {
    pub(crate) connections: Vec<ConnectionLog>,
    pub(crate) requests: Vec<RequestLog>,
    pub(crate) deliveries: Vec<DeliveryLog>,
    /// This server's own longest wake-up delay.
    pub(crate) lag_us: Micros,
    /// Time at which the port was closed.
    pub(crate) ended_us: Micros,
}

/// One accepted connection.
#[derive(Debug, Serialize)]
pub(crate) struct ConnectionLog {
    pub(crate) accepted_us: Micros,
    /// Time at which the server noticed that the client had disconnected, or at which the fault closed the connection.
    pub(crate) gone_us: Option<Micros>,
    /// Whether the fault closed the connection.
    pub(crate) closed_here: bool,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Of {
    Http,
    /// The opening of a WebSocket or of a Socket.IO namespace.
    Opening,
    /// A message that is returned to its sender.
    Echo,
}

/// One request and its response.
#[derive(Debug, Serialize)]
pub(crate) struct RequestLog {
    pub(crate) of: Of,
    /// Index into `connections`.
    pub(crate) connection: usize,
    /// Time at which the whole request had been read.
    pub(crate) read_us: Micros,
    /// Time at which a complete and valid response had been written, whatever its status.
    pub(crate) answered_us: Option<Micros>,
    /// Whether the response reports success.
    pub(crate) ok: bool,
    /// Time at which the client stopped waiting for the response.
    pub(crate) gone_us: Option<Micros>,
}

/// The delivery of one message to one other member of its room.
#[derive(Debug, Serialize)]
pub(crate) struct DeliveryLog {
    /// The number of the message on this port.
    pub(crate) message: u64,
    /// Indexes into `connections`.
    pub(crate) sender: usize,
    pub(crate) receiver: usize,
    pub(crate) read_us: Micros,
    /// Times at which the copies for the receiver had been written.
    pub(crate) written_us: Vec<Micros>,
    /// Copies that were sent to a member of another room.
    pub(crate) strays: Vec<StrayLog>,
}

/// A copy for a member of another room.
#[derive(Debug, Serialize)]
pub(crate) struct StrayLog {
    /// Index into `connections`.
    pub(crate) receiver: usize,
    /// Time at which the copy had been written.
    pub(crate) written_us: Micros,
}
