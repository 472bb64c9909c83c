//! The failures of members, and of their connections.

use model::Fault;

use super::link::MemberLink;
use crate::base::Base;
use crate::link::Link;
use crate::net::Conn;
use crate::owner::{MemberId, Owner};

/// Counts a member that could not connect.
pub(super) fn fail(base: &mut Base, member: MemberId, fault: &Fault) {
    let now = base.clock.now();
    let level = &mut base.level;
    level
        .audience
        .fail(&mut level.recorder, (member, false), now, fault);
}

/// Handles a connection that the server has closed.
pub(crate) fn closed(base: &mut Base, key: u32) {
    let Some((_, link)) = base.net.conns.get_mut(key).and_then(member_of) else {
        return base.inconsistent("the connection of a member that is not in the table was closed");
    };
    let fault = link.on_close();
    broke(base, key, &fault);
}

/// Ends a connection that broke, and counts the failure of each of its members. They do not return in this level.
pub(crate) fn broke(base: &mut Base, key: u32, fault: &Fault) {
    let now = base.clock.now();
    let mut conn = base.net.remove(key);
    let Some((member, link)) = conn.as_mut().and_then(member_of) else {
        return base.inconsistent("the connection of a member that is not in the table broke");
    };
    let level = &mut base.level;
    let mut fail = |member| {
        level.audience.fail(&mut level.recorder, member, now, fault);
    };
    match link {
        MemberLink::Own(own) => fail((member, own.state.opening.is_none())),
        MemberLink::Shared(members) => members.each(fail),
    }
}

/// The member that owns a connection, or the first of its members, and the link.
pub(super) fn member_of(conn: &mut Conn<Base>) -> Option<(MemberId, &mut MemberLink)> {
    match conn {
        Conn {
            owner: Owner::Member(member),
            link: Link::Member(link),
            ..
        } => Some((*member, link)),
        _ => None,
    }
}
