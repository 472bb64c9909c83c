//! Handles received data, and the end of the members' connections.

use model::{Fault, Nanos};
use script::host::Payload;

use super::arrival::MemberArrival;
use super::events::http2::{self, MemberHttp2};
use super::events::streamed;
use super::failing::{broke, closed, member_of};
use super::link::{MemberLink, OwnLink};
use super::member::{First, Ready};
use super::sharing;
use super::transport::MemberTransport as _;
use crate::base::Base;
use crate::net::http2::check_agreed;
use crate::net::socket::Wire;

macro_rules! define_received_for_several {
    ($d:tt $($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        /// Passes bytes to the protocol of a connection that several members use.
        macro_rules! received_for_several {
            ($d wire:expr, $d($d argument:expr),*) => {
                match $d wire {
                    $(Wire::$name(_) => <$wire>::received_for_several($d($d argument),*),)*
                }
            };
        }
    };
}
with_protocols!(define_received_for_several $);

/// Continues to open a connection whose stream has opened.
pub(crate) fn opened(base: &mut Base, key: u32) -> Result<(), Fault> {
    match base.net.conns.get_mut(key).and_then(member_of) {
        Some((_, MemberLink::Shared(members))) => members.wire.on_open(&mut base.net.encoded),
        Some((_, MemberLink::Own(own))) => {
            let http2 = own.http2.as_ref();
            http2.map_or(Ok(()), |http2| check_agreed(http2.stream()))
        }
        None => Ok(()),
    }
}

/// Handles received bytes. Returns the number of messages in them, including an incomplete last message.
pub(crate) fn received(base: &mut Base, key: u32, bytes: &[u8], at: Nanos) -> usize {
    match base.net.conns.get_mut(key).and_then(member_of) {
        Some((_, MemberLink::Own(_))) => received_by_one(base, key, bytes, at),
        Some((_, MemberLink::Shared(members))) => {
            received_for_several!(members.wire, base, key, bytes, at)
        }
        None => {
            base.inconsistent("a member of an audience that is not in the table received data");
            0
        }
    }
}

fn received_by_one(base: &mut Base, key: u32, bytes: &[u8], at: Nanos) -> usize {
    let found = base.net.conns.get_mut(key).and_then(member_of);
    let Some((member, MemberLink::Own(OwnLink { wire, http2, state }))) = found else {
        base.inconsistent("a member of an audience without a connection received data");
        return 0;
    };
    let level = &mut base.level;
    let mut arrival = MemberArrival {
        slot: member.slot,
        run: level.audience.run,
        now: at,
        shard: &mut level.audience.shards[member.audience],
        tallies: &level.audience.tallies,
        state,
        recorder: &mut level.recorder,
        says: Vec::new(),
        fault: None,
    };
    let (mut messages, fed) = feed((wire, http2), bytes, &mut arrival);
    let MemberArrival { says, fault, .. } = arrival;
    messages += usize::from(wire.holds_a_part());
    let mut result = fed.and(fault.map_or(Ok(()), Err));
    result = result.and_then(|()| says.iter().try_for_each(|text| wire.send_text(text)));
    if let Some(mut opening) = state.opening.take_if(|opening| opening.is_open) {
        let first = std::mem::take(&mut opening.first);
        let out = &mut base.net.encoded;
        result = result.and_then(|()| send(first, wire, out));
        // Without a message that says so, the member listens as soon as the connection is open.
        state.opening = (!matches!(opening.ready, Ready::Open)).then_some(opening);
    }
    let is_over = wire.is_done() || state.close.is_some();
    let dead_at = state.dead_at();
    base.net.watch_limit(dead_at);
    match result {
        Err(fault) => broke(base, key, &fault),
        Ok(()) if is_over => closed(base, key),
        Ok(()) => {}
    }
    messages
}

/// Sends what a member sends first, on its own connection. Uses `out` to encode.
fn send(first: First, wire: &mut Wire, out: &mut Vec<u8>) -> Result<(), Fault> {
    match first {
        First::Messages(messages) => messages.iter().try_for_each(|message| match message {
            Payload::Text(text) => wire.send_text(text),
            Payload::Binary(bytes) => wire.send_binary(bytes),
        }),
        First::Subscription(call) => on_wire!(wire, it => it.subscribe(0, &call, out)),
    }
}

/// Passes bytes to the protocol. Returns the number of messages in them, and the fault that ends the connection.
fn feed(
    (wire, http2): (&mut Wire, &mut Option<MemberHttp2>),
    bytes: &[u8],
    arrival: &mut MemberArrival<'_>,
) -> (usize, Result<(), Fault>) {
    let Some(http2) = http2 else {
        return on_wire!(wire, it => it.hear(bytes, arrival));
    };
    let mut messages = 0;
    let outcome = http2::feed(http2, bytes, wire, &mut |signal| {
        messages += 1;
        streamed(arrival, signal);
    });
    (messages.max(1), outcome)
}

/// Handles a connection of which a member did not listen in time.
pub(crate) fn timed_out(base: &mut Base, key: u32, now: Nanos) {
    match base.net.conns.get_mut(key).and_then(member_of) {
        Some((_, MemberLink::Own(own))) => {
            if let Some(fault) = own.state.timed_out(now) {
                broke(base, key, &fault);
            }
        }
        Some((_, MemberLink::Shared(_))) => sharing::timed_out(base, key, now),
        None => base.inconsistent("a member of an audience that timed out does not exist"),
    }
}

/// Closes all connections of the audiences at the end of a level.
pub(crate) fn close(base: &mut Base, now: Nanos) {
    base.level.audience.closed = now;
    let shards = &mut base.level.audience.shards;
    let keys: Vec<u32> = shards
        .iter_mut()
        .flat_map(|shard| std::mem::take(&mut shard.connections))
        .collect();
    for key in keys {
        let Some((_, link)) = base.net.conns.get_mut(key).and_then(member_of) else {
            // The connection broke during the level.
            continue;
        };
        if let MemberLink::Own(own) = link {
            let _ = own.wire.close(Some(1000), ""); // a broken connection is closed anyway
        }
        base.net.remove(key);
    }
}
