//! What users do, each with what the world lends it. The methods are in the modules of the same topic, which export these
//! types. The protocols of sockets have such a type of their own.

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
