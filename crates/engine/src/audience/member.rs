use crate::dial::Opener;
use crate::net::EndpointIndex;
use crate::owner::MemberId;

use super::link::MemberState;

/// A member of a passive audience that waits to be connected.
#[derive(Debug)]
pub(crate) struct MemberDial {
    pub(crate) member: MemberId,
    pub(super) endpoint: EndpointIndex,
    pub(super) opener: Opener,
    pub(super) state: MemberState,
    /// The member's number among all users and members, which determines its source address.
    pub(super) number: u32,
}
