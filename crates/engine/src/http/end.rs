use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use model::{Fault, FaultKind, Nanos, Timing};
use script::host::{CountedRequest, Reply, Value, Wake};
use wire::http::{Quota, Request, Response, quoted_body};
use wire::http2::Repeatable;

use super::received::receive;
use super::{Asked, Asker, Http, InFlight};
use crate::dial::Dial;
use crate::in_flight::take_overdue;
use crate::limited::note_limited;
use crate::net::EndpointIndex;
use crate::net::socket::{Method, Poll};
use crate::news::News;
use crate::people::CONNECTIONS_PER_USER;
use crate::recorder::{Ending, Family, ending_of};
use crate::trace;

impl Http<'_> {
    /// Stores the cookies that a response sets for the user.
    pub(crate) fn store_cookies(&mut self, call: &InFlight, response: &Response) {
        if let Some(user) = self.base.level.users.get(call.context.user) {
            user.standing
                .cookies
                .store(&call.request.url, &response.headers);
        }
    }

    /// Follows a redirect, or ends the request. The script then gets the response.
    pub(crate) fn follow_or_end(&mut self, call: Box<InFlight>, response: Response, now: Nanos) {
        match self.redirected(&call, &response) {
            Ok(Some((request, endpoint))) => self.base.tell(News::Request(Box::new(InFlight {
                request,
                prepared: None,
                endpoint,
                began: false,
                context: Asked {
                    redirects: call.context.redirects - 1,
                    redirected: true,
                    ..call.context
                },
                ..*call
            }))),
            Ok(None) => self.end_http(&call, now, Ok(response)),
            Err(fault) => self.end_http(&call, now, Err(fault)),
        }
    }

    fn redirected(
        &mut self,
        call: &InFlight,
        response: &Response,
    ) -> Result<Option<(Request, EndpointIndex)>, Fault> {
        if call.context.redirects == 0 || !(300..400).contains(&response.status) {
            return Ok(None);
        }
        let Some(request) = wire::http::follow(&call.request, response)? else {
            return Ok(None);
        };
        if call.context.redirects == 1 {
            return Err(Fault::target(
                FaultKind::Protocol,
                "more redirects than allowed (`redirects`)",
            ));
        }
        let endpoint = self.base.net.connector.endpoint_of(&request.url)?;
        Ok(Some((request, endpoint)))
    }

    /// Records the result of a request, and reports it to the script.
    pub(crate) fn end_http(
        &mut self,
        call: &InFlight,
        now: Nanos,
        outcome: Result<Response, Fault>,
    ) {
        // These requests only transport messages and are not requests of the script, so they are not counted as requests.
        match call.context.asker {
            to @ (Asker::Poll(_) | Asker::Events(_)) => {
                if let Asker::Poll(poll) = to {
                    self.poll_ended(call, poll);
                }
                return self.base.tell(News::Responded { to, outcome, now });
            }
            Asker::Script(_) | Asker::Fixed(_) => {}
        }
        self.base
            .trace(call.context.user, || trace::outcome(call, &outcome));
        let fault = match &outcome {
            Ok(response) => refusal(response, &call.context.expect),
            Err(fault) => Some(fault.clone()),
        };
        if let Ok(response) = &outcome {
            receive(self.base, call, &response.body, now);
        }
        let measured = self.count_http(call, now, fault.as_ref(), outcome.as_ref().ok());
        if let Some((group, ..)) = self.base.level.group_of(call.context.user) {
            group.progress.last_done = Some((Family::Request, call.context.name));
            // The target did not accept the messages that this request carried, so their deliveries are not awaited.
            let refused = call.context.carried.iter().filter(|_| fault.is_some());
            refused.for_each(|&sent| group.ledger.refuse(sent));
        }
        let op = match call.context.asker {
            Asker::Script(op) => op,
            Asker::Fixed(op) => {
                let user = call.context.user;
                return self.base.tell(News::Failed { op, user });
            }
            Asker::Poll(_) | Asker::Events(_) => return,
        };
        let user = self
            .base
            .level
            .users
            .get(call.context.user)
            .filter(|_| fault.is_none());
        let request = user.map(|user| CountedRequest {
            user: call.context.user,
            epoch: user.epoch,
            name: call.context.name,
            measured,
        });
        let result = outcome.map(|response| {
            Value::Response(Box::new(Reply {
                status: response.status,
                head: response.headers.into_raw(),
                body: response.body,
                url: Some(Arc::clone(&call.request.url)),
                response_time: now - call.context.planned,
                request,
            }))
        });
        self.base.wakes.push_back(Wake::Done { op, result });
    }

    /// Repeats a request that broke without a response, if it is safe to process the request twice.
    pub(crate) fn repeat_or_end(
        &mut self,
        mut call: Box<InFlight>,
        mut fault: Fault,
        repeatable: Repeatable,
        now: Nanos,
    ) {
        let idempotent = call.request.is_idempotent();
        let off = !self.base.config.options.repeat;
        let why_not = match repeatable {
            _ if call.context.repeated => None,
            Repeatable::No => None,
            Repeatable::Yes if off => Some("not processed; repeats are turned off".to_owned()),
            Repeatable::IfIdempotent if off => {
                Some("on a kept-alive connection; repeats are turned off".to_owned())
            }
            Repeatable::IfIdempotent if !idempotent => {
                let method = &call.request.method;
                Some(format!(
                    "on a kept-alive connection; {method} is not repeated"
                ))
            }
            Repeatable::IfIdempotent | Repeatable::Yes => {
                call.context.repeated = true;
                return self.base.tell(News::Request(call));
            }
        };
        if let Some(why_not) = why_not {
            // The failure still counts against the target, because it may have processed the request.
            let _ = write!(fault.detail, " ({why_not})");
        }
        self.end_http(&call, now, Err(fault));
    }

    /// Counts a response to a user without a script.
    pub(crate) fn count_answer(&mut self, call: &InFlight, response: &Response, now: Nanos) {
        let fault = refusal(response, &call.context.expect);
        self.count_http(call, now, fault.as_ref(), Some(response));
    }

    /// Counts a request. Returns whether it belongs to the measured time.
    fn count_http(
        &mut self,
        call: &InFlight,
        now: Nanos,
        fault: Option<&Fault>,
        response: Option<&Response>,
    ) -> bool {
        let failed = fault.map(|fault| {
            let name = self
                .base
                .level
                .recorder
                .name_of(Family::Request, call.context.name)
                .to_owned();
            let status = response.map(|response| response.status);
            self.base
                .level
                .flaw((None, Some(call.context.user)), fault, (&name, status), now);
            (name, fault)
        });
        let timing = Timing {
            planned: call.context.planned,
            started: call.started,
            ended: now,
        };
        let ending = fault.map_or(Ending::Answered { failed: false }, |fault| {
            ending_of(fault, call.until - call.since)
        });
        let recorder = &mut self.base.level.recorder;
        let timings = recorder.time(Family::Request, call.context.name, timing, ending);
        let Some(timings) = timings else {
            self.if_limited(call, now, fault, response);
            return false;
        };
        timings.repeated += u64::from(call.context.repeated);
        timings.bytes_out += call.bytes_out;
        timings.bytes_in += response.map_or(0, |response| response.size as u64);
        if let Some((name, fault)) = failed {
            let told = self.with_body(fault, &name, response);
            self.base.level.fail(call.context.user, &name, now, &told);
        }
        self.if_limited(call, now, fault, response);
        true
    }

    /// Adds the beginning of the response's body to the first failure of its kind, because the body usually states the
    /// reason.
    fn with_body<'f>(
        &self,
        fault: &'f Fault,
        what: &str,
        response: Option<&Response>,
    ) -> Cow<'f, Fault> {
        let by_status = matches!(fault.kind, FaultKind::Status | FaultKind::RateLimited);
        let body = response
            .filter(|_| {
                by_status
                    && self
                        .base
                        .level
                        .recorder
                        .is_first((fault.side, fault.kind), what)
            })
            .and_then(|response| quoted_body(&response.body));
        match body {
            Some(body) => Cow::Owned(Fault {
                detail: format!("{}: {body}", fault.detail),
                ..fault.clone()
            }),
            None => Cow::Borrowed(fault),
        }
    }

    fn if_limited(
        &mut self,
        call: &InFlight,
        now: Nanos,
        fault: Option<&Fault>,
        response: Option<&Response>,
    ) {
        let limited = fault.is_some_and(|fault| fault.kind == FaultKind::RateLimited);
        if let Some(response) = response.filter(|_| limited) {
            let quota = || Quota::of(&response.headers);
            note_limited(&mut self.base.level, &call.context, quota, now);
        }
    }

    /// Makes the poll's connection an ordinary connection of the user again.
    pub(crate) fn poll_ended(&mut self, call: &InFlight, poll: Poll) {
        if let Some(owner) = self
            .base
            .level
            .users
            .get(call.context.user)
            .filter(|_| poll.method == Method::Get)
        {
            let pool = owner.pool(call.endpoint);
            pool.polls = pool.polls.saturating_sub(1);
        }
    }

    /// Ends requests whose time limit has passed in the queue for a connection or a stream. Returns the earliest limit
    /// of the requests that remain queued.
    pub(crate) fn end_overdue_in_line(&mut self, now: Nanos) -> Nanos {
        let mut over = Vec::new();
        for user in self.base.level.users.each() {
            for pool in &mut user.pools {
                take_overdue(&mut pool.waiting, now, &mut over);
            }
        }
        let queued = self.base.net.queue.take_if(|dial| dial.limit() <= now);
        for call in &over {
            let limit = call.time_limit();
            // The server limits the number of streams, so this is a fault of the target. Without streams, the user's
            // own requests occupy all connections, which is not the target's fault.
            let fault = if self.base.streams().is_some() {
                Fault::target(
                    FaultKind::TimedOut,
                    format!("no stream was free within {limit}"),
                )
            } else {
                let held = format!(
                    "the user's other requests used all {CONNECTIONS_PER_USER} connections"
                );
                let detail = format!("no connection was free within {limit}: {held}");
                Fault::generator(FaultKind::TimedOut, detail)
            };
            self.end_http(call, now, Err(fault));
        }
        // These requests waited in the connect queue, because the target had not accepted other connections.
        for dial in queued {
            let Dial::Http(call) = dial else {
                self.base
                    .inconsistent("a socket timed out in the connect queue, where it has no limit");
                continue;
            };
            let owner = self.base.owner_of(call.context.user);
            let pool = self
                .base
                .level
                .users
                .get(owner)
                .map(|user| user.pool(call.endpoint));
            let next = pool.and_then(|pool| {
                pool.connect_queue -= 1;
                pool.waiting.pop_front()
            });
            let detail = format!("no connection was free within {}", call.time_limit());
            self.end_http(&call, now, Err(Fault::target(FaultKind::TimedOut, detail)));
            if let Some(next) = next {
                self.base.tell(News::Request(next));
            }
        }
        let lines = self
            .base
            .level
            .users
            .each()
            .flat_map(|user| user.pools.iter());
        let calls = lines.flat_map(|pool| pool.waiting.iter());
        let limits = calls.map(|call| call.limit()).min();
        let queued = self.base.net.queue.waiting().map(Dial::limit).min();
        limits.into_iter().chain(queued).min().unwrap_or(Nanos::MAX)
    }
}

/// A response with a status of 400 or more is a failure, unless the script expects this status. A gRPC call that did
/// not succeed is also a failure.
fn refusal(response: &Response, expect: &[u16]) -> Option<Fault> {
    if response.status < 400 || expect.contains(&response.status) {
        return response.grpc_error.as_ref().map(|error| error.fault());
    }
    let kind = if response.status == 429 {
        FaultKind::RateLimited
    } else {
        FaultKind::Status
    };
    let reason = response.headers.reason();
    Some(Fault::target(
        kind,
        format!("HTTP {} {reason}", response.status)
            .trim_end()
            .to_owned(),
    ))
}
