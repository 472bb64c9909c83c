//! Handles operations in flight at the end of the measured time. Determines how long headcount waits for them, and
//! counts operations that do not end in this time.

use std::collections::VecDeque;

use model::{Nanos, UserId};
use record::Measured;
use script::host::SocketId;
use serde::{Deserialize, Serialize};

use crate::base::Base;
use crate::dial::Dial;
use crate::http::InFlight;
use crate::link::Link;
use crate::net::{EndpointIndex, Opening};
use crate::paced_stream::Finish;
use crate::recorder::Family;
use crate::socket::SocketState;

/// A request or a round trip that has not ended, or a socket that is being opened.
#[derive(Clone, Copy, Debug)]
struct Operation {
    /// The kind and name under which the operation is measured; `None` for a socket that is being opened, and for the
    /// chunk of a stream.
    measured_as: Option<(Family, usize)>,
    planned: Nanos,
    /// The time at which the operation's own time limit ends.
    until: Nanos,
}

/// Operations of the level for which headcount waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Awaited {
    pub(crate) count: u64,
    /// The time at which the latest time limit of these operations ends.
    pub(crate) until: Nanos,
}

impl Awaited {
    /// Adds the operations of another worker.
    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.until = self.until.max(other.until);
    }
}

impl Operation {
    fn of_dial(dial: &Dial) -> Option<Self> {
        match dial {
            Dial::Http(call) => Self::of_call(call),
            Dial::Socket(dial) => Self::of_opening(&dial.state),
            // The connection table has the operation of a reconnecting stream, and members of audiences are connected
            // before the level starts.
            Dial::Reconnect(_) | Dial::Member(_) => None,
        }
    }

    fn of_call(call: &InFlight) -> Option<Self> {
        (!call.context.is_of_socket()).then(|| Self {
            measured_as: Some((Family::Request, call.context.name)),
            planned: call.context.planned,
            until: call.limit_if(true),
        })
    }

    fn of_opening(state: &SocketState) -> Option<Self> {
        state.opening.map(|opening| Self {
            measured_as: None,
            planned: opening.planned,
            until: opening.until,
        })
    }
}

impl SocketState {
    fn operations(&self, now: Nanos) -> impl Iterator<Item = Operation> {
        let streams = self.stream.iter();
        let chunks = streams.flat_map(move |stream| {
            let each = stream.awaited_since(now);
            each.map(|planned| Operation {
                measured_as: None,
                planned,
                until: stream.limit(),
            })
        });
        let replies = self.waiting.iter().filter_map(|waiting| {
            let round_trip = waiting.round_trip?;
            Some(Operation {
                measured_as: Some((Family::RoundTrip, round_trip.name)),
                planned: round_trip.planned,
                until: waiting.until,
            })
        });
        replies.chain(Operation::of_opening(self)).chain(chunks)
    }
}

fn each_on(link: &Link, now: Nanos, tell: impl FnMut(Operation)) {
    match link {
        Link::Http(http) => http
            .call()
            .and_then(Operation::of_call)
            .into_iter()
            .for_each(tell),
        Link::Http2(http2) => http2.calls().filter_map(Operation::of_call).for_each(tell),
        Link::Socket(socket) => socket.state.operations(now).for_each(tell),
        Link::Member(_) => {}
    }
}

impl Base {
    /// Calls `tell` for each operation of the level that is in flight, on a connection or in a queue for one.
    fn each_in_flight(&mut self, now: Nanos, mut tell: impl FnMut(Operation)) {
        let recorder = &self.level.recorder;
        let mut tell = |operation: Operation| {
            if recorder.measures(operation.planned, now) {
                tell(operation);
            }
        };
        for (_, conn) in self.net.conns.iter_mut() {
            each_on(&conn.link, now, &mut tell);
        }
        let pools = self.level.users.each().flat_map(|user| user.pools.iter());
        let in_line = pools.flat_map(|pool| pool.waiting.iter());
        in_line
            .filter_map(|call| Operation::of_call(call))
            .for_each(&mut tell);
        let queued = self.net.queue.waiting();
        queued.filter_map(Operation::of_dial).for_each(&mut tell);
    }

    /// A copy of the measurements so far. It includes the age of each request and round trip in flight.
    pub(crate) fn measured_so_far(&mut self, now: Nanos) -> Measured {
        let mut so_far = self.level.recorder.clone();
        self.each_in_flight(now, |operation| {
            if let Some((family, index)) = operation.measured_as {
                so_far.left_open(family, index, now - operation.planned);
            }
        });
        for (_, conn) in self.net.conns.iter_mut() {
            if let Link::Socket(socket) = &conn.link
                && let Some(stream) = socket.state.stream.as_ref()
                && stream.is_running()
            {
                stream.finish(&mut so_far, now, Finish::Left);
            }
        }
        so_far.into_measured(self.config.scenario_names())
    }

    /// The operations in flight whose own time limit has not passed.
    pub(crate) fn awaited_operations(&mut self, now: Nanos) -> Awaited {
        let mut awaited = Awaited::default();
        self.each_in_flight(now, |operation| {
            if operation.until > now {
                let until = operation.until;
                awaited.merge(Awaited { count: 1, until });
            }
        });
        awaited
    }

    /// Ends the level for this user: counts operations in flight as unfinished, and closes the connections.
    pub(crate) fn abandon_http(&mut self, id: UserId) {
        let Some(user) = self.level.users.get(id) else {
            return self.inconsistent("a group has a user who does not exist");
        };
        let pools = std::mem::take(&mut user.pools);
        let now = self.clock.now();
        let mut abandoned: Vec<Box<InFlight>> = Vec::new();
        for pool in pools {
            abandoned.extend(pool.waiting);
            for key in pool.open {
                let Some(mut conn) = self.take_out(key) else {
                    self.inconsistent("a user has an HTTP connection that does not exist");
                    continue;
                };
                let opening = conn.link.take_opening();
                self.leave_opening(conn.endpoint, opening, now);
                match conn.link {
                    Link::Http(mut http) => abandoned.extend(http.take_call()),
                    Link::Http2(http2) => abandoned.extend(http2.into_calls()),
                    Link::Socket(_) | Link::Member(_) => {}
                }
            }
        }
        for call in abandoned {
            self.leave_request(&call, now);
        }
        self.abandon_dials(Some(id));
    }

    /// Ends the level for this user, or for all users: removes their connections from the connect queue.
    pub(crate) fn abandon_dials(&mut self, user: Option<UserId>) {
        let now = self.clock.now();
        let is_over = |dial: &Dial| user.is_none() || dial.user() == user;
        for dial in self.net.queue.take_if(is_over) {
            match dial {
                Dial::Http(flight) => self.leave_request(&flight, now),
                Dial::Socket(dial) => self.leave_dial(&dial.state),
                // The connection table has the operation of a reconnecting stream, and members of audiences are connected
                // before the level starts.
                Dial::Reconnect(_) | Dial::Member(_) => {}
            }
        }
    }

    fn leave_request(&mut self, call: &InFlight, now: Nanos) {
        if !call.context.is_of_socket() {
            let (name, planned) = (call.context.name, call.context.planned);
            let recorder = &mut self.level.recorder;
            recorder.leave(Family::Request, name, planned, now);
        }
    }

    /// Counts a connection that is still being opened when headcount stops waiting for it.
    fn leave_opening(&mut self, endpoint: EndpointIndex, opening: Option<Opening>, now: Nanos) {
        if let Some(Opening { asked, .. }) = opening {
            let name = || self.net.connector.label(endpoint);
            self.level.recorder.leave_connection(name, asked, now);
        }
    }

    /// Counts the round trips that are in flight when headcount stops waiting for their replies.
    pub(crate) fn leave_round_trips(&mut self, key: u32) {
        let now = self.clock.now();
        let Ok((_, socket)) = self.socket(SocketId(key)) else {
            return self.inconsistent("round trips were left on a socket that does not exist");
        };
        let waiting = std::mem::take(&mut socket.state.waiting);
        if let Some(mut stream) = socket.state.stream.take() {
            stream.end(&mut self.level.recorder, now, Finish::Left);
        }
        for round_trip in waiting.into_iter().filter_map(|waiting| waiting.round_trip) {
            let recorder = &mut self.level.recorder;
            recorder.leave(Family::RoundTrip, round_trip.name, round_trip.planned, now);
        }
    }

    /// Counts a socket that is queued or being opened when headcount stops waiting for it.
    pub(crate) fn leave_dial(&mut self, state: &SocketState) {
        let now = self.clock.now();
        let opening = state.opening.as_ref();
        if let Some(opening) = opening.filter(|_| state.measures_opening()) {
            let name = state.name_of(opening);
            let recorder = &mut self.level.recorder;
            recorder.leave_opening(&name, opening.planned, now);
        }
    }
}

/// Moves the requests whose time limit has passed from `line` to `over`.
#[expect(clippy::vec_box, reason = "the queue holds boxes")]
pub(crate) fn take_overdue(
    line: &mut VecDeque<Box<InFlight>>,
    now: Nanos,
    over: &mut Vec<Box<InFlight>>,
) {
    if line.iter().all(|call| call.limit() > now) {
        return;
    }
    for call in std::mem::take(line) {
        if call.limit() <= now {
            over.push(call);
        } else {
            line.push_back(call);
        }
    }
}

#[cfg(test)]
mod tests;
