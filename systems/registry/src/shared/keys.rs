use crate::message::MessageId;
use crate::name::Name;

/// The keys in Redis. Those of a namespace have its name in braces, so that a cluster stores them on one node and a script
/// may use them together.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
        }
    }

    /// Prefix of the registrations, to which the identity is appended.
    pub(super) fn registrations(&self, namespace: &Name) -> String {
        format!("{}{{{namespace}}}/", self.prefix)
    }

    pub(super) fn registration(&self, namespace: &Name, identity: &Name) -> String {
        format!("{}{identity}", self.registrations(namespace))
    }

    /// A sorted set: the identities with the ends of their registrations in milliseconds.
    pub(super) fn ends(&self, namespace: &Name) -> String {
        format!("{}ends:{{{namespace}}}", self.prefix)
    }

    pub(super) fn generation(&self, namespace: &Name) -> String {
        format!("{}generation:{{{namespace}}}", self.prefix)
    }

    /// A sorted set: the kept messages that each identity has not acknowledged, as `identity/id/time sent`. Neither a name
    /// nor an id contains a `/`.
    pub(super) fn queue(&self, namespace: &Name) -> String {
        format!("{}queue:{{{namespace}}}", self.prefix)
    }

    /// Prefix of the messages, to which the id is appended.
    pub(super) fn messages(&self, namespace: &Name) -> String {
        format!("{}message:{{{namespace}}}/", self.prefix)
    }

    pub(super) fn message(&self, namespace: &Name, id: &MessageId) -> String {
        format!("{}{id}", self.messages(namespace))
    }

    /// Whoever holds this key sends the messages of an identity again.
    pub(super) fn turn(&self, namespace: &Name, identity: &Name) -> String {
        format!("{}turn:{{{namespace}}}/{identity}", self.prefix)
    }
}
