use model::UserId;

/// The owner of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    User(UserId),
    /// A member of a passive audience.
    Member(MemberId),
}

/// A member of a passive audience on this worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberId {
    /// The number of the audience.
    pub(crate) audience: usize,
    /// The number of the member among those of the audience on this worker.
    pub(crate) slot: u32,
}

impl Owner {
    /// The user, if the connection belongs to one.
    pub(crate) fn user(self) -> Option<UserId> {
        match self {
            Self::User(user) => Some(user),
            Self::Member(_) => None,
        }
    }
}

impl From<UserId> for Owner {
    fn from(user: UserId) -> Self {
        Self::User(user)
    }
}

impl From<MemberId> for Owner {
    fn from(member: MemberId) -> Self {
        Self::Member(member)
    }
}
