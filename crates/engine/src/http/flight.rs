use std::sync::Arc;

use delivery::Sent;
use model::{Nanos, UserId};
use plan::Timeouts;
use script::host::OpId;
use wire::http::Request;

use crate::dials::EndpointIndex;

/// Who waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// An operation of the script.
    Script(OpId),
    /// A user without a script.
    Plain,
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
    pub(super) until: Nanos,
    pub(super) first_byte_until: Nanos,
    pub(super) began: bool,
    pub(super) redirects: u32,
    pub(super) repeated: bool,
    pub(crate) expect: Vec<u16>,
    pub(super) carried: Vec<Sent>,
    pub(super) bytes_out: u64,
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
            until: now + timeouts.total,
            first_byte_until: now + timeouts.first_byte.min(timeouts.total),
            began: false,
            redirects: 0,
            repeated: false,
            expect: Vec::new(),
            carried: Vec::new(),
            bytes_out: 0,
        }
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
        self.until = now + timeouts.total;
        self.first_byte_until = now + timeouts.first_byte.min(timeouts.total);
        self.began = false;
        self.repeated = false;
        self.bytes_out = 0;
    }

    pub(super) fn limit(&self) -> Nanos {
        if self.began {
            self.until
        } else {
            self.until.min(self.first_byte_until)
        }
    }
}
