//! The kinds of scenario and of misbehaviour that the grid combines.

/// What a user does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// HTTP requests.
    Request,
    /// Messages that the server returns to the sender.
    Echo,
    /// Messages to all other members of a room.
    Room,
}

/// The protocol between users and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http,
    Http2,
    WebSocket,
    SocketIo,
}

/// The kind of load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    Closed,
    Open,
    Once,
}

/// A kind of scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Whether this is a `bench` run, without a script.
    pub(crate) is_bench: bool,
    pub(crate) protocol: Protocol,
    pub(crate) shape: Shape,
    pub(crate) load: Load,
    /// Whether a request may be repeated if its connection breaks.
    pub(crate) is_idempotent: bool,
}

/// A kind of misbehaviour of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Healthy,
    /// From some time on, the server sends nothing.
    Frozen,
    /// From some time on, the server sends nothing on some of the connections.
    PartlyFrozen,
    /// For a limited time, the server sends nothing.
    Stalled,
    /// The server accepts connections but never sends anything.
    Silent,
    PartlySilent,
    AcceptClose,
    PartlyAcceptClose,
    WrongProtocol,
    PartlyWrongProtocol,
    DropAll,
    DropSome,
    Close,
    Reset,
    Truncate,
    ErrorAll,
    ErrorSome,
    GrpcError,
    /// Responses or deliveries are delayed, but within the timeout or deadline.
    Late,
    /// Responses or deliveries are delayed beyond the timeout or deadline.
    TooLate,
    Drip,
    Duplicate,
    Swap,
    Stray,
}

const fn run(name: &'static str, protocol: Protocol, shape: Shape, load: Load) -> Kind {
    Kind {
        name,
        is_bench: false,
        protocol,
        shape,
        load,
        is_idempotent: false,
    }
}

const fn bench(name: &'static str, protocol: Protocol, load: Load) -> Kind {
    let shape = match protocol {
        Protocol::Http | Protocol::Http2 => Shape::Request,
        Protocol::WebSocket | Protocol::SocketIo => Shape::Echo,
    };
    Kind {
        is_bench: true,
        ..run(name, protocol, shape, load)
    }
}

const fn get(kind: Kind) -> Kind {
    Kind {
        is_idempotent: true,
        ..kind
    }
}

/// All kinds of scenario. For `bench`, *once* means a count, *closed* a duration and *open* a rate.
pub(crate) const KINDS: [Kind; 27] = {
    use Load::{Closed, Once, Open};
    use Protocol::{Http, Http2, SocketIo, WebSocket};
    use Shape::{Echo, Request, Room};
    [
        get(run("closed-http-get", Http, Request, Closed)),
        run("closed-http-post", Http, Request, Closed),
        get(run("open-http-get", Http, Request, Open)),
        run("open-http-post", Http, Request, Open),
        get(run("once-http-get", Http, Request, Once)),
        run("once-http-post", Http, Request, Once),
        run("closed-ws-echo", WebSocket, Echo, Closed),
        run("open-ws-echo", WebSocket, Echo, Open),
        run("once-ws-echo", WebSocket, Echo, Once),
        run("closed-ws-room", WebSocket, Room, Closed),
        run("open-ws-room", WebSocket, Room, Open),
        run("once-ws-room", WebSocket, Room, Once),
        run("closed-sio-echo", SocketIo, Echo, Closed),
        run("open-sio-echo", SocketIo, Echo, Open),
        run("once-sio-echo", SocketIo, Echo, Once),
        run("closed-sio-room", SocketIo, Room, Closed),
        run("open-sio-room", SocketIo, Room, Open),
        run("once-sio-room", SocketIo, Room, Once),
        get(bench("bench-http-count", Http, Once)),
        get(bench("bench-http-time", Http, Closed)),
        get(bench("bench-http-rate", Http, Open)),
        bench("bench-http2-count", Http2, Once),
        bench("bench-http2-time", Http2, Closed),
        bench("bench-http2-rate", Http2, Open),
        bench("bench-ws-count", WebSocket, Once),
        bench("bench-ws-time", WebSocket, Closed),
        bench("bench-ws-rate", WebSocket, Open),
    ]
};

/// All kinds of misbehaviour, with their names.
pub(crate) const FAULTS: [(Fault, &str); 24] = [
    (Fault::Healthy, "healthy"),
    (Fault::Frozen, "frozen"),
    (Fault::PartlyFrozen, "partly-frozen"),
    (Fault::Stalled, "stalled"),
    (Fault::Silent, "silent"),
    (Fault::PartlySilent, "partly-silent"),
    (Fault::AcceptClose, "accept-close"),
    (Fault::PartlyAcceptClose, "partly-accept-close"),
    (Fault::WrongProtocol, "wrong-protocol"),
    (Fault::PartlyWrongProtocol, "partly-wrong-protocol"),
    (Fault::DropAll, "drop-all"),
    (Fault::DropSome, "drop-some"),
    (Fault::Close, "close"),
    (Fault::Reset, "reset"),
    (Fault::Truncate, "truncate"),
    (Fault::ErrorAll, "error-all"),
    (Fault::ErrorSome, "error-some"),
    (Fault::GrpcError, "grpc-error"),
    (Fault::Late, "late"),
    (Fault::TooLate, "too-late"),
    (Fault::Drip, "drip"),
    (Fault::Duplicate, "duplicate"),
    (Fault::Swap, "swap"),
    (Fault::Stray, "stray"),
];

impl Fault {
    pub(crate) fn name(self) -> &'static str {
        let known = FAULTS.iter().find(|(fault, _)| *fault == self);
        known.map_or("unknown", |(_, name)| name)
    }

    /// Whether the fault can occur with this kind of scenario.
    pub(crate) fn fits(self, kind: &Kind) -> bool {
        match self {
            Self::Truncate | Self::ErrorAll | Self::ErrorSome | Self::Drip => {
                kind.shape == Shape::Request
            }
            Self::GrpcError => kind.protocol == Protocol::Http2,
            Self::Swap | Self::Stray => kind.shape == Shape::Room,
            Self::Duplicate => kind.protocol != Protocol::Http2,
            _ => true,
        }
    }

    /// Whether an affected operation never receives a response or delivery.
    pub(crate) fn is_for_ever(self) -> bool {
        matches!(
            self,
            Self::Frozen
                | Self::PartlyFrozen
                | Self::Silent
                | Self::PartlySilent
                | Self::DropAll
                | Self::DropSome
        )
    }

    /// Whether replies cannot be matched to their messages. This happens if several messages are in flight and one of
    /// them receives no reply or two.
    pub(crate) fn confuses_replies(self, kind: &Kind) -> bool {
        let in_flight = kind.is_bench && kind.shape == Shape::Echo && kind.load == Load::Open;
        in_flight && matches!(self, Self::DropSome | Self::Duplicate)
    }

    /// Whether the fault disconnects members of a room during the run.
    pub(crate) fn cuts_members(self) -> bool {
        matches!(
            self,
            Self::Close | Self::Reset | Self::WrongProtocol | Self::PartlyWrongProtocol
        )
    }

    /// Whether a client can fail before the server sees a request.
    pub(crate) fn hides_requests(self, kind: &Kind) -> bool {
        match self {
            Self::AcceptClose | Self::PartlyAcceptClose => true,
            Self::Silent | Self::PartlySilent | Self::WrongProtocol | Self::PartlyWrongProtocol => {
                kind.protocol == Protocol::Http2 || kind.shape != Shape::Request
            }
            _ => kind.protocol == Protocol::Http2,
        }
    }
}
