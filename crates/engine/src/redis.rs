//! Redis: connects users to Redis servers, sends their commands and passes the replies on. A connection is a socket on
//! which only commands can be sent, so it shares the opening, the time limits and the end of sockets. `subscription`
//! handles published messages.

mod aftermath;
mod cluster;
mod command;
mod handler;
mod key;
mod published;
mod received;
mod redirected;
mod server;
mod subscription;
mod trace;
mod value;

use std::rc::Rc;

use model::{Fault, FaultKind, Nanos, UserId};
use script::host::{
    CommandsCall, OpId, RedisCall, RedisError, RedisServer, RedisValue, SocketId, Value, Wake,
};
use wire::resp;

use crate::dial::Opener;
use crate::net::socket::redis::{Cluster, Redis as RedisLink, RedisWire};
use crate::net::socket::{Detachable, Wire};
use crate::recorder::{Ending, Family};
use crate::socket::{
    Opening, Own, RoundTrip, SocketKind, SocketLink, SocketState, Sockets, Waiting, Wanted,
};

use aftermath::Aftermath;
use command::{Batch, Command, carried_by, command_in};
pub(crate) use handler::Redis;
pub(crate) use published::{Published, source_kind};
use redirected::{Redirected, redirect_in};
pub(crate) use server::of_call as redis_login;
use value::owned;

/// Commands for a server or a cluster.
const CONNECTION: SocketKind = SocketKind::new("connection", "connection to the Redis server");
/// The messages of a subscription.
const SUBSCRIPTION: SocketKind = SocketKind::new("subscription", "Redis subscription");

/// The name under which replies are counted whose commands had timed out.
const LATE: &str = "late reply of the Redis server";

impl Redis<'_> {
    pub(crate) fn start(&mut self, op: OpId, user: UserId, call: RedisCall) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let (url, login) = server::of_call(&call, self.base.net.connector.target())?;
        self.base.trace(user, || trace::connecting(&url));
        let limit = self.base.opening_limit(call.timeout);
        let opening = Opening::new(Some(op), call.planned.unwrap_or(now), now, limit);
        let state = SocketState {
            opening: Some(opening),
            name: call.name.unwrap_or_else(|| server::address_in(&url)),
            purpose: CONNECTION.into(),
            ..SocketState::default()
        };
        if call.cluster {
            return self.start_cluster(user, (&url, login), state);
        }
        let endpoint = self.base.net.connector.endpoint_of(&url)?;
        Sockets { base: self.base }.dial((user, endpoint), Opener::Redis(Box::new(login)), state);
        Ok(())
    }

    /// The connection, if this socket is one to a Redis server.
    fn redis(&mut self, key: u32) -> Option<&mut RedisLink> {
        match &mut self.base.socket(SocketId(key)).ok()?.1.wire {
            Wire::Redis(RedisWire::Connection(redis)) => redis.get_mut(),
            _ => None,
        }
    }

    /// The cluster and its state, if this socket is one.
    fn cluster(&mut self, key: u32) -> Option<(UserId, &mut Cluster, &mut SocketState)> {
        let (user, SocketLink { wire, state }) = self.base.socket(SocketId(key)).ok()?;
        match wire {
            Wire::Redis(RedisWire::Cluster(cluster)) => Some((user, cluster, state)),
            _ => None,
        }
    }

    pub(crate) fn server_of(&mut self, id: SocketId) -> Option<RedisServer> {
        let server = match &self.base.socket(id).ok()?.1.wire {
            Wire::Redis(RedisWire::Connection(redis)) => &redis.get()?.server,
            Wire::Redis(RedisWire::Cluster(cluster)) => &cluster.server,
            _ => return None,
        };
        Some(RedisServer {
            version: server.version.clone(),
            mode: server.mode.clone(),
            role: server.role.clone(),
        })
    }

    pub(crate) fn start_commands(
        &mut self,
        op: OpId,
        id: SocketId,
        call: &CommandsCall,
    ) -> Result<(), Fault> {
        if self.cluster(id.0).is_some() {
            return self.start_routed(op, id, call);
        }
        // Take the start time before the send, so that the round trip includes the time of writing.
        let now = self.base.clock.now();
        let commands = words_of(call);
        let mut scratch = std::mem::take(&mut self.base.net.encoded);
        let mut first = 0;
        let sent = Sockets { base: self.base }.send_with_stamps(id, call.planned, |socket| {
            first = redis_of(socket)?.send(&mut scratch, &commands)?;
            Ok(())
        });
        self.base.net.encoded = scratch;
        let carried = sent?;
        let (user, _) = self.base.socket(id)?;
        let waiting = self.waiting_for(op, call, now);
        for ((token, mut waiting), words) in (first..).zip(waiting).zip(&commands) {
            self.base.trace(user, || trace::command(words));
            waiting.carries = carried_by(words, &carried, commands.len());
            if let Some(command) = command_in(&mut waiting) {
                command.token = token;
            }
            self.base.net.watch_limit(waiting.until);
            self.base.socket(id)?.1.state.waiting.push_back(waiting);
        }
        Ok(())
    }

    /// The waits for the replies to commands that are sent now.
    fn waiting_for(&mut self, op: OpId, call: &CommandsCall, now: Nanos) -> Vec<Waiting> {
        let limit = call
            .timeout
            .unwrap_or(self.base.config.options.timeouts.total);
        let batch = Batch::of(call).map(Rc::new);
        let recorder = &mut self.base.level.recorder;
        let commands = call.commands.iter().enumerate();
        let waiting = commands.map(|(index, command)| Waiting {
            op,
            until: now + limit,
            limit,
            wanted: Wanted::Own(Own::Redis(Command {
                index,
                batch: batch.clone(),
                ..Command::default()
            })),
            round_trip: Some(RoundTrip {
                name: recorder.name(Family::RoundTrip, &command.name),
                planned: call.planned.unwrap_or(now),
                started: now,
            }),
            carries: Vec::new(),
            in_array: false,
        });
        waiting.collect()
    }

    fn redis_place(&mut self, key: u32) -> Option<&mut Detachable<RedisLink>> {
        match &mut self.base.socket(SocketId(key)).ok()?.1.wire {
            Wire::Redis(RedisWire::Connection(redis)) => Some(redis),
            _ => None,
        }
    }

    /// Does what is left to do after the bytes of a connection have been handled.
    fn settle(&mut self, key: u32, mut left: Aftermath) {
        if let Some(cluster) = left.node_of.take() {
            self.node_is_open(cluster, key);
        }
        if let Some(slots) = left.slots.take() {
            self.slots_arrived(key, slots);
        }
        self.settle_subscriptions(left);
    }

    /// Handles a connection that the server has accepted. Returns the cluster to which it belongs.
    fn redis_connected(&mut self, key: u32, now: Nanos) -> Option<u32> {
        let opened = self.base.socket(SocketId(key)).ok();
        let opened = opened.and_then(|(user, socket)| {
            let opening = socket.state.opening.take()?;
            Some((user, opening, socket.state.purpose.serves))
        });
        let Some((user, opening, cluster)) = opened else {
            self.base
                .inconsistent("a Redis connection opened that is not being opened");
            return None;
        };
        self.base.trace(user, || trace::OPENED.to_owned());
        self.base
            .count_opening(key, opening, now, Ending::Answered { failed: false });
        self.base.wakes.extend(opening.op.map(|op| Wake::Done {
            op,
            result: Ok(Value::Socket(SocketId(key), None)),
        }));
        cluster
    }

    /// Takes the command whose response has arrived. `None` if its time limit had passed: then counts the late response,
    /// which nobody awaits any more.
    fn take_command(&mut self, key: u32, token: u64, now: Nanos) -> Option<(UserId, Waiting)> {
        let Ok((user, socket)) = self.base.socket(SocketId(key)) else {
            self.base
                .inconsistent("a Redis connection that is not in the table replied");
            return None;
        };
        // Responses arrive in the order of the commands, so only the first command can be meant.
        let its = |waiting: &mut Waiting| command_in(waiting).is_some_and(|its| its.token == token);
        let waiting = socket.state.waiting.pop_front_if(its);
        if waiting.is_none() {
            self.base.level.count_late_reply(user, LATE, now);
        }
        Some((user, waiting?))
    }

    /// Handles the reply to a command. Returns the command if the reply redirects it.
    fn redis_replied(
        &mut self,
        key: u32,
        token: u64,
        reply: &resp::Value<'_>,
        now: Nanos,
    ) -> Option<Redirected> {
        let (user, mut waiting) = self.take_command(key, token, now)?;
        self.base.trace(user, || trace::reply(reply));
        if let Some(redirect) = redirect_in(reply, &mut waiting) {
            return Some(Redirected::new(waiting, redirect));
        }
        let (index, batch) = match command_in(&mut waiting) {
            Some(command) => (command.index, command.batch.take()),
            None => (0, None),
        };
        let is_pipeline = batch.as_ref().is_some_and(|batch| batch.is_pipeline());
        let reply = if let resp::Value::Error(error) = reply {
            let expected = batch
                .as_ref()
                .is_some_and(|batch| batch.expects(error.code()));
            let error = self.error_reply((key, user), &waiting, error, (expected, now));
            if expected || is_pipeline {
                Ok(RedisValue::Error(error))
            } else {
                Err(error)
            }
        } else {
            self.count_reply(key, &waiting, now);
            Ok(owned(reply))
        };
        let whole = match (batch, reply) {
            (Some(batch), Ok(value)) if is_pipeline => batch.complete(index, value),
            (_, reply) => Some(reply.map_or_else(Value::from, Value::from)),
        };
        self.base.wakes.extend(whole.map(|value| Wake::Done {
            op: waiting.op,
            result: Ok(value),
        }));
        None
    }

    /// Counts an error reply, which is a failure unless the script expects it.
    fn error_reply(
        &mut self,
        (key, user): (u32, UserId),
        waiting: &Waiting,
        error: &resp::ErrorReply<'_>,
        (expected, now): (bool, Nanos),
    ) -> RedisError {
        let (code, fault) = (error.code().to_owned(), error.fault());
        if expected {
            self.count_reply(key, waiting, now);
        } else {
            let ending = Ending::Answered { failed: true };
            self.base
                .count_broken_round_trip(user, waiting, &fault, (now, ending));
        }
        self.refuse_stamps(user, waiting);
        RedisError { code, fault }
    }

    /// The server did not execute the command, so the deliveries of its stamps are not awaited.
    fn refuse_stamps(&mut self, user: UserId, waiting: &Waiting) {
        if let Some((group, ..)) = self
            .base
            .level
            .group_of(user)
            .filter(|_| !waiting.carries.is_empty())
        {
            for sent in &waiting.carries {
                group.ledger.refuse(*sent);
            }
        }
    }

    fn count_reply(&mut self, key: u32, waiting: &Waiting, now: Nanos) {
        if let Some((_, mut arrival, _)) = self.base.arrival(key, now) {
            arrival.answered(waiting);
        }
    }
}

/// The connection of a socket on which the script sends commands.
fn redis_of(socket: &mut SocketLink) -> Result<&mut RedisLink, Fault> {
    let other = || Fault::script(FaultKind::Thrown, "this socket is not a Redis connection");
    match &mut socket.wire {
        Wire::Redis(RedisWire::Connection(redis)) => redis.get_mut().ok_or_else(other),
        _ => Err(other()),
    }
}

fn words_of(call: &CommandsCall) -> Vec<Vec<&[u8]>> {
    let commands = call.commands.iter();
    commands
        .map(|one| one.words.iter().map(Vec::as_slice).collect())
        .collect()
}
