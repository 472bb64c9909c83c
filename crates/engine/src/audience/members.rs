use model::Nanos;
use script::host::SubscribeCall;

use super::member::{First, MemberOpening, MemberState};
use crate::net::socket::Wire;
use crate::owner::MemberId;

/// The members on a connection that several members use. The number of a member is its place in the list.
#[derive(Debug)]
pub(crate) struct SharedMembers {
    pub(super) wire: Wire,
    pub(super) members: Vec<SharedMember>,
    /// Number of members that have not failed.
    pub(super) left: u32,
}

/// A member with a subscription.
#[derive(Debug)]
pub(super) struct SharedMember {
    pub(super) id: MemberId,
    pub(super) phase: Phase,
}

/// The phases of a member.
#[derive(Debug)]
pub(super) enum Phase {
    /// Waits for the connection, or for the server's confirmation.
    Opening(Box<MemberOpening>),
    Listening,
    Failed,
}

impl SharedMembers {
    /// The members on this connection, of which only the first is known.
    pub(super) fn new(wire: Wire, first: MemberId, state: MemberState) -> Self {
        let mut members = Self {
            wire,
            members: Vec::new(),
            left: 0,
        };
        if let Some(opening) = state.opening {
            members.add(first, opening);
        }
        members
    }

    /// Adds a member. Returns its number.
    pub(super) fn add(&mut self, id: MemberId, opening: Box<MemberOpening>) -> u32 {
        let number = self.members.len();
        self.members.push(SharedMember {
            id,
            phase: Phase::Opening(opening),
        });
        self.left += 1;
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The time by which the next member must listen.
    pub(super) fn limit(&self) -> Nanos {
        let limits = self.members.iter().map(|member| match &member.phase {
            Phase::Opening(opening) => opening.until,
            Phase::Listening | Phase::Failed => Nanos::MAX,
        });
        limits.min().unwrap_or(Nanos::MAX)
    }

    /// Calls `tell` with each member that has not failed, and whether it listens.
    pub(super) fn each(&self, mut tell: impl FnMut((MemberId, bool))) {
        for member in &self.members {
            match member.phase {
                Phase::Opening(_) => tell((member.id, false)),
                Phase::Listening => tell((member.id, true)),
                Phase::Failed => {}
            }
        }
    }

    /// The numbers of the members that wait for the connection or a confirmation, and for which `fits` holds.
    pub(super) fn waiting(&self, fits: impl Fn(&MemberOpening) -> bool) -> Vec<u32> {
        let numbered = (0..).zip(&self.members);
        let waiting = numbered.filter(
            |(_, member)| matches!(&member.phase, Phase::Opening(opening) if fits(opening)),
        );
        waiting.map(|(number, _)| number).collect()
    }

    /// Notes that the connection is open for a member that has not failed. Returns what the member subscribes to.
    pub(super) fn opened(&mut self, number: u32) -> Option<(&mut Wire, &SubscribeCall)> {
        let member = self.members.get_mut(number as usize)?;
        let Phase::Opening(opening) = &mut member.phase else {
            return None;
        };
        opening.is_open = true;
        match &opening.first {
            First::Subscription(call) => Some((&mut self.wire, call)),
            First::Messages(_) => None,
        }
    }

    /// Marks a member as failed. Returns the member, and whether it listened. `None` if it has failed already.
    pub(super) fn take(&mut self, number: u32) -> Option<(MemberId, bool)> {
        let member = self.members.get_mut(number as usize)?;
        let listened = match std::mem::replace(&mut member.phase, Phase::Failed) {
            Phase::Opening(_) => false,
            Phase::Listening => true,
            Phase::Failed => return None,
        };
        self.left -= 1;
        Some((member.id, listened))
    }
}

#[cfg(test)]
mod tests {
    use super::SharedMember;

    /// The page on audiences states the memory of a subscription.
    #[test]
    fn a_subscription_takes_less_than_100_bytes() {
        let size = size_of::<SharedMember>();
        assert!(size < 100, "{size}");
    }
}
