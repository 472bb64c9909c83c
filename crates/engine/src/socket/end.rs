use delivery::{CutOff, Leaving};
use model::{Fault, FaultKind, Nanos, UserId};
use script::host::{OpId, SocketId, Value, Wake};

use super::link::TimedOut;
use super::{
    Awaited as _, Channels, Closing, Over, Reading, SocketLink, SocketState, Sockets, Wanted,
};
use crate::arrival::{Arrival, Outcome};
use crate::http::{Asker, Http};
use crate::link::Link;
use crate::net::Conn;
use crate::net::socket::Wire;
use crate::news::News;
use crate::owner::Owner;
use crate::paced_stream::Finish;
use crate::recorder::{Ending, ending_of};
use crate::trace;

/// Time for the other side to respond to a close frame.
const GOODBYE: Nanos = Nanos::from_secs(1);

impl Sockets<'_> {
    /// Starts the closing handshake. The script's promise settles when the other side has closed too, or after
    /// [`GOODBYE`].
    pub(crate) fn close_for_script(&mut self, op: OpId, id: SocketId, code: u16, reason: &str) {
        let Ok((user, socket)) = self.base.socket(id) else {
            self.base.wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
            return;
        };
        socket.leave_namespace();
        let _ = socket.wire.close(Some(code), reason); // a broken connection is closed anyway
        self.base.trace(user, || trace::CLOSING.to_owned());
        self.say_goodbye(id.0, Some(op), Leaving::Left);
    }

    pub(crate) fn say_goodbye(&mut self, key: u32, op: Option<OpId>, how: Leaving) {
        let until = self.base.clock.now() + GOODBYE;
        if op.is_some() {
            self.base.level.closed_by_script.insert(key);
        }
        Channels { base: self.base }.leave(key, how);
        if let Ok((_, socket)) = self.base.socket(SocketId(key)) {
            socket.state.ending.closing = Some(Closing { op, until });
            self.base.net.watch_limit(until);
            self.base.net.update_interest(key);
            self.base.tell(News::Leaves {
                key,
                by_script: op.is_some(),
                how,
            });
        }
        self.end_without_handshake(key);
    }

    /// Ends a socket without a stream, whose last message has arrived.
    pub(crate) fn end_in_order(&mut self, key: u32, fault: &Fault) {
        let until = self.base.clock.now();
        Channels { base: self.base }.leave(key, Leaving::Left);
        if let Ok((_, socket)) = self.base.socket(SocketId(key)) {
            let op = socket.state.ending.closing.and_then(|closing| closing.op);
            socket.state.ending.closing = Some(Closing { op, until });
            self.base.socket_broke(key, fault);
        }
    }

    /// Ends a socket that is closing, unless the other side takes part in it.
    fn end_without_handshake(&mut self, key: u32) {
        let Ok((_, socket)) = self.base.socket(SocketId(key)) else {
            return;
        };
        if !socket.wire.closes_with_handshake() {
            let detail = format!("the script closed the {}", socket.state.line());
            self.base
                .socket_broke(key, &Fault::script(FaultKind::Closed, detail));
        }
    }

    /// Closes the sockets of an iteration that is over. The sockets perform the closing handshake, but nothing waits
    /// for its end. Their awaited deliveries count as cut off, for the reason `why`.
    pub(crate) fn close_all_of(&mut self, user: UserId, why: CutOff) {
        let keys = self
            .base
            .level
            .users
            .get(user)
            .map(|user| std::mem::take(&mut user.sockets))
            .unwrap_or_default();
        Channels { base: self.base }.leave_responses(user, Leaving::CutOff(why));
        for key in self.in_order_of_closing(keys) {
            self.base.tell(News::Close { key, why });
        }
    }

    /// Closes a socket of an iteration that is over.
    pub(crate) fn close_of_iteration(&mut self, key: u32, why: CutOff) {
        // The probe of a session ends with the session.
        let Ok((user, socket)) = self.base.socket(SocketId(key)) else {
            return;
        };
        let opening = socket.state.opening.is_some() && !socket.state.is_carried();
        socket.leave_namespace();
        let _ = socket.wire.close(Some(1000), ""); // a broken connection is closed anyway
        self.base.trace(user, || trace::CLOSING.to_owned());
        self.base.leave_round_trips(key);
        Channels { base: self.base }.leave(key, Leaving::CutOff(why));
        // A socket that is still being opened has no closing handshake.
        if !opening {
            return self.say_goodbye(key, None, Leaving::CutOff(why));
        }
        if let Some(Conn {
            endpoint,
            link: Link::Socket(socket),
            ..
        }) = self.base.take_out(key)
        {
            self.base.leave_dial(&socket.state);
            if socket.wire.is_shared() {
                Http { base: self.base }.cancel_request(Asker::Events(key), user, endpoint);
            }
        }
    }

    /// The sockets in the order in which they are closed: those that others carry or own come first, so that they are
    /// closed for the reason of the iteration.
    fn in_order_of_closing(&mut self, mut keys: Vec<u32>) -> Vec<u32> {
        let rank = |key: &u32| match self.base.socket(SocketId(*key)) {
            Ok((_, socket)) => socket.wire.rank_of_closing(),
            Err(_) => 0,
        };
        keys.sort_by_cached_key(rank);
        keys
    }

    /// Handles received data, which `feed` passes to the wire. Returns the number of messages in it, including an incomplete
    /// last message.
    pub(crate) fn received(
        &mut self,
        key: u32,
        now: Nanos,
        feed: impl FnOnce(&mut Wire, &mut Reading<'_>) -> Result<(), Fault>,
    ) -> usize {
        let is_traced = self.base.config.trace;
        let Some((user, arrival, wire)) = self.base.arrival(key, now) else {
            self.base
                .inconsistent("a socket that is not in the table received data");
            return 0;
        };
        let was_opening = arrival.state.opening;
        let mut reading = Reading {
            arrival,
            messages: 0,
            traced: is_traced.then(Vec::new),
        };
        let outcome = feed(wire, &mut reading);
        let Reading {
            arrival,
            mut messages,
            traced,
        } = reading;
        messages += usize::from(wire.holds_a_part());
        let Arrival { state, talked, .. } = arrival;
        let Outcome {
            says,
            fault,
            probed,
            begun,
        } = talked;
        // Every ping postpones the session's deadline. The new deadline is looked up when the old one is due.
        let talk = state.talk.as_ref().filter(|_| begun);
        let dead_at = talk.map(|talk| talk.dead_at());
        let said = says.iter().try_for_each(|say| wire.send_text(say));
        // The first fault counts, because a failed send is often only its consequence.
        let outcome = outcome.and(fault.map_or(Ok(()), Err)).and(said);
        let open = state.opening.is_none();
        let is_over = wire.is_done() || state.ending.frame.is_some();
        for line in traced.into_iter().flatten() {
            self.base.trace(user, || line);
        }
        if let (Some(opening), true) = (was_opening, open) {
            self.base
                .count_opening(key, opening, now, Ending::Answered { failed: false });
        }
        if let Some(dead_at) = dead_at {
            self.base.net.watch_limit(dead_at);
        }
        match outcome {
            Err(fault) => self.base.socket_broke(key, &fault),
            Ok(()) if is_over => self.base.socket_closed(key),
            Ok(()) if probed => self.base.tell(News::TakesOver(key)),
            Ok(()) => {}
        }
        messages
    }

    /// Removes a socket that has ended, whichever side ended it. `None` if it has ended already.
    pub(crate) fn take_out(&mut self, key: u32, fault: &Fault) -> Option<Over> {
        let now = self.base.clock.now();
        let (_, socket) = self.base.socket(SocketId(key)).ok()?;
        let (opening, expected) = (socket.state.opening, socket.state.ending.closing.is_some());
        // After headcount has closed the socket, messages that do not arrive are not the target's failure.
        let how = if expected {
            Leaving::Left
        } else {
            Leaving::Disconnected
        };
        Channels { base: self.base }.leave(key, how);
        if let Some(opening) = opening.filter(|_| !expected) {
            let ending = ending_of(fault, opening.limit);
            self.base.count_opening(key, opening, now, ending);
        }
        let Some(Conn {
            owner: Owner::User(user),
            endpoint,
            link: Link::Socket(link),
            ..
        }) = self.base.take_out(key)
        else {
            return None;
        };
        if let Some(owner) = self.base.level.users.get(user) {
            owner.sockets.retain(|&open| open != key);
        }
        Some(Over {
            key,
            user,
            endpoint,
            link,
            fault: fault.clone(),
            expected,
        })
    }

    /// Counts the end of a socket, and ends every operation that waits on it.
    pub(crate) fn tell_end(&mut self, over: Over) {
        let Over {
            key,
            user,
            link,
            fault,
            expected,
            ..
        } = over;
        let SocketLink { wire, state } = *link;
        self.base.trace(user, || {
            if expected {
                trace::CLOSED.to_owned()
            } else {
                trace::socket_ended(&fault)
            }
        });
        if expected {
            // A stream may be closed while it reconnects.
            if wire.measures_opening() {
                self.base.leave_dial(&state);
            }
        } else if !wire.ended_in_order() {
            let what = state.failing();
            self.base
                .count_socket_failure(user, &what, state.opening, &fault);
        }
        self.end_waiting(user, key, state, &fault);
    }

    fn end_waiting(&mut self, user: UserId, key: u32, state: SocketState, fault: &Fault) {
        let now = self.base.clock.now();
        let refused = |op| Wake::Done {
            op,
            result: Err(fault.clone()),
        };
        if let Some(mut stream) = state.stream {
            self.base
                .end_stream(user, &mut stream, fault, (now, Finish::Broke));
        }
        let opened = state.opening.is_none_or(|opening| opening.op.is_none());
        let opener = state.opening.and_then(|opening| opening.op);
        self.base.wakes.extend(opener.map(refused));
        for waiting in state.waiting {
            let ending = ending_of(fault, waiting.limit);
            self.base
                .count_broken_round_trip(user, &waiting, fault, (now, ending));
            self.base.wakes.push_back(refused(waiting.op));
        }
        self.base
            .wakes
            .extend(state.pings.into_iter().map(|(op, _)| refused(op)));
        if opened {
            // The close frame of a transport does not contain the reason why its session has ended.
            let close = state.ending.frame.filter(|_| state.talk.is_none());
            let (code, reason) = close.unwrap_or((None, fault.detail.clone()));
            self.base.wakes.push_back(Wake::Closed {
                socket: SocketId(key),
                code,
                reason,
            });
        }
        let op = state.ending.closing.and_then(|closing| closing.op);
        self.base.wakes.extend(op.map(|op| Wake::Done {
            op,
            result: Ok(Value::Nothing),
        }));
    }

    pub(crate) fn timed_out(&mut self, key: u32, now: Nanos) {
        let Ok((user, socket)) = self.base.socket(SocketId(key)) else {
            return self
                .base
                .inconsistent("a socket that timed out does not exist");
        };
        let over = match socket.timed_out(now) {
            TimedOut::Broke(fault) => return self.base.socket_broke(key, &fault),
            TimedOut::Reconnect => {
                return self.base.tell(News::ReconnectDue { key, now });
            }
            TimedOut::Waiting(over) => over,
        };
        for waiting in over {
            if let Wanted::Own(own) = &waiting.wanted
                && let Ok((_, socket)) = self.base.socket(SocketId(key))
            {
                own.expire(&mut socket.wire);
            }
            self.base
                .fail_waiting(user, &waiting, waiting.took_too_long(), now);
        }
    }
}
