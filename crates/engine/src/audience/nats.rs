//! Members of passive audiences that subscribe to subjects of NATS servers. The members on a worker share a connection if
//! they log in in the same way. Each has a subscription of its own, so the server sends each its own copy of a message.

use model::{Fault, Nanos};
use wire::nats::{Message, ServerError, Signal};

use super::arrival::MemberArrival;
use super::connecting::connect;
use super::failing::{broke, closed, fail, member_of};
use super::link::MemberLink;
use super::member::MemberState;
use super::nats_members::{NatsMember, NatsMembers, Phase};
use super::state::Audiences;
use crate::base::Base;
use crate::dial::MemberDial;
use crate::nats::login::SharedLogin;
use crate::net::socket::{NatsLink, Pong};
use crate::news::News;
use crate::owner::MemberId;
use crate::recorder::Recorder;
use crate::socket::Came;

/// What remains to be done after received bytes are handled. Until then, the connection is not in its link.
#[derive(Debug, Default)]
struct Remaining {
    is_connected: bool,
    starts_tls: bool,
    /// Members whose subscription the server refused.
    refused: Vec<(u32, Fault)>,
}

/// Adds a member to the connection that it shares. Opens the connection for its first member, at once.
pub(super) fn share(base: &mut Base, dial: MemberDial, login: SharedLogin) {
    let MemberDial { member, state, .. } = dial;
    if let Some(key) = find(base, &login) {
        return join(base, key, member, state);
    }
    match connect(base, MemberDial { state, ..dial }) {
        Ok(key) => {
            let known = &mut base.level.audience.nats;
            known.retain(|(known, _)| *known != login);
            known.push((login, key));
            base.tell(News::Added(key));
        }
        Err((member, fault)) => fail(base, member, &fault),
    }
}

/// The connection with this login, unless it has ended.
fn find(base: &mut Base, login: &SharedLogin) -> Option<u32> {
    let mut known = base.level.audience.nats.iter();
    let key = known
        .find(|(known, _)| known == login)
        .map(|(_, key)| *key)?;
    members_of(base, key).map(|_| key)
}

/// Adds a member to a connection.
fn join(base: &mut Base, key: u32, member: MemberId, state: MemberState) {
    let Some(mut opening) = state.opening else {
        return base.inconsistent("a member of an audience joined a connection twice");
    };
    opening.begin(base);
    let Some(members) = members_of(base, key) else {
        return base.inconsistent("a member of an audience joined a connection that is gone");
    };
    let number = members.add(member, opening);
    if members.link.is_connected() {
        if let Err(fault) = members.subscribe(number) {
            fail_one(base, key, number, &fault);
        }
        base.net.update_interest(key);
    }
}

fn members_of(base: &mut Base, key: u32) -> Option<&mut NatsMembers> {
    match base.net.conns.get_mut(key).and_then(member_of) {
        Some((_, MemberLink::Nats(members))) => Some(members),
        _ => None,
    }
}

/// Handles received bytes. Returns the number of messages in them, including an incomplete last message.
pub(super) fn received(base: &mut Base, key: u32, bytes: &[u8], at: Nanos) -> usize {
    let mut out = std::mem::take(&mut base.net.encoded);
    out.clear();
    let found = base.net.conns.get_mut(key).and_then(member_of);
    let Some((_, MemberLink::Nats(NatsMembers { link, members, .. }))) = found else {
        base.inconsistent("the members on a connection are gone that received data");
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
            if let Err(fault) = members.subscribe(number) {
                refused.push((number, fault));
            }
        }
    }
    if members.link.is_closed() {
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

fn start_tls(base: &mut Base, key: u32) -> Result<(), Fault> {
    let net = &mut base.net;
    let Some(conn) = net.conns.get_mut(key) else {
        return Ok(());
    };
    let (settings, name) = net.connector.tls_of(conn.endpoint);
    match member_of(conn) {
        Some((_, MemberLink::Nats(members))) => members.link.start_tls(settings, name),
        _ => Ok(()),
    }
}

/// Handles a connection of which members did not listen in time.
pub(super) fn timed_out(base: &mut Base, key: u32, now: Nanos) {
    let Some(members) = members_of(base, key) else {
        return base.inconsistent("the members on a connection are gone that timed out");
    };
    for number in members.waiting(|opening| opening.until <= now) {
        let Some(members) = members_of(base, key) else {
            // The connection ended with its last member.
            return;
        };
        let Phase::Opening(opening) = &members.members[number as usize].phase else {
            continue;
        };
        let fault = opening.took_too_long();
        fail_one(base, key, number, &fault);
    }
}

/// Counts the failure of one member. The connection ends with its last member.
fn fail_one(base: &mut Base, key: u32, number: u32, fault: &Fault) {
    let now = base.clock.now();
    let Some(members) = members_of(base, key) else {
        // The connection broke, and all its members with it.
        return;
    };
    let failed = members.take(number);
    let is_last = members.left == 0;
    let level = &mut base.level;
    if let Some(member) = failed {
        level.audience.fail(&mut level.recorder, member, now, fault);
    }
    if is_last {
        base.net.remove(key);
    }
}

/// Bytes that were just read from a connection to a NATS server.
struct Arrival<'a> {
    /// The receive time of the bytes.
    now: Nanos,
    link: &'a mut NatsLink,
    members: &'a mut Vec<NatsMember>,
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
        let Some(NatsMember {
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
