use model::{Fault, UserId};

use super::link::SocketLink;
use crate::net::EndpointIndex;

/// A socket that has ended, and was removed from the connections.
#[derive(Debug)]
pub(crate) struct Over {
    pub(crate) key: u32,
    pub(crate) user: UserId,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) link: Box<SocketLink>,
    pub(crate) fault: Fault,
    /// Whether headcount has closed the socket, so that its end is no failure.
    pub(crate) expected: bool,
}
