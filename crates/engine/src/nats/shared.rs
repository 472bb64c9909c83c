//! Connections to NATS servers that the users of a worker share. Each user has a socket without a stream, to which replies
//! arrive. The connection belongs to no user, and stays open until the level ends.

use model::{Fault, Nanos, UserId};
use script::host::{NatsCall, SocketId, Value, Wake};
use url::Url;
use wire::nats::{Connection, Login};

use super::login::{identity_of, login_of};
use super::{CONNECTION, SHARED, View, admit_carried, link_of};
use crate::base::Base;
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::socket::Wire;
use crate::net::socket::nats::{NatsLink, NatsWire, SharedNats};
use crate::shared_connections::Identity;
use crate::socket::{Opening, SocketLink, SocketState};

/// The owner of shared connections: a user who does not exist.
const NOBODY: UserId = UserId(u32::MAX);

/// Opens a user's part of a shared connection, and the connection itself for its first user. `state` is the state of a
/// user's own connection.
pub(super) fn open(
    base: &mut Base,
    (user, endpoint): (UserId, EndpointIndex),
    call: &NatsCall,
    url: &Url,
    (state, opening): (SocketState, Opening),
) -> Result<(), Fault> {
    let identity = identity_of(endpoint, call, url);
    let connection = if let Some(open) = find(base, &identity) {
        open
    } else {
        let said = login_of(call, url, "(shared)")?;
        match connect(base, endpoint, said, &state) {
            Ok(connection) => {
                base.level.shared.add(identity, connection.0);
                connection
            }
            Err(fault) => {
                let (what, name) = (state.failing(), state.name.as_str());
                base.never_opened(user, (&what, name), opening, fault);
                return Ok(());
            }
        }
    };
    let view = View { user, connection };
    let state = SocketState {
        purpose: SHARED.into(),
        ..state
    };
    let wire = Wire::Nats(NatsWire::Shared(Box::new(SharedNats::new(connection.0))));
    let key = admit_carried(base, view, wire, state)?;
    if let Some(owner) = base.level.users.get(user) {
        owner.sockets.push(key);
    }
    let link = link_of(base, connection)?;
    link.carried.insert(key);
    if link.is_connected() {
        opened(base, key);
    }
    Ok(())
}

/// The open connection of such users, or the one that is being opened.
fn find(base: &mut Base, identity: &Identity) -> Option<SocketId> {
    let connection = SocketId(base.level.shared.find(identity)?);
    link_of(base, connection).ok().map(|_| connection)
}

fn connect(
    base: &mut Base,
    endpoint: EndpointIndex,
    login: Login,
    of_user: &SocketState,
) -> Result<SocketId, Fault> {
    let opening = of_user.opening.map(|opening| Opening {
        op: None,
        ..opening
    });
    let state = SocketState {
        opening,
        name: of_user.name.clone(),
        purpose: CONNECTION.into(),
        ..SocketState::default()
    };
    let stream = base.net.connector.connect(endpoint, None)?;
    let limit = base.config.options.max_message;
    let connection = Connection::new(stream, login, limit);
    let wire = Wire::Nats(NatsWire::Connection(Box::new(NatsLink::new(connection))));
    let link = Link::Socket(Box::new(SocketLink { wire, state }));
    let key = base.admit(NOBODY, endpoint, link)?;
    base.net
        .watch_limit(opening.map_or(Nanos::MAX, |opening| opening.until));
    Ok(SocketId(key))
}

/// The connection of this socket is open now.
pub(super) fn opened(base: &mut Base, key: u32) {
    if let Ok((_, socket)) = base.socket(SocketId(key))
        && let Wire::Nats(NatsWire::Shared(_)) = socket.wire
        && let Some(op) = socket.state.opening.take().and_then(|opening| opening.op)
    {
        let result = Ok(Value::Socket(SocketId(key), None));
        base.wakes.push_back(Wake::Done { op, result });
    }
}
