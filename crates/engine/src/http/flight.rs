use std::sync::Arc;

use delivery::Sent;
use model::{Fault, FaultKind, Nanos, UserId};
use plan::Timeouts;
use script::host::OpId;
use wire::http::Request;

use crate::connector::EndpointIndex;
use crate::socketio::Poll;

/// The party that waits for the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// An operation of the script.
    Script(OpId),
    /// A user without a script.
    Plain,
    /// A Socket.IO session over polling. Its requests are not requests of the script, and are not measured.
    Poll(Poll),
}

/// A request in flight.
#[derive(Debug)]
pub(crate) struct InFlight {
    pub(super) asker: Asker,
    pub(crate) user: UserId,
    pub(crate) name: usize,
    pub(super) request: Request,
    /// The encoded request, if every request for this URL has the same bytes.
    pub(crate) prepared: Option<Arc<[u8]>>,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) planned: Nanos,
    pub(super) started: Nanos,
    /// The time from which the request's limits count.
    pub(super) since: Nanos,
    pub(super) until: Nanos,
    pub(super) first_byte_until: Nanos,
    pub(crate) began: bool,
    pub(super) redirects: u32,
    /// Whether the target redirected the request to this URL.
    pub(super) redirected: bool,
    pub(crate) repeated: bool,
    pub(crate) expect: Vec<u16>,
    pub(super) carried: Vec<Sent>,
    pub(crate) bytes_out: u64,
}

impl InFlight {
    /// Creates a request that is made now, with the time limits of the run. The caller sets the request's name, planned
    /// start and redirects.
    pub(crate) fn new(
        asker: Asker,
        user: UserId,
        (request, endpoint): (Request, EndpointIndex),
        now: Nanos,
        timeouts: Timeouts,
    ) -> Self {
        Self {
            asker,
            user,
            name: 0,
            request,
            prepared: None,
            endpoint,
            planned: now,
            started: now,
            since: now,
            until: now + timeouts.total,
            first_byte_until: now + timeouts.first_byte.min(timeouts.total),
            began: false,
            redirects: 0,
            redirected: false,
            repeated: false,
            expect: Vec::new(),
            carried: Vec::new(),
            bytes_out: 0,
        }
    }

    /// Whether the request carries messages of a Socket.IO session.
    pub(crate) fn is_poll(&self) -> bool {
        matches!(self.asker, Asker::Poll(_))
    }

    /// Whether `poll` waits for this request.
    pub(crate) fn is(&self, poll: Poll) -> bool {
        self.asker == Asker::Poll(poll)
    }

    /// The time at which the request was made or, if it had to wait, could start.
    pub(crate) fn started(&self) -> Nanos {
        self.started
    }

    /// Notes that the request had to wait for its connection until now.
    pub(crate) fn starts_late(&mut self, now: Nanos) {
        self.started = now;
    }

    /// Resets the request so that it can be sent again now.
    pub(crate) fn again(&mut self, now: Nanos, timeouts: Timeouts) {
        self.planned = now;
        self.started = now;
        self.since = now;
        self.until = now + timeouts.total;
        self.first_byte_until = now + timeouts.first_byte.min(timeouts.total);
        self.began = false;
        self.repeated = false;
        self.bytes_out = 0;
    }

    /// Assigns a fault to the target if the target redirected the request to an address that is not allowed.
    pub(super) fn blamed(&self, fault: Fault) -> Fault {
        if self.redirected && fault.kind == FaultKind::NotAllowed {
            Fault::target(fault.kind, format!("redirected to {}", fault.detail))
        } else {
            fault
        }
    }

    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// The time by which the next part of the response must arrive.
    pub(crate) fn limit(&self) -> Nanos {
        self.limit_if(self.began)
    }

    /// The time by which the next part of the response must arrive; `began` states whether the response has begun.
    pub(crate) fn limit_if(&self, began: bool) -> Nanos {
        if began {
            self.until
        } else {
            self.until.min(self.first_byte_until)
        }
    }

    /// Total time allowed until the next part of the response arrives.
    pub(crate) fn time_limit(&self) -> Nanos {
        self.limit() - self.since
    }

    /// Describes the time limit that has passed.
    pub(crate) fn what_took_too_long(&self) -> String {
        let limit = self.time_limit();
        if self.began {
            format!("the response was not complete within {limit}")
        } else {
            format!("no byte of the response within {limit}")
        }
    }
}
