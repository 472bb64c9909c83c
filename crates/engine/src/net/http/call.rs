use std::sync::Arc;

use model::Nanos;
use plan::Timeouts;
use wire::http::Request;

use crate::net::connector::EndpointIndex;

/// A request in flight, with its time limits. `T` is what the client attaches to it.
#[derive(Debug)]
pub(crate) struct Call<T> {
    pub(crate) request: Request,
    /// The encoded request, if every request for this URL has the same bytes.
    pub(crate) prepared: Option<Arc<[u8]>>,
    pub(crate) endpoint: EndpointIndex,
    /// The time at which the request was made or, if it had to wait, could start.
    pub(crate) started: Nanos,
    /// The time from which the request's limits count.
    pub(crate) since: Nanos,
    pub(crate) until: Nanos,
    pub(crate) first_byte_until: Nanos,
    /// Whether the response has begun.
    pub(crate) began: bool,
    pub(crate) bytes_out: u64,
    pub(crate) context: T,
}

impl<T> Call<T> {
    /// Creates a request that is made now, with these time limits.
    pub(crate) fn new(
        (request, endpoint): (Request, EndpointIndex),
        now: Nanos,
        timeouts: Timeouts,
        context: T,
    ) -> Self {
        Self {
            request,
            prepared: None,
            endpoint,
            started: now,
            since: now,
            until: now + timeouts.total,
            first_byte_until: now + timeouts.first_byte.min(timeouts.total),
            began: false,
            bytes_out: 0,
            context,
        }
    }

    /// Resets the request so that it can be sent again now.
    pub(crate) fn again(&mut self, now: Nanos, timeouts: Timeouts) {
        self.started = now;
        self.since = now;
        self.until = now + timeouts.total;
        self.first_byte_until = now + timeouts.first_byte.min(timeouts.total);
        self.began = false;
        self.bytes_out = 0;
    }

    /// Notes that the request had to wait for its connection until now.
    pub(crate) fn starts_late(&mut self, now: Nanos) {
        self.started = now;
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
