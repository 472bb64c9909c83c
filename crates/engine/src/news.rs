//! What a protocol finds out for code that it must not call: the protocols that are built on it, and the users without a
//! script. `react` passes it on.

use delivery::{CutOff, Leaving};
use model::{Fault, Nanos, UserId};
use script::host::OpId;
use wire::http::Response;
use wire::http2::Content;

use crate::dial::Dial;
use crate::http::InFlight;
use crate::net::EndpointIndex;
use crate::net::socket::Poll;
use crate::socket::Over;

#[derive(Debug)]
pub(crate) enum News {
    /// This connection may be opened.
    Dial(Dial),
    /// A connection was added. It may be open already.
    Added(u32),
    /// A request must be sent: it is repeated, follows a redirect, or may use the place of another one.
    Request(Box<InFlight>),
    /// The server has responded to a user without a script. `free` is the connection, if it can be used again.
    Answered {
        call: Box<InFlight>,
        free: Option<u32>,
    },
    /// A request of a user without a script has failed.
    Failed { op: OpId, user: UserId },
    /// A polling request of a Socket.IO session has ended.
    Polled {
        poll: Poll,
        outcome: Result<Response, Fault>,
        now: Nanos,
    },
    /// A part of the response that carries a stream of server-sent events has arrived.
    Part {
        socket: u32,
        content: Content,
        now: Nanos,
    },
    /// The request that carries a stream of server-sent events has ended.
    StreamEnded {
        socket: u32,
        outcome: Result<Response, Fault>,
    },
    /// An HTTP/2 connection may have more parts of responses.
    Unsettled { key: u32, now: Nanos },
    /// Queued requests of this user may be sent.
    InLine {
        owner: UserId,
        endpoint: EndpointIndex,
    },
    /// A socket of an iteration that is over must be closed.
    Close { key: u32, why: CutOff },
    /// headcount closes a socket.
    Leaves {
        key: u32,
        by_script: bool,
        how: Leaving,
    },
    /// The connection of a socket has ended.
    Broke { key: u32, fault: Fault },
    /// A socket has been removed, and everything that belonged to it is told.
    Over(Box<Over>),
    /// A Socket.IO session that polls has something to send, or may continue.
    GoesOn(u32),
    /// The WebSocket `probe` that will replace the polling of a session was added.
    Probes { session: u32, probe: u32 },
    /// The server has accepted the probe of a WebSocket.
    ProbeAnswered(u32),
    /// The next connection of a stream of server-sent events is due.
    ReconnectDue { key: u32, now: Nanos },
    /// A connection to a node of a Redis cluster has ended, or never opened.
    NodeLost {
        cluster: u32,
        address: String,
        fault: Fault,
    },
}
