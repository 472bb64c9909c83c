//! Connections that several members of passive audiences use.

use model::{Fault, Nanos};

use super::connecting::connect;
use super::failing::{fail, member_of};
use super::link::MemberLink;
use super::member::MemberState;
use super::members::{Phase, SharedMembers};
use super::transport::MemberTransport as _;
use crate::base::Base;
use crate::dial::MemberDial;
use crate::news::News;
use crate::owner::MemberId;
use crate::shared_connections::Identity;

/// Adds a member to the connection that it shares. Opens the connection for its first member, at once.
pub(super) fn share(base: &mut Base, dial: MemberDial, identity: Identity) {
    let MemberDial { member, state, .. } = dial;
    if let Some(key) = find(base, &identity) {
        return join(base, key, member, state);
    }
    match connect(base, MemberDial { state, ..dial }) {
        Ok(key) => {
            base.level.audience.shared.add(identity, key);
            base.tell(News::Added(key));
        }
        Err((member, fault)) => fail(base, member, &fault),
    }
}

/// The connection of such members, unless it has ended.
fn find(base: &mut Base, identity: &Identity) -> Option<u32> {
    let key = base.level.audience.shared.find(identity)?;
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
    if on_wire!(&members.wire, it => it.takes_subscriptions()) {
        if let Err(fault) = subscribe(members, number) {
            fail_one(base, key, number, &fault);
        }
        base.net.update_interest(key);
    }
}

/// Subscribes a member on the open connection.
pub(super) fn subscribe(members: &mut SharedMembers, number: u32) -> Result<(), Fault> {
    let Some((wire, call)) = members.opened(number) else {
        return Ok(());
    };
    on_wire!(wire, it => it.subscribe(number, call, &mut Vec::new()))
}

pub(super) fn members_of(base: &mut Base, key: u32) -> Option<&mut SharedMembers> {
    match base.net.conns.get_mut(key).and_then(member_of) {
        Some((_, MemberLink::Shared(members))) => Some(members),
        _ => None,
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
pub(super) fn fail_one(base: &mut Base, key: u32, number: u32, fault: &Fault) {
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
