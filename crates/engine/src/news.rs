//! What a protocol finds out for code that it must not call: the protocols that are built on it, and the users without a
//! script. `react` passes it on.

use delivery::{CutOff, Leaving};
use model::{Fault, Nanos, UserId};
use script::host::OpId;
use wire::http::Response;
use wire::http2::Content;

use crate::dial::Dial;
use crate::http::{Asker, InFlight};
use crate::net::EndpointIndex;
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
    /// A request of a socket has ended.
    Responded {
        to: Asker,
        outcome: Result<Response, Fault>,
        now: Nanos,
    },
    /// A part of the response to a request of a socket has arrived.
    Part {
        socket: u32,
        content: Content,
        now: Nanos,
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
    /// A socket whose messages requests carry has something to send, or may continue.
    GoesOn(u32),
    /// The socket `helper`, which serves the socket `of`, was added.
    HelperAdded { of: u32, helper: u32 },
    /// The server has accepted that this socket takes over from the one that it serves.
    TakesOver(u32),
    /// The next connection of a socket that reconnects is due.
    ReconnectDue { key: u32, now: Nanos },
    /// A socket that served the socket `of` has ended, or never opened.
    HelperLost { of: u32, name: String, fault: Fault },
}
