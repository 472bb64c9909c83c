//! What the code of all sockets needs: finding a socket, passing data to its consumers, and counting.

use delivery::Sent;
use model::{Fault, FaultKind, Nanos, Timing, UserId};
use script::host::{SocketId, Wake};

use super::link::SocketLink;
use super::state::{Opening, Waiting};
use crate::arrival::{Arrival, Outcome};
use crate::base::Base;
use crate::link::Link;
use crate::net::socket::Wire;
use crate::net::{Conn, EndpointIndex};
use crate::news::News;
use crate::owner::Owner;
use crate::paced_stream::{Finish, PacedStream};
use crate::recorder::{Ending, Family, ending_of};
use crate::trace;

impl Base {
    pub(crate) fn socket(&mut self, id: SocketId) -> Result<(UserId, &mut SocketLink), Fault> {
        match self.net.conns.get_mut(id.0) {
            Some(Conn {
                owner: Owner::User(owner),
                link: Link::Socket(socket),
                ..
            }) => Ok((*owner, socket)),
            _ if self.level.closed_by_script.contains(&id.0) => Err(Fault::script(
                FaultKind::Closed,
                "the script has closed this socket",
            )),
            _ => Err(socket_is_closed()),
        }
    }

    /// Whether this socket exists, and another one can still take over from it.
    pub(crate) fn is_replaceable(&mut self, key: u32) -> bool {
        let socket = self.socket(SocketId(key));
        socket.is_ok_and(|(_, socket)| socket.wire.is_replaceable())
    }

    /// The endpoint of a socket's connection.
    pub(crate) fn endpoint_of(&mut self, id: SocketId) -> Result<EndpointIndex, Fault> {
        self.socket(id)?;
        let conn = self.net.conns.get(id.0);
        conn.map(|conn| conn.endpoint).ok_or_else(socket_is_closed)
    }

    /// Sends a message of a user with `send`. Returns the stamps that the user has made, which are sent with it.
    pub(crate) fn with_stamps(
        &mut self,
        user: UserId,
        planned: Option<Nanos>,
        send: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<Vec<Sent>, Fault> {
        let carried = self.stamps_leave(user, planned);
        let sent = send(self);
        // Nothing was sent, so these deliveries are not awaited.
        if let Some((group, ..)) = self.level.group_of(user).filter(|_| sent.is_err()) {
            for sent in &carried {
                group.ledger.refuse(*sent);
            }
        }
        sent.map(|()| carried)
    }

    fn stamps_leave(&mut self, user: UserId, planned: Option<Nanos>) -> Vec<Sent> {
        let now = self.clock.now();
        let planned = planned.unwrap_or(now);
        let Some((group, member, recorder)) = self.level.group_of(user) else {
            return Vec::new();
        };
        let carried = recorder.send(&mut group.ledger, member, planned, now);
        recorder.count_messages(carried.len(), planned);
        carried
    }

    pub(crate) fn count_opening(&mut self, key: u32, opening: Opening, now: Nanos, ending: Ending) {
        let Ok((_, socket)) = self.socket(SocketId(key)) else {
            return self.inconsistent("a socket that is not in the table opened");
        };
        if !socket.state.measures_opening() || !socket.wire.measures_opening() {
            return;
        }
        let name = socket.state.name_of(&opening).into_owned();
        self.time_opening(&name, opening, now, ending);
    }

    fn time_opening(&mut self, name: &str, opening: Opening, now: Nanos, ending: Ending) {
        let timing = Timing {
            planned: opening.planned,
            started: opening.asked,
            ended: now,
        };
        self.level.recorder.time_opening(name, timing, ending);
    }

    /// Counts a socket that could not be connected, or was refused at once.
    pub(crate) fn never_opened(
        &mut self,
        user: UserId,
        (what, name): (&str, &str),
        opening: Opening,
        fault: Fault,
    ) {
        let now = self.clock.now();
        self.trace(user, || trace::socket_ended(&fault));
        self.time_opening(name, opening, now, ending_of(&fault, opening.limit));
        self.count_socket_failure(user, what, Some(opening), &fault);
        self.wakes.extend(opening.op.map(|op| Wake::Done {
            op,
            result: Err(fault),
        }));
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

    /// Ends a socket without counting a failure.
    pub(crate) fn drop_socket(&mut self, key: u32, fault: &Fault) {
        if let Ok((_, socket)) = self.socket(SocketId(key)) {
            socket.state.expect_end();
            self.socket_broke(key, fault);
        }
    }

    /// Reports that a socket has ended, whichever side ended it.
    pub(crate) fn socket_broke(&mut self, key: u32, fault: &Fault) {
        let fault = fault.clone();
        self.tell(News::Broke { key, fault });
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

    /// Ends a stream with a fault, and counts its round trips without a reply as failures.
    pub(crate) fn end_stream(
        &mut self,
        user: UserId,
        stream: &mut PacedStream,
        fault: &Fault,
        (now, how): (Nanos, Finish),
    ) {
        let Some((op, failed)) = stream.end(&mut self.level.recorder, now, how) else {
            return;
        };
        let name = stream.name();
        self.level
            .flaw((None, Some(user)), fault, (name, None), now);
        for _ in 0..failed {
            self.level.fail(user, name, now, fault);
        }
        self.wakes.push_back(Wake::Done {
            op,
            result: Err(fault.clone()),
        });
    }
}

fn socket_is_closed() -> Fault {
    Fault::target(FaultKind::Closed, "the socket is closed")
}
