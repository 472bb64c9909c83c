use delivery::{CutOff, Leaving};
use model::{Fault, FaultKind, Nanos, Timing, UserId};
use script::host::{OpId, SocketId, Value, Wake};

use super::link::TimedOut;
use super::{Closing, Opening, SocketLink, SocketState, Waiting};
use crate::arrival::{Arrival, Outcome};
use crate::http::Asker;
use crate::link::Link;
use crate::net::Conn;
use crate::net::socket::{Feed, Wire};
use crate::owner::Owner;
use crate::recorder::{Ending, Family, ending_of};
use crate::trace;
use crate::world::World;

/// Time for the other side to respond to a close frame.
const GOODBYE: Nanos = Nanos::from_secs(1);

impl World {
    /// Starts the closing handshake. The script's promise settles when the other side has closed too, or after
    /// [`GOODBYE`].
    pub(crate) fn close_socket_of_script(
        &mut self,
        op: OpId,
        id: SocketId,
        code: u16,
        reason: &str,
    ) {
        let Ok((_, socket)) = self.socket(id) else {
            self.wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
            return;
        };
        socket.leave_namespace();
        let _ = socket.wire.close(Some(code), reason); // a broken connection is closed anyway
        self.say_goodbye(id.0, Some(op), Leaving::Left);
    }

    pub(crate) fn say_goodbye(&mut self, key: u32, op: Option<OpId>, how: Leaving) {
        let until = self.clock.now() + GOODBYE;
        if op.is_some() {
            self.level.closed_by_script.insert(key);
        }
        self.leave_channels(key, how);
        if let Ok((_, socket)) = self.socket(SocketId(key)) {
            socket.state.closing = Some(Closing { op, until });
            self.net.watch_limit(until);
            self.net.update_interest(key);
            self.go_on_polling(key);
            self.leave_nats(key, op.is_some(), how);
        }
        self.end_without_handshake(key);
    }

    /// Ends a socket without a stream, whose last message has arrived.
    pub(crate) fn end_in_order(&mut self, key: u32, fault: &Fault) {
        let until = self.clock.now();
        self.leave_channels(key, Leaving::Left);
        if let Ok((_, socket)) = self.socket(SocketId(key)) {
            let op = socket.state.closing.and_then(|closing| closing.op);
            socket.state.closing = Some(Closing { op, until });
            self.socket_broke(key, fault);
        }
    }

    /// Ends a socket that is closing, unless the other side takes part in it.
    fn end_without_handshake(&mut self, key: u32) {
        let Ok((_, socket)) = self.socket(SocketId(key)) else {
            return;
        };
        if !socket.wire.closes_with_handshake() {
            let detail = format!("the script closed the {}", socket.state.line());
            self.socket_broke(key, &Fault::script(FaultKind::Closed, detail));
        }
    }

    /// Closes the sockets of an iteration that is over. The sockets perform the closing handshake, but nothing waits
    /// for its end. Their awaited deliveries count as cut off, for the reason `why`.
    pub(crate) fn close_sockets_of(&mut self, user: UserId, why: CutOff) {
        let keys = self
            .level
            .users
            .get(user)
            .map(|user| std::mem::take(&mut user.sockets))
            .unwrap_or_default();
        self.leave_responses(user, Leaving::CutOff(why));
        let keys = self.in_order_of_closing(keys);
        for key in keys {
            // The probe of a session ends with the session.
            let Ok((_, socket)) = self.socket(SocketId(key)) else {
                continue;
            };
            let opening = socket.state.opening.is_some() && !socket.state.is_carried();
            socket.leave_namespace();
            let _ = socket.wire.close(Some(1000), ""); // a broken connection is closed anyway
            self.leave_round_trips(key);
            self.leave_channels(key, Leaving::CutOff(why));
            // A socket that is still being opened has no closing handshake.
            if opening {
                if let Some(Conn {
                    endpoint,
                    link: Link::Socket(socket),
                    ..
                }) = self.take_out(key)
                {
                    self.leave_dial(&socket.state);
                    if socket.wire.is_shared() {
                        self.cancel_request(Asker::Events(key), user, endpoint);
                    }
                }
            } else {
                self.say_goodbye(key, None, Leaving::CutOff(why));
            }
        }
    }

    /// The sockets in the order in which they are closed: those that others carry or own come first, so that they are
    /// closed for the reason of the iteration.
    fn in_order_of_closing(&mut self, mut keys: Vec<u32>) -> Vec<u32> {
        let rank = |key: &u32| match self.socket(SocketId(*key)) {
            Ok((_, socket)) => socket.wire.rank_of_closing(),
            Err(_) => 0,
        };
        keys.sort_by_cached_key(rank);
        keys
    }

    /// Prepares to pass data that a socket received at `now` to its consumers. Returns the socket's user and wire too.
    pub(crate) fn arrival(
        &mut self,
        key: u32,
        now: Nanos,
    ) -> Option<(UserId, Arrival<'_>, &mut Wire)> {
        let Some(Conn {
            owner: Owner::User(owner),
            link: Link::Socket(socket),
            ..
        }) = self.net.conns.get_mut(key)
        else {
            return None;
        };
        let (group, member) = match self.level.users.get(*owner) {
            Some(owner) => (self.level.groups.get_mut(owner.group), owner.member),
            None => (None, 0),
        };
        let SocketLink { wire, state } = &mut **socket;
        let arrival = Arrival {
            key,
            now,
            member,
            group,
            state,
            recorder: &mut self.level.recorder,
            wakes: &mut self.wakes,
            talked: Outcome::default(),
        };
        Some((*owner, arrival, wire))
    }

    /// Handles received data. Returns the number of messages in it, including an incomplete last message.
    pub(crate) fn socket_received(&mut self, key: u32, came: impl Feed, now: Nanos) -> usize {
        let is_traced = self.config.trace;
        let Some((user, mut arrival, wire)) = self.arrival(key, now) else {
            self.inconsistent("a socket that is not in the table received data");
            return 0;
        };
        let was_opening = arrival.state.opening;
        let (mut messages, mut traced) = (0, Vec::new());
        let outcome = came.feed(wire, &mut |event| {
            messages += 1;
            if is_traced {
                traced.extend(trace::received(&event));
            }
            arrival.received(event);
        });
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
        let is_over = wire.is_done() || state.close.is_some();
        for line in traced {
            self.trace(user, || line);
        }
        if let (Some(opening), true) = (was_opening, open) {
            self.count_opening(key, opening, now, Ending::Answered { failed: false });
        }
        if let Some(dead_at) = dead_at {
            self.net.watch_limit(dead_at);
        }
        match outcome {
            Err(fault) => self.socket_broke(key, &fault),
            Ok(()) if is_over => self.socket_closed(key),
            Ok(()) if probed => self.probe_answered(key),
            Ok(()) => {}
        }
        messages
    }

    /// Counts the failure of a socket, if the socket failed or was being opened in the measured time.
    pub(crate) fn count_socket_failure(
        &mut self,
        user: UserId,
        what: &str,
        opening: Option<Opening>,
        fault: &Fault,
    ) {
        let now = self.clock.now();
        self.level
            .flaw((None, Some(user)), fault, (what, None), now);
        let since = opening.map_or(now, |opening| opening.planned);
        self.level
            .fail_during((since, now), (user, what), now, fault);
    }

    /// Handles a connection that the server has closed.
    pub(crate) fn socket_closed(&mut self, key: u32) {
        let Ok((_, socket)) = self.socket(SocketId(key)) else {
            return self.inconsistent("a socket that is not in the table was closed");
        };
        let fault = socket.on_close();
        self.socket_broke(key, &fault);
    }

    /// Ends a socket and every operation that waits on it, whichever side closed the socket. A stream that reconnects only
    /// loses its connection.
    pub(crate) fn socket_broke(&mut self, key: u32, fault: &Fault) {
        if self.plans_reconnect(key, fault) {
            return;
        }
        let now = self.clock.now();
        let expected = self
            .socket(SocketId(key))
            .is_ok_and(|(_, socket)| socket.state.closing.is_some());
        // After headcount has closed the socket, messages that do not arrive are not the target's failure.
        self.leave_channels(
            key,
            if expected {
                Leaving::Left
            } else {
                Leaving::Disconnected
            },
        );
        let opening = self.socket(SocketId(key)).ok();
        let opening = opening.and_then(|(_, socket)| socket.state.opening);
        if let Some(opening) = opening.filter(|_| !expected) {
            self.count_opening(key, opening, now, ending_of(fault, opening.limit));
        }
        let Some(Conn {
            owner: Owner::User(user),
            endpoint,
            link: Link::Socket(socket),
            ..
        }) = self.take_out(key)
        else {
            // It has ended already: one cause can end a session twice, such as two requests that cannot start.
            return;
        };
        if let Some(owner) = self.level.users.get(user) {
            owner.sockets.retain(|&open| open != key);
        }
        let SocketLink { wire, state } = *socket;
        if matches!(&wire, Wire::Polling(polling) if polling.waits_for_the_server()) {
            self.drop_poll(key, user, endpoint);
        }
        if wire.is_shared() {
            self.cancel_request(Asker::Events(key), user, endpoint);
        }
        self.polling_is_over(&wire, state.probes());
        self.nats_is_over(key, &wire, fault);
        self.redis_is_over(key, (&wire, &state), fault, expected);
        self.trace(user, || trace::socket_ended(fault));
        if expected {
            // A stream may be closed while it reconnects.
            if wire.measures_opening() {
                self.leave_dial(&state);
            }
        } else if !wire.ended_in_order() {
            self.count_socket_failure(user, &state.failing(), state.opening, fault);
        }
        self.end_waiting(user, key, state, fault);
    }

    fn end_waiting(&mut self, user: UserId, key: u32, state: SocketState, fault: &Fault) {
        let now = self.clock.now();
        let refused = |op| Wake::Done {
            op,
            result: Err(fault.clone()),
        };
        let opened = state.opening.is_none_or(|opening| opening.op.is_none());
        let opener = state.opening.and_then(|opening| opening.op);
        self.wakes.extend(opener.map(refused));
        for waiting in state.waiting {
            let ending = ending_of(fault, waiting.limit);
            self.count_broken_round_trip(user, &waiting, fault, (now, ending));
            self.wakes.push_back(refused(waiting.op));
        }
        self.wakes
            .extend(state.pings.into_iter().map(|(op, _)| refused(op)));
        if opened {
            // The close frame of a transport does not contain the reason why its session has ended.
            let close = state.close.filter(|_| state.talk.is_none());
            let (code, reason) = close.unwrap_or((None, fault.detail.clone()));
            self.wakes.push_back(Wake::Closed {
                socket: SocketId(key),
                code,
                reason,
            });
        }
        let op = state.closing.and_then(|closing| closing.op);
        self.wakes.extend(op.map(|op| Wake::Done {
            op,
            result: Ok(Value::Nothing),
        }));
    }

    /// Counts a round trip that failed now.
    pub(crate) fn count_broken_round_trip(
        &mut self,
        user: UserId,
        waiting: &Waiting,
        fault: &Fault,
        (now, ending): (Nanos, Ending),
    ) {
        let Some(round_trip) = waiting.round_trip else {
            return;
        };
        let name = self
            .level
            .recorder
            .name_of(Family::RoundTrip, round_trip.name)
            .to_owned();
        self.level
            .flaw((None, Some(user)), fault, (&name, None), now);
        let timing = Timing {
            planned: round_trip.planned,
            started: round_trip.started,
            ended: now,
        };
        let recorder = &mut self.level.recorder;
        let timings = recorder.time(Family::RoundTrip, round_trip.name, timing, ending);
        if let Some(timings) = timings {
            timings.repeated += waiting.repeats();
            self.level.fail(user, &name, now, fault);
        }
    }

    pub(crate) fn socket_timed_out(&mut self, key: u32, now: Nanos) {
        let Ok((user, socket)) = self.socket(SocketId(key)) else {
            return self.inconsistent("a socket that timed out does not exist");
        };
        let over = match socket.timed_out(now) {
            TimedOut::Broke(fault) => return self.socket_broke(key, &fault),
            TimedOut::Reconnect => return self.reconnect(key, now),
            TimedOut::Waiting(over) => over,
        };
        for waiting in over {
            self.note_expired(key, &waiting);
            self.fail_waiting(user, &waiting, waiting.took_too_long(), now);
        }
    }

    /// Fails a wait for a reply or a message, whose socket continues.
    pub(crate) fn fail_waiting(
        &mut self,
        user: UserId,
        waiting: &Waiting,
        fault: Fault,
        now: Nanos,
    ) {
        let ending = ending_of(&fault, waiting.limit);
        self.count_broken_round_trip(user, waiting, &fault, (now, ending));
        self.wakes.push_back(Wake::Done {
            op: waiting.op,
            result: Err(fault),
        });
    }
}
