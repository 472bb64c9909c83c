use std::collections::BTreeMap;

use crate::outbox::Outbox;

/// The members of each room on a port, keyed by the room's name.
#[derive(Debug, Default)]
pub(crate) struct Rooms(BTreeMap<String, Vec<Member>>);

/// A member of a room.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) connection: usize,
    pub(crate) outbox: Outbox,
}

impl Rooms {
    pub(crate) fn join(&mut self, room: &str, member: Member) {
        self.0.entry(room.to_owned()).or_default().push(member);
    }

    pub(crate) fn leave(&mut self, connection: usize) {
        for members in self.0.values_mut() {
            members.retain(|member| member.connection != connection);
        }
    }

    pub(crate) fn others(&self, room: &str, sender: usize) -> Vec<Member> {
        let members = self.0.get(room).into_iter().flatten();
        members
            .filter(|member| member.connection != sender)
            .cloned()
            .collect()
    }

    /// Returns a member of any other room.
    pub(crate) fn stranger(&self, room: &str) -> Option<Member> {
        let mut others = self.0.iter().filter(|(name, _)| *name != room);
        others.find_map(|(_, members)| members.first().cloned())
    }
}
