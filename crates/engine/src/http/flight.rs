use std::sync::Arc;

use delivery::Sent;
use model::{Fault, FaultKind, Nanos, UserId};
use plan::Timeouts;
use script::host::OpId;
use wire::http::Request;

use crate::dials::EndpointIndex;
use crate::socketio::Poll;

/// Who waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// An operation of the script.
    Script(OpId),
    /// A user without a script.
    Plain,
    /// A Socket.IO session over polling: it is no request of the script, and is not measured as one.
    Poll(Poll),
}

/// A request on its way.
#[derive(Debug)]
pub(crate) struct InFlight {
    pub(super) asker: Asker,
    pub(crate) user: UserId,
    pub(crate) name: usize,
    pub(super) request: Request,
    /// The request as it goes out, where it is the same each time.
    pub(crate) prepared: Option<Arc<[u8]>>,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) planned: Nanos,
    pub(super) started: Nanos,
    /// Since when its limits run.
    pub(super) since: Nanos,
    pub(super) until: Nanos,
    pub(super) first_byte_until: Nanos,
    pub(crate) began: bool,
    pub(super) redirects: u32,
    /// The target has sent it here.
    pub(super) redirected: bool,
    pub(crate) repeated: bool,
    pub(crate) expect: Vec<u16>,
    pub(super) carried: Vec<Sent>,
    pub(crate) bytes_out: u64,
}

impl InFlight {
    /// Asked for now, with the limits of the run; named, planned and followed by the caller.
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

    /// Whether it carries messages of a session.
    pub(crate) fn is_poll(&self) -> bool {
        matches!(self.asker, Asker::Poll(_))
    }

    /// Whether it is this request of a session.
    pub(crate) fn is(&self, poll: Poll) -> bool {
        self.asker == Asker::Poll(poll)
    }

    /// When it was asked for, or went out if that was later.
    pub(crate) fn started(&self) -> Nanos {
        self.started
    }

    /// It had to wait for its connection's turn until now.
    pub(crate) fn starts_late(&mut self, now: Nanos) {
        self.started = now;
    }

    /// The same once more, now.
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

    /// Where it leads is the script's own choice, unless the target has sent it there.
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

    /// Until when the next of its answer must come.
    pub(crate) fn limit(&self) -> Nanos {
        self.limit_if(self.began)
    }

    /// The same when the answer has begun, or has not.
    pub(crate) fn limit_if(&self, began: bool) -> Nanos {
        if began {
            self.until
        } else {
            self.until.min(self.first_byte_until)
        }
    }

    /// How long it may take until the next of its answer comes, in all.
    pub(crate) fn time_limit(&self) -> Nanos {
        self.limit() - self.since
    }

    /// Which of its limits is over, in words.
    pub(crate) fn what_took_too_long(&self) -> String {
        let limit = self.time_limit();
        if self.began {
            format!("the answer was not whole within {limit}")
        } else {
            format!("no byte of the answer within {limit}")
        }
    }
}
