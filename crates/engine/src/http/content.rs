//! Counts requests as failed whose responses the script rejects.

use model::{Fault, FaultKind};
use script::host::{CountedRequest, Reply};
use wire::http::quoted_body;

use super::Requests;
use crate::recorder::Family;

impl Requests<'_> {
    /// Counts a request as failed that has been counted as a success. Has no effect after the user's iteration, because
    /// the first failure of the iteration has then been counted. A user exists in one level only, so the measurements
    /// are always those of the request's level.
    pub(crate) fn fail_by_content(&mut self, request: CountedRequest, reply: &Reply, reason: &str) {
        let user = self.base.level.users.get(request.user);
        if user.is_none_or(|user| user.epoch != request.epoch) {
            return;
        }
        let now = self.base.clock.now();
        let name = self
            .base
            .level
            .recorder
            .name_of(Family::Request, request.name);
        let name = name.to_owned();
        let reason = quoted_body(reason.as_bytes()).unwrap_or_default();
        self.base
            .trace(request.user, || format!("✗ {name}: {reason}"));
        let fault = Fault::target(FaultKind::Content, reason);
        let place = (None, Some(request.user));
        self.base
            .level
            .flaw(place, &fault, (&name, Some(reply.status)), now);
        if !request.measured {
            self.base.level.recorder.measured.before.failed_requests += 1;
            return;
        }
        self.base
            .level
            .recorder
            .fail_answered(request.name, reply.response_time);
        self.base.level.fail(request.user, &name, now, &fault);
    }
}
