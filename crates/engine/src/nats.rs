//! NATS for users: connects, publishes, subscribes and sends requests. `received` handles what the connections receive, and
//! `shared` are connections of several users.
//!
//! A connection is a socket whose messages are the replies to requests. Each subscription on it is a socket without a
//! stream, so that channels, `next`, handlers and the inbox work as on every socket.

mod awaited;
mod ending;
mod handler;
pub(crate) mod login;
mod received;
mod shared;
mod trace;

use model::{Fault, FaultKind, Nanos, UserId};
use script::host::{
    ConsumerCall, FetchCall, NatsCall, NatsRequest, NatsServer, NatsSubscribeCall, OpId,
    Publication, SocketId,
};
use wire::nats::jetstream::Api;

use crate::base::Base;
use crate::dial::Opener;
use crate::link::Link;
use crate::net::socket::Wire;
use crate::net::socket::nats::{Inbox, NatsLink, NatsSubscription, NatsWire, Pong, Pulls};
use crate::recorder::Family;
use crate::socket::{
    Opening, Own, RoundTrip, SocketKind, SocketLink, SocketState, Sockets, Wanted,
};

use awaited::Expected;
pub(crate) use handler::Nats;
use login::{locate, login_of};

/// Requests, and subscriptions on the connection.
const CONNECTION: SocketKind = SocketKind::new("nats", "NATS connection");
/// The same, on a connection that several users share.
const SHARED: SocketKind = SocketKind {
    is_carried: true,
    ..CONNECTION
};
/// The messages of a subscription.
const SUBSCRIPTION: SocketKind = SocketKind {
    is_carried: true,
    ..SocketKind::new("nats", "NATS subscription")
};

/// A connection as one of its users sees it.
#[derive(Clone, Copy)]
struct View {
    user: UserId,
    /// The socket with the stream.
    connection: SocketId,
}

impl Nats<'_> {
    pub(crate) fn open(&mut self, op: OpId, user: UserId, call: &NatsCall) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let (url, endpoint) = locate(&mut self.base.net.connector, call.url.as_deref())?;
        self.base.trace(user, || trace::opening(&url));
        let limit = self.base.opening_limit(call.timeout);
        let opening = Opening::new(Some(op), call.planned.unwrap_or(now), now, limit);
        let state = SocketState {
            opening: Some(opening),
            name: call.name.clone(),
            purpose: CONNECTION.into(),
            ..SocketState::default()
        };
        if call.is_shared {
            return shared::open(self.base, (user, endpoint), call, &url, (state, opening));
        }
        let name = self
            .base
            .level
            .users
            .get(user)
            .map(|user| user.name.to_string());
        let login = login_of(call, &url, name.as_deref().unwrap_or_default())?;
        Sockets { base: self.base }.dial((user, endpoint), Opener::Nats(Box::new(login)), state);
        Ok(())
    }

    pub(crate) fn server(&mut self, id: SocketId) -> Option<NatsServer> {
        let view = view_of(self.base, id).ok()?;
        let info = link_of(self.base, view.connection).ok()?.info()?;
        Some(NatsServer {
            id: info.server_id.clone(),
            version: info.version.clone(),
            max_payload: info.max_payload,
            jetstream: info.jetstream,
        })
    }

    /// The stamps that the user has made are sent with the message.
    pub(crate) fn publish(
        &mut self,
        id: SocketId,
        message: &Publication,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        let headers: Vec<(&str, &str)> = message
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let subjects = (message.subject.as_str(), message.reply.as_deref());
        let View { user, connection } = view_of(self.base, id)?;
        self.base.with_stamps(user, planned, |base| {
            let mut out = std::mem::take(&mut base.net.encoded);
            let sent = link_of(base, connection).and_then(|link| {
                link.publish(&mut out, subjects, &headers, message.payload.bytes())
            });
            base.net.encoded = out;
            base.net.update_interest(connection.0);
            sent
        })?;
        self.base.trace(user, || trace::published(message));
        Ok(())
    }

    pub(crate) fn request(
        &mut self,
        op: OpId,
        id: SocketId,
        call: NatsRequest,
    ) -> Result<(), Fault> {
        // Take the start time before the send, so that the round trip includes the time of writing.
        let started = self.base.clock.now();
        let NatsRequest {
            name,
            mut message,
            is_jetstream,
            timeout,
            planned,
        } = call;
        let view = view_of(self.base, id)?;
        let mut out = Vec::new();
        let (number, reply) = inbox_of(self.base, id)?.next_request(&mut out, id.0)?;
        link_of(self.base, view.connection)?.send(&out)?;
        message.reply = Some(reply);
        self.publish(id, &message, planned)?;
        let round_trip = RoundTrip {
            name: self.base.level.recorder.name(Family::RoundTrip, &name),
            planned: planned.unwrap_or(started),
            started,
        };
        let wanted = Wanted::Own(Own::Nats(Expected::Reply {
            number,
            is_jetstream,
        }));
        Sockets { base: self.base }.wait_for(op, id, wanted, timeout, Some(round_trip))
    }

    pub(crate) fn subscribe(
        &mut self,
        op: OpId,
        id: SocketId,
        call: NatsSubscribeCall,
    ) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let limit = call
            .timeout
            .unwrap_or(self.base.config.options.timeouts.total);
        let opening = Opening::new(Some(op), now, now, limit);
        let View { user, connection } = view_of(self.base, id)?;
        let (subject, pulls) = match &call.consumer {
            Some(consumer) => {
                let pulls = pulls_of(consumer)?;
                (inbox_of(self.base, id)?.next_consumer(), Some(pulls))
            }
            None => (call.subject, None),
        };
        let (_, socket) = self.base.socket(id)?;
        let state = SocketState {
            opening: Some(opening),
            name: socket.state.name.clone(),
            purpose: SUBSCRIPTION.into(),
            ..SocketState::default()
        };
        let subscription = NatsSubscription::new(connection.0, subject.clone(), call.max, pulls);
        let wire = Wire::Nats(NatsWire::Subscription(Box::new(subscription)));
        let key = admit_carried(self.base, View { user, connection }, wire, state)?;
        let link = link_of(self.base, connection)?;
        if let Err(fault) = link.subscribe(key, &subject, call.queue.as_deref(), call.max) {
            self.base.take_out(key);
            return Err(fault);
        }
        if let Some(owner) = self.base.level.users.get(user) {
            owner.sockets.push(key);
        }
        if let Ok((_, socket)) = self.base.socket(id)
            && let Wire::Nats(NatsWire::Shared(shared)) = &mut socket.wire
        {
            shared.subscriptions.insert(key);
        }
        self.base.net.update_interest(connection.0);
        self.base.trace(user, || format!("→ subscribe {subject}"));
        Ok(())
    }

    pub(crate) fn fetch(&mut self, op: OpId, id: SocketId, call: FetchCall) -> Result<(), Fault> {
        let FetchCall { count, timeout } = call;
        let no_consumer = || {
            let detail = "this subscription does not belong to a consumer";
            Fault::script(FaultKind::Thrown, detail)
        };
        let (_, socket) = self.base.socket(id)?;
        let Wire::Nats(NatsWire::Subscription(subscription)) = &socket.wire else {
            return Err(no_consumer());
        };
        let pulls = subscription.pulls.as_ref().ok_or_else(no_consumer)?;
        let connection = SocketId(subscription.connection);
        let mut out = Vec::new();
        pulls.request(&mut out, &subscription.subject, (count, timeout))?;
        link_of(self.base, connection)?.send(&out)?;
        self.base.net.update_interest(connection.0);
        let wanted = Wanted::Own(Own::Nats(Expected::Messages {
            missing: count,
            messages: Vec::new(),
        }));
        // The server ends the request. This limit is for a server that does not.
        let limit = timeout + self.base.config.options.timeouts.total;
        Sockets { base: self.base }.wait_for(op, id, wanted, Some(limit), None)
    }

    pub(crate) fn flush(&mut self, op: OpId, id: SocketId) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let view = view_of(self.base, id)?;
        link_of(self.base, view.connection)?.ping(Pong::Flushed(id.0))?;
        self.base.socket(id)?.1.state.pings.push_back((op, now));
        self.base.net.update_interest(view.connection.0);
        Ok(())
    }
}

/// Adds a socket without a stream, which the connection of the view carries. The caller adds its key to the connection and
/// to the user.
fn admit_carried(
    base: &mut Base,
    view: View,
    wire: Wire,
    state: SocketState,
) -> Result<u32, Fault> {
    let until = state.opening.map(|opening| opening.until);
    let link = Link::Socket(Box::new(SocketLink { wire, state }));
    let endpoint = base.endpoint_of(view.connection)?;
    let key = base.admit(view.user, endpoint, link)?;
    base.net.watch_limit(until.unwrap_or(Nanos::MAX));
    Ok(key)
}

/// The connection of this socket, which has a stream or shares that of another.
fn view_of(base: &mut Base, id: SocketId) -> Result<View, Fault> {
    let (user, socket) = base.socket(id)?;
    let connection = match &socket.wire {
        Wire::Nats(NatsWire::Connection(_)) => id,
        Wire::Nats(NatsWire::Shared(shared)) => SocketId(shared.connection),
        _ => return Err(no_nats()),
    };
    Ok(View { user, connection })
}

/// The inbox of this socket.
fn inbox_of(base: &mut Base, id: SocketId) -> Result<&mut Inbox, Fault> {
    let (_, socket) = base.socket(id)?;
    let inbox = match &mut socket.wire {
        Wire::Nats(nats) => nats.inbox_mut(),
        _ => None,
    };
    inbox.ok_or_else(no_nats)
}

/// The link of a socket with a stream.
fn link_of(base: &mut Base, connection: SocketId) -> Result<&mut NatsLink, Fault> {
    let (_, socket) = base.socket(connection)?;
    match &mut socket.wire {
        Wire::Nats(NatsWire::Connection(link)) => Ok(link),
        _ => Err(no_nats()),
    }
}

fn no_nats() -> Fault {
    let detail = "this socket is not a connection to a NATS server";
    Fault::script(FaultKind::Thrown, detail)
}

/// The requests for the messages of a consumer.
fn pulls_of(consumer: &ConsumerCall) -> Result<Pulls, Fault> {
    let subject = Api::default().next(&consumer.stream, &consumer.name)?;
    let pulls = Pulls::new(subject, consumer.batch, consumer.acknowledges);
    Ok(pulls)
}
