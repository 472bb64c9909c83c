use model::UserId;

use crate::base::Base;
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::socket::Wire;
use crate::net::socket::socketio::Polling;
use crate::socket::{SocketLink, SocketState};

/// Borrowed parts of a socket that has no WebSocket yet.
pub(super) struct Polled<'a> {
    pub(super) user: UserId,
    pub(super) endpoint: EndpointIndex,
    pub(super) polling: &'a mut Polling,
    pub(super) state: &'a mut SocketState,
}

/// The socket, if it exists and has no WebSocket yet.
pub(super) fn polled_socket(base: &mut Base, key: u32) -> Option<Polled<'_>> {
    let conn = base.net.conns.get_mut(key)?;
    let Link::Socket(socket) = &mut conn.link else {
        return None;
    };
    let SocketLink { wire, state } = &mut **socket;
    match wire {
        Wire::SocketIo(polling) => Some(Polled {
            user: conn.owner.user()?,
            endpoint: conn.endpoint,
            polling,
            state,
        }),
        _ => None,
    }
}
