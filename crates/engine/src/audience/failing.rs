//! The failures of members, and of their connections.

use model::Fault;

use super::link::MemberLink;
use crate::link::Link;
use crate::net::Conn;
use crate::owner::{MemberId, Owner};
use crate::world::World;

/// Counts a member that could not connect.
pub(super) fn fail(world: &mut World, member: MemberId, fault: &Fault) {
    let now = world.clock.now();
    let level = &mut world.level;
    level
        .audience
        .fail(&mut level.recorder, (member, false), now, fault);
}

/// Handles a connection that the server has closed.
pub(crate) fn closed(world: &mut World, key: u32) {
    let Some((_, link)) = world.net.conns.get_mut(key).and_then(member_of) else {
        return world
            .inconsistent("the connection of a member that is not in the table was closed");
    };
    let fault = link.on_close();
    broke(world, key, &fault);
}

/// Ends a connection that broke, and counts the failure of each of its members. They do not return in this level.
pub(crate) fn broke(world: &mut World, key: u32, fault: &Fault) {
    let now = world.clock.now();
    let mut conn = world.net.remove(key);
    let Some((member, link)) = conn.as_mut().and_then(member_of) else {
        return world.inconsistent("the connection of a member that is not in the table broke");
    };
    let level = &mut world.level;
    let mut fail = |member| {
        level.audience.fail(&mut level.recorder, member, now, fault);
    };
    match link {
        MemberLink::Own(own) => fail((member, own.state.opening.is_none())),
        MemberLink::Nats(nats) => nats.each(fail),
    }
}

/// The member that owns a connection, or the first of its members, and the link.
pub(super) fn member_of(conn: &mut Conn<World>) -> Option<(MemberId, &mut MemberLink)> {
    match conn {
        Conn {
            owner: Owner::Member(member),
            link: Link::Member(link),
            ..
        } => Some((*member, link)),
        _ => None,
    }
}
