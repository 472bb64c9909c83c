//! Running work: groups with their users, operations, sockets and tickers.

use std::sync::Arc;

use model::{GroupId, Nanos, Slots};
use rustc_hash::FxHashMap;

use crate::host::{OpId, SocketId, TickerId};
use crate::iteration::UserStart;
use crate::kept::{Kept, KeptPromise};

/// Number of iterations of a worker whose calls are traced. The worker traces its first iterations, and as many again
/// after each iteration that left calls in flight. A trace costs more than the call.
const TRACED: u32 = 8;

/// Number of traced calls per iteration. Once an iteration has left a call in flight, all calls are traced. Without
/// this limit, an iteration that loops for the whole run would pay for every call.
const TRACED_CALLS: u32 = 100;

/// Properties of a group that a script can read.
#[derive(Default)]
pub(crate) struct About {
    pub(crate) id: u32,
    pub(crate) number: u32,
    pub(crate) iteration: u32,
    /// The level: index, users, groups.
    pub(crate) level: (u32, u32, u32),
    pub(crate) setup: Option<Arc<str>>,
    /// Index of the scenario function among the exports.
    pub(crate) scenario: Option<usize>,
}

/// A running group.
#[derive(Default)]
pub(crate) struct Group {
    pub(crate) about: About,
    pub(crate) ended: bool,
    /// The promise that the scenario function returned. Kept only until it settles.
    pub(crate) story: Option<KeptPromise>,
    /// Number of further calls to trace.
    pub(crate) calls_to_trace: u32,
    /// Whether the script used `Promise.race` or `Promise.any`. Promises that lost may then be in flight at the end.
    pub(crate) may_leave: bool,
    /// Whether the group's objects share state in the prelude.
    pub(crate) keeps_story: bool,
    pub(crate) users: Vec<u32>,
    ops: Vec<u32>,
    sockets: Vec<u32>,
    tickers: Vec<TickerId>,
    listening: usize,
}

impl Group {
    /// Whether the group waits for events.
    pub(crate) fn waits(&self) -> bool {
        !self.ops.is_empty() || !self.tickers.is_empty() || self.listening > 0
    }
}

/// A user of a running group.
pub(crate) struct Member {
    pub(crate) group: u32,
    pub(crate) about: UserStart,
}

/// How the result of an operation becomes a script value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The value itself.
    Plain,
    /// The message, parsed as JSON.
    Parsed,
    /// `undefined`. The script need not await the operation.
    Closing,
    /// Milliseconds since this time.
    Elapsed(Nanos),
    /// A socket object.
    Socket {
        /// The constructor of the prelude.
        constructor: &'static str,
        /// The name under which operations of the socket are measured.
        name: Arc<str>,
        /// Key of the connection that carries the socket.
        connection: Option<u32>,
    },
    /// A message on the connection with this key.
    Message(u32),
    /// A reply whose strings are `ArrayBuffer`s.
    Binary,
}

impl Then {
    /// A socket object with a connection of its own. Operations of the socket are measured under this name.
    pub(crate) fn socket(constructor: &'static str, name: &str) -> Self {
        Self::Socket {
            constructor,
            name: name.into(),
            connection: None,
        }
    }

    /// A socket object that the connection with this key carries. None of its operations are measured.
    pub(crate) fn carried(constructor: &'static str, connection: u32) -> Self {
        Self::Socket {
            constructor,
            name: "".into(),
            connection: Some(connection),
        }
    }
}

/// A pending promise.
pub(crate) struct Op {
    pub(crate) group: u32,
    pub(crate) user: u32,
    pub(crate) then: Then,
    pub(crate) resolve: Kept,
    pub(crate) reject: Kept,
    /// Whether a ticker or a handler started the operation.
    pub(crate) background: bool,
    /// Stack of the call, if calls are traced.
    pub(crate) stack: Option<Box<str>>,
    place: usize,
}

/// A socket object of the script.
pub(crate) struct Socket {
    pub(crate) id: SocketId,
    pub(crate) group: u32,
    pub(crate) user: u32,
    /// Name under which the socket is measured.
    pub(crate) name: Arc<str>,
    pub(crate) open: bool,
    /// Key of the connection that carries the socket, if it has none of its own.
    pub(crate) connection: Option<u32>,
    pub(crate) on_message: Vec<Kept>,
    pub(crate) on_close: Vec<Kept>,
    /// On Socket.IO, the handlers, keyed by event name.
    pub(crate) on_event: Vec<(Box<str>, Kept)>,
}

/// A running `every`.
#[derive(Clone)]
pub(crate) struct Ticker {
    pub(crate) group: u32,
    pub(crate) user: u32,
    pub(crate) function: Kept,
}

/// All running work of one worker.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) groups: Slots<Group>,
    pub(crate) members: Slots<Member>,
    pub(crate) sockets: Slots<Socket>,
    ops: Slots<Op>,
    /// Number of further iterations whose calls are traced.
    to_trace: u32,
    /// Number of calls to trace in each of these iterations.
    calls_to_trace: u32,
    tickers: FxHashMap<TickerId, Ticker>,
    group_keys: FxHashMap<GroupId, u32>,
    socket_keys: FxHashMap<SocketId, u32>,
}

impl Work {
    /// Creates an instance without groups. Calls of the first iterations will be traced.
    pub(crate) fn new() -> Self {
        Self {
            to_trace: TRACED,
            calls_to_trace: TRACED_CALLS,
            ..Self::default()
        }
    }

    /// Traces all calls of the next iterations, because an iteration left calls in flight.
    pub(crate) fn trace_again(&mut self) {
        self.to_trace = TRACED;
        self.calls_to_trace = u32::MAX;
    }

    /// Adds a group with its users.
    pub(crate) fn add_group(&mut self, about: About, users: Vec<UserStart>) -> Option<u32> {
        let id = GroupId(about.id);
        let calls_to_trace = if self.to_trace > 0 {
            self.calls_to_trace
        } else {
            0
        };
        let key = self.groups.insert(Group {
            about,
            calls_to_trace,
            users: Vec::with_capacity(users.len()),
            ..Group::default()
        })?;
        self.to_trace = self.to_trace.saturating_sub(1);
        self.group_keys.insert(id, key);
        for user in users {
            if self.add_member(key, user).is_none() {
                self.remove_group(id);
                return None;
            }
        }
        Some(key)
    }

    pub(crate) fn group_id(&self, key: u32) -> Option<GroupId> {
        self.groups.get(key).map(|group| GroupId(group.about.id))
    }

    pub(crate) fn scenario_of(&self, id: GroupId) -> Option<usize> {
        let group = self.groups.get(*self.group_keys.get(&id)?)?;
        group.about.scenario
    }

    pub(crate) fn add_member(&mut self, group: u32, about: UserStart) -> Option<u32> {
        let key = self.members.insert(Member { group, about })?;
        self.groups.get_mut(group)?.users.push(key);
        Some(key)
    }

    pub(crate) fn add_op(
        &mut self,
        (group, user): (u32, u32),
        then: Then,
        (resolve, reject): (Kept, Kept),
        (background, stack): (bool, Option<Box<str>>),
    ) -> Option<OpId> {
        let place = self.groups.get(group)?.ops.len();
        let key = self.ops.insert(Op {
            group,
            user,
            then,
            resolve,
            reject,
            background,
            stack,
            place,
        })?;
        self.groups.get_mut(group)?.ops.push(key);
        Some(OpId(key))
    }

    /// Returns the group's pending operations, in no particular order.
    pub(crate) fn ops_of(&self, group: u32) -> impl Iterator<Item = &Op> {
        let group = self.groups.get(group);
        let ops = group.into_iter().flat_map(|group| &group.ops);
        ops.filter_map(|&op| self.ops.get(op))
    }

    pub(crate) fn take_op(&mut self, id: OpId) -> Option<Op> {
        let op = self.ops.remove(id.0)?;
        let group = self.groups.get_mut(op.group)?;
        group.ops.swap_remove(op.place);
        if let Some(&moved) = group.ops.get(op.place)
            && let Some(moved) = self.ops.get_mut(moved)
        {
            moved.place = op.place;
        }
        Some(op)
    }

    pub(crate) fn add_socket(&mut self, socket: Socket) -> Option<u32> {
        let (id, group) = (socket.id, socket.group);
        let key = self.sockets.insert(socket)?;
        self.groups.get_mut(group)?.sockets.push(key);
        self.socket_keys.insert(id, key);
        Some(key)
    }

    pub(crate) fn socket_key(&self, id: SocketId) -> Option<u32> {
        self.socket_keys.get(&id).copied()
    }

    /// Returns the key of the connection that carries a socket.
    pub(crate) fn connection_of(&self, id: SocketId) -> Option<u32> {
        self.sockets.get(self.socket_key(id)?)?.connection
    }

    /// Counts a new listener on a socket of the group, for which events may arrive.
    pub(crate) fn listening(&mut self, group: u32) {
        if let Some(group) = self.groups.get_mut(group) {
            group.listening += 1;
        }
    }

    /// Marks the socket as closed, so that no more events come from it. Returns its group, user and `close` handlers.
    pub(crate) fn close_socket(&mut self, key: u32) -> Option<(u32, u32, Vec<Kept>)> {
        let socket = self.sockets.get_mut(key)?;
        socket.open = false;
        let (group, user) = (socket.group, socket.user);
        let handlers = std::mem::take(&mut socket.on_close);
        let silenced = std::mem::take(&mut socket.on_message).len()
            + std::mem::take(&mut socket.on_event).len();
        self.socket_keys.remove(&socket.id);
        if let Some(group) = self.groups.get_mut(group) {
            group.listening = group.listening.saturating_sub(handlers.len() + silenced);
        }
        Some((group, user, handlers))
    }

    pub(crate) fn add_ticker(&mut self, id: TickerId, ticker: Ticker) {
        if let Some(group) = self.groups.get_mut(ticker.group) {
            group.tickers.push(id);
            self.tickers.insert(id, ticker);
        }
    }

    pub(crate) fn ticker(&self, id: TickerId) -> Option<Ticker> {
        self.tickers.get(&id).cloned()
    }

    /// Stops a ticker. Returns whether it was running.
    pub(crate) fn stop_ticker(&mut self, id: TickerId) -> bool {
        let Some(ticker) = self.tickers.remove(&id) else {
            return false;
        };
        if let Some(group) = self.groups.get_mut(ticker.group) {
            group.tickers.retain(|&other| other != id);
        }
        true
    }

    /// Removes a group with everything that belongs to it. Later events for the group are ignored. Returns the group's
    /// key if the prelude has state to release too.
    pub(crate) fn remove_group(&mut self, id: GroupId) -> Option<u32> {
        let key = self.group_keys.remove(&id)?;
        let group = self.groups.remove(key)?;
        for op in group.ops {
            self.ops.remove(op);
        }
        for ticker in group.tickers {
            self.tickers.remove(&ticker);
        }
        for socket in group.sockets {
            if let Some(socket) = self.sockets.remove(socket) {
                self.socket_keys.remove(&socket.id);
            }
        }
        for user in group.users {
            self.members.remove(user);
        }
        group.keeps_story.then_some(key)
    }

    /// Drops everything that belongs to the script engine. Required before the script engine is dropped.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.members.clear();
        self.sockets.clear();
        self.ops.clear();
        self.tickers.clear();
        self.group_keys.clear();
        self.socket_keys.clear();
    }
}
