//! The protocols of the users, each with what the world lends it. Their methods are in the modules of the protocols, which
//! export these types.

use crate::base::Base;

/// The HTTP requests of users on their connections.
pub(crate) struct Http<'a> {
    pub(crate) base: &'a mut Base,
}

/// The requests that the script makes.
pub(crate) struct Requests<'a> {
    pub(crate) base: &'a mut Base,
}

/// The sockets of users.
pub(crate) struct Sockets<'a> {
    pub(crate) base: &'a mut Base,
}

/// The streams that users send on their sockets.
pub(crate) struct Paced<'a> {
    pub(crate) base: &'a mut Base,
}

/// The channels that users follow on their sockets and in responses.
pub(crate) struct Channels<'a> {
    pub(crate) base: &'a mut Base,
}

/// The Socket.IO sessions of users.
pub(crate) struct Sessions<'a> {
    pub(crate) base: &'a mut Base,
}

/// The streams of server-sent events of users.
pub(crate) struct Streams<'a> {
    pub(crate) base: &'a mut Base,
}

/// The connections of users to NATS servers.
pub(crate) struct Nats<'a> {
    pub(crate) base: &'a mut Base,
}

/// The connections of users to Redis servers.
pub(crate) struct Redis<'a> {
    pub(crate) base: &'a mut Base,
}
