use delivery::Sent;
use model::{Fault, FaultKind, Nanos, UserId};
use script::host::OpId;

use crate::net::http::Call;
use crate::net::socket::Poll;

/// The party that waits for the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// An operation of the script.
    Script(OpId),
    /// A user without a script.
    Fixed(OpId),
    /// A session that polls. Its requests are not requests of the script, and are not measured.
    Poll(Poll),
    /// A stream of server-sent events over HTTP/2, by its socket. It is measured as a socket.
    Events(u32),
}

impl Asker {
    /// The socket whose messages the request carries.
    pub(crate) fn socket(self) -> Option<u32> {
        match self {
            Self::Poll(poll) => Some(poll.key),
            Self::Events(key) => Some(key),
            Self::Script(_) | Self::Fixed(_) => None,
        }
    }

    /// Whether the socket may have ended when its request ends.
    pub(crate) fn may_outlive_socket(self) -> bool {
        matches!(self, Self::Poll(_))
    }
}

/// Time limit of a request for which its socket has a limit. It is practically unlimited.
pub(crate) const FOR_EVER: Nanos = Nanos::from_secs(365 * 24 * 3600);

/// A request of a user in flight.
pub(crate) type InFlight = Call<Asked>;

/// The user who made a request, and how the request is counted.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) asker: Asker,
    pub(crate) user: UserId,
    pub(crate) name: usize,
    pub(crate) planned: Nanos,
    /// Number of redirects that may still be followed.
    pub(super) redirects: u32,
    /// Whether the target redirected the request to this URL.
    pub(super) redirected: bool,
    pub(super) repeated: bool,
    /// Statuses from 400 on that are not failures.
    pub(crate) expect: Vec<u16>,
    /// Stamps that are sent with the request.
    pub(super) carried: Vec<Sent>,
}

impl Asked {
    /// A request that is planned for now. The caller sets its name and its redirects.
    pub(crate) fn by(asker: Asker, user: UserId, now: Nanos) -> Self {
        Self {
            asker,
            user,
            name: 0,
            planned: now,
            redirects: 0,
            redirected: false,
            repeated: false,
            expect: Vec::new(),
            carried: Vec::new(),
        }
    }

    /// Resets the request so that it can be sent again now.
    pub(crate) fn again(&mut self, now: Nanos) {
        self.planned = now;
        self.repeated = false;
    }

    /// Whether the request carries messages of a socket, and is no request of its own.
    pub(crate) fn is_of_socket(&self) -> bool {
        matches!(self.asker, Asker::Poll(_) | Asker::Events(_))
    }

    /// Whether `poll` waits for this request.
    pub(crate) fn is(&self, poll: Poll) -> bool {
        self.asker == Asker::Poll(poll)
    }

    /// Assigns a fault to the target if the target redirected the request to an address that is not allowed.
    pub(super) fn blamed(&self, fault: Fault) -> Fault {
        if self.redirected && fault.kind == FaultKind::NotAllowed {
            Fault::target(fault.kind, format!("redirected to {}", fault.detail))
        } else {
            fault
        }
    }
}
