//! Members of passive audiences that subscribe to subjects of NATS servers. The members on a worker share a connection if
//! they log in in the same way. Each has a subscription of its own, so the server sends each its own copy of a message.

use model::{Fault, Nanos};
use rand_pcg::Pcg64Mcg;
use script::host::{NatsMember, Payload, SubscribeCall};
use wire::nats::{Message, ServerError, Signal};

use super::arrival::MemberArrival;
use super::described::{Describe, Described};
use super::failing::{broke, closed, member_of};
use super::link::MemberLink;
use super::member::{First, MemberState, Ready};
use super::members::{Phase, SharedMember, SharedMembers};
use super::sharing::{fail_one, members_of, subscribe};
use super::state::Audiences;
use super::transport::MemberTransport;
use crate::base::Base;
use crate::dial::Opener;
use crate::nats::login::{identity_of, locate, login_of};
use crate::net::socket::Wire;
use crate::net::socket::nats::{NatsLink, NatsWire, Pong};
use crate::news::News;
use crate::recorder::Recorder;
use crate::socket::Came;

impl Describe for NatsMember {
    fn describe(
        self,
        base: &mut Base,
        _: Vec<Payload>,
        _: &mut Pcg64Mcg,
    ) -> Result<Described, Fault> {
        let Self { call, subscribe } = self;
        let (url, endpoint) = locate(&mut base.net.connector, call.url.as_deref())?;
        let shared = call.is_shared.then(|| identity_of(endpoint, &call, &url));
        let opener = Opener::Nats(Box::new(login_of(&call, &url, "(audience)")?));
        let limit = base.opening_limit(call.timeout);
        Ok(Described {
            first: First::Subscription(subscribe),
            ready: Ready::Confirmed,
            shared,
            ..Described::new(endpoint, opener, limit)
        })
    }
}

impl MemberTransport for NatsWire {
    /// The `sid` of a subscription is the number of its member.
    fn subscribe(
        &mut self,
        number: u32,
        call: &SubscribeCall,
        _: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let link = self.link_mut().zip(call.names.first());
        link.map_or(Ok(()), |(link, subject)| {
            let subject = String::from_utf8_lossy(subject);
            link.subscribe(number, &subject, None, None)
        })
    }

    fn carries_several(&self) -> bool {
        true
    }

    fn takes_subscriptions(&self) -> bool {
        self.link().is_some_and(NatsLink::is_connected)
    }

    fn received_for_several(base: &mut Base, key: u32, bytes: &[u8], at: Nanos) -> usize {
        received(base, key, bytes, at)
    }
}

/// What remains to be done after received bytes are handled. Until then, the connection is not in its link.
#[derive(Debug, Default)]
struct Remaining {
    is_connected: bool,
    starts_tls: bool,
    /// Members whose subscription the server refused.
    refused: Vec<(u32, Fault)>,
}

/// Handles received bytes. Returns the number of messages in them, including an incomplete last message.
fn received(base: &mut Base, key: u32, bytes: &[u8], at: Nanos) -> usize {
    let mut out = std::mem::take(&mut base.net.encoded);
    out.clear();
    let found = base.net.conns.get_mut(key).and_then(member_of);
    let Some((_, MemberLink::Shared(SharedMembers { wire, members, .. }))) = found else {
        base.inconsistent("the members on a connection are gone that received data");
        return 0;
    };
    let Some(link) = link_in(wire) else {
        base.inconsistent("the members on a connection use another protocol than its data");
        return 0;
    };
    let Some(mut connection) = link.take() else {
        base.inconsistent("the connection of an audience is gone that received data");
        return 0;
    };
    let mut arrival = Arrival {
        now: at,
        link,
        members,
        audiences: &mut base.level.audience,
        recorder: &mut base.level.recorder,
        state: MemberState::default(),
        remaining: Remaining::default(),
    };
    let mut messages = 0;
    let outcome = connection.on_bytes(bytes, &mut out, &mut |signal| {
        messages += 1;
        arrival.signal(&signal);
    });
    messages += usize::from(connection.holds_a_part());
    let sent = connection.send(&out);
    let remaining = arrival.remaining;
    link.put_back(connection);
    base.net.encoded = out;
    // The first fault counts, because a failed send is often only its consequence.
    match outcome.and(sent) {
        Err(fault) => broke(base, key, &fault),
        Ok(()) => finish(base, key, remaining),
    }
    messages
}

/// Does what remains after received bytes were handled.
fn finish(base: &mut Base, key: u32, remaining: Remaining) {
    let Remaining {
        is_connected,
        starts_tls,
        mut refused,
    } = remaining;
    let Some(members) = members_of(base, key) else {
        return base.inconsistent("the members on a connection are gone whose data was handled");
    };
    if is_connected {
        for number in members.waiting(|_| true) {
            if let Err(fault) = subscribe(members, number) {
                refused.push((number, fault));
            }
        }
    }
    if members.wire.is_done() {
        return closed(base, key);
    }
    if starts_tls {
        match start_tls(base, key) {
            Ok(()) => base.tell(News::Added(key)),
            Err(fault) => broke(base, key, &fault),
        }
    }
    for (number, fault) in refused {
        fail_one(base, key, number, &fault);
    }
}

fn link_in(wire: &mut Wire) -> Option<&mut NatsLink> {
    match wire {
        Wire::Nats(nats) => nats.link_mut(),
        _ => None,
    }
}

fn start_tls(base: &mut Base, key: u32) -> Result<(), Fault> {
    let net = &mut base.net;
    let Some(conn) = net.conns.get_mut(key) else {
        return Ok(());
    };
    let (settings, name) = net.connector.tls_of(conn.endpoint);
    match member_of(conn) {
        Some((_, MemberLink::Shared(members))) => {
            link_in(&mut members.wire).map_or(Ok(()), |link| link.start_tls(settings, name))
        }
        _ => Ok(()),
    }
}

/// Bytes that were just read from a connection to a NATS server.
struct Arrival<'a> {
    /// The receive time of the bytes.
    now: Nanos,
    link: &'a mut NatsLink,
    members: &'a mut Vec<SharedMember>,
    audiences: &'a mut Audiences,
    recorder: &'a mut Recorder,
    /// The state of members that listen, who all have the same.
    state: MemberState,
    remaining: Remaining,
}

impl Arrival<'_> {
    fn signal(&mut self, signal: &Signal<'_>) {
        match signal {
            Signal::Message(message) => self.message(message),
            Signal::Connected(_) => self.remaining.is_connected = true,
            Signal::Pong => self.pong(),
            Signal::StartTls => self.remaining.starts_tls = true,
            Signal::Refused(error) => self.refused(error),
            Signal::Changed(_) | Signal::Alive | Signal::Ok => {}
        }
    }

    /// Passes a message to the member of its subscription. The member may have failed in the meantime.
    fn message(&mut self, message: &Message<'_>) {
        let number = usize::try_from(message.sid).unwrap_or(usize::MAX);
        let Some(SharedMember {
            id,
            phase: Phase::Listening,
        }) = self.members.get(number)
        else {
            return;
        };
        let mut arrival = MemberArrival {
            slot: id.slot,
            run: self.audiences.run,
            now: self.now,
            shard: &mut self.audiences.shards[id.audience],
            tallies: &self.audiences.tallies,
            state: &mut self.state,
            recorder: self.recorder,
            says: Vec::new(),
            fault: None,
        };
        arrival.message(Came::message(message.payload));
    }

    /// The server has confirmed a subscription, unless it has refused it before.
    fn pong(&mut self) {
        let Some(Pong::Subscribed(number)) = self.link.ponged() else {
            return;
        };
        let is_refused = self.remaining.refused.iter().any(|(it, _)| *it == number);
        let Some(member) = self
            .members
            .get_mut(number as usize)
            .filter(|_| !is_refused)
        else {
            return;
        };
        if let Phase::Opening(_) = member.phase {
            member.phase = Phase::Listening;
            self.audiences.shards[member.id.audience].listen(member.id.slot);
        }
    }

    /// The server answers in order, so an error belongs to the subscription that it has not confirmed.
    fn refused(&mut self, error: &ServerError<'_>) {
        if let Some(Pong::Subscribed(number)) = self.link.next_pong() {
            self.remaining.refused.push((number, error.fault()));
        }
    }
}
