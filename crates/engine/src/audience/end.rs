//! Handles received data, and the end of the members' connections.

use model::{Fault, Nanos};
use script::host::Payload;

use super::arrival::MemberArrival;
use super::link::MemberLink;
use crate::base::Base;
use crate::link::Link;
use crate::net::Conn;
use crate::net::socket::{Bytes, Feed as _, Wire};
use crate::owner::{MemberId, Owner};

/// Handles received bytes. Returns the number of messages in them, including an incomplete last message.
pub(crate) fn received(base: &mut Base, key: u32, bytes: &[u8], at: Nanos) -> usize {
    let Some((member, MemberLink { wire, state })) =
        base.net.conns.get_mut(key).and_then(member_of)
    else {
        base.inconsistent("a member of an audience that is not in the table received data");
        return 0;
    };
    let level = &mut base.level;
    let mut messages = 0;
    let mut arrival = MemberArrival {
        slot: member.slot,
        run: level.audience.run,
        now: at,
        shard: &mut level.audience.shards[member.audience],
        tallies: &level.audience.tallies,
        state,
        recorder: &mut level.recorder,
        fault: None,
    };
    let fed = Bytes(bytes).feed(wire, &mut |event| {
        messages += 1;
        arrival.received(event);
    });
    let fault = arrival.fault;
    messages += usize::from(wire.holds_a_part());
    let mut result = fed.and(fault.map_or(Ok(()), Err));
    if let Some(mut opening) = state.opening.take_if(|opening| opening.is_open) {
        let first = std::mem::take(&mut opening.first);
        result = result.and_then(|()| send_all(wire, &first));
        // Without a message that says so, the member listens as soon as the connection is open.
        state.opening = (!opening.ready.is_empty()).then_some(opening);
    }
    let is_over = wire.is_done() || state.close.is_some();
    match result {
        Err(fault) => broke(base, key, &fault),
        Ok(()) if is_over => closed(base, key),
        Ok(()) => {}
    }
    messages
}

fn send_all(wire: &mut Wire, messages: &[Payload]) -> Result<(), Fault> {
    messages.iter().try_for_each(|message| match message {
        Payload::Text(text) => wire.send_text(text),
        Payload::Binary(bytes) => wire.send_binary(bytes),
    })
}

/// Handles a connection that the server has closed.
pub(crate) fn closed(base: &mut Base, key: u32) {
    let Some((_, link)) = base.net.conns.get_mut(key).and_then(member_of) else {
        return base.inconsistent("the connection of a member that is not in the table was closed");
    };
    let fault = link.on_close();
    broke(base, key, &fault);
}

/// Ends a connection that broke, and counts the failure. The member does not return in this level.
pub(crate) fn broke(base: &mut Base, key: u32, fault: &Fault) {
    let now = base.clock.now();
    let mut conn = base.net.remove(key);
    let Some((member, link)) = conn.as_mut().and_then(member_of) else {
        return base.inconsistent("the connection of a member that is not in the table broke");
    };
    let listened = link.state.opening.is_none();
    let level = &mut base.level;
    level
        .audience
        .fail(&mut level.recorder, (member, listened), now, fault);
}

/// Ends a connection that did not open in time.
pub(crate) fn timed_out(base: &mut Base, key: u32) {
    let Some((_, link)) = base.net.conns.get_mut(key).and_then(member_of) else {
        return base.inconsistent("a member of an audience that timed out does not exist");
    };
    let fault = link.took_too_long();
    broke(base, key, &fault);
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
        if let Some((_, link)) = base.net.conns.get_mut(key).and_then(member_of) {
            let _ = link.wire.close(Some(1000), ""); // a broken connection is closed anyway
            base.net.remove(key);
        }
    }
}

fn member_of(conn: &mut Conn<Base>) -> Option<(MemberId, &mut MemberLink)> {
    match conn {
        Conn {
            owner: Owner::Member(member),
            link: Link::Member(link),
            ..
        } => Some((*member, link)),
        _ => None,
    }
}
