use std::fmt;

/// Connections that several users share.
#[derive(Debug, Default)]
pub(crate) struct SharedConnections {
    /// What the users of each have in common, and the key of the connection. A connection may have ended.
    known: Vec<(Identity, u32)>,
}

/// What the users of a shared connection have in common, such as its endpoint and their login.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Identity(Box<[String]>);

impl Identity {
    /// The properties are in a fixed order, and the first one is the protocol.
    pub(crate) fn of(properties: &[&str]) -> Self {
        Self(properties.iter().map(ToString::to_string).collect())
    }
}

impl fmt::Debug for Identity {
    /// Shows nothing, because a login is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity")
    }
}

impl SharedConnections {
    /// The key of the last connection of such users.
    pub(crate) fn find(&self, identity: &Identity) -> Option<u32> {
        let mut known = self.known.iter();
        known.find(|(its, _)| its == identity).map(|(_, key)| *key)
    }

    /// Adds a connection. It replaces an earlier one of the same users.
    pub(crate) fn add(&mut self, identity: Identity, key: u32) {
        self.known.retain(|(its, _)| *its != identity);
        self.known.push((identity, key));
    }
}
