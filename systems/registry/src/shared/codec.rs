use std::fmt;

use async_nats::{HeaderMap, Subject};

use crate::message::{JSON, Message, MessageId, Mode};
use crate::name::Name;
use crate::time::Time;

/// Prefix of the subjects on which instances talk to each other.
const OWN: &str = "headcount.registry";
const DELIVERY: &str = "Delivery";
const SENT_AT: &str = "Sent-At";
const REDELIVERED: &str = "Redelivered";
const CONTENT_TYPE: &str = "Content-Type";
const ID: &str = "Nats-Msg-Id";

/// Changes of registrations in all namespaces.
pub(super) fn all_changes() -> String {
    format!("{OWN}.changes.*")
}

pub(super) fn changes(space: &Name) -> String {
    format!("{OWN}.changes.{space}")
}

/// Acknowledgements that reached another instance than the one with the inbox.
pub(super) fn all_settled() -> String {
    format!("{OWN}.settled.*.*")
}

pub(super) fn settled(space: &Name, identity: &Name) -> String {
    format!("{OWN}.settled.{space}.{identity}")
}

/// The namespace and the identity at the end of a subject.
pub(super) fn last_two(subject: &str) -> Option<(Name, Name)> {
    let (rest, identity) = subject.rsplit_once('.')?;
    let (_, space) = rest.rsplit_once('.')?;
    Some((Name::new(space).ok()?, Name::new(identity).ok()?))
}

/// The namespace at the end of a subject.
pub(super) fn last(subject: &str) -> Option<Name> {
    Name::new(subject.rsplit_once('.')?.1).ok()
}

/// A connection of an instance. Acknowledgements come back on the connection that sent the message, because the server
/// tells only that connection that a subject has no subscribers.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineId {
    /// A random number of the instance.
    pub(super) instance: u32,
    pub(super) number: usize,
}

impl fmt::Display for LineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}-{}", self.instance, self.number)
    }
}

/// Where the acknowledgement of one delivery belongs. It is the reply subject of the message, so that any receiver of NATS
/// can acknowledge with an empty reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ack {
    /// Number of the multicast, and of the target in it. `None` if no multicast waits.
    pub(super) target: Option<(u64, usize)>,
    /// Whether the message is kept and must be forgotten now.
    pub(super) kept: bool,
    pub(super) space: Name,
    pub(super) identity: Name,
    pub(super) id: MessageId,
}

impl Ack {
    /// The subject of all acknowledgements for one connection of an instance.
    pub(super) fn all(line: LineId) -> String {
        format!("{OWN}.acks.{line}.>")
    }

    pub(super) fn subject(&self, line: LineId) -> String {
        let kept = if self.kept { "kept" } else { "once" };
        let (space, identity, id) = (&self.space, &self.identity, &self.id);
        let rest = format_args!("{kept}.{space}.{identity}.{id}");
        match self.target {
            Some((multicast, target)) => {
                format!("{OWN}.acks.{line}.{multicast}.{target}.{rest}")
            }
            None => format!("{OWN}.acks.{line}.-.-.{rest}"),
        }
    }

    pub(super) fn read(subject: &str) -> Option<Self> {
        let rest = subject.strip_prefix(OWN)?.strip_prefix(".acks.")?;
        let parts: Vec<&str> = rest.split('.').collect();
        let [_, multicast, target, kept, space, identity, id] = parts[..] else {
            return None;
        };
        let target = match (multicast, target) {
            ("-", "-") => None,
            _ => Some((multicast.parse().ok()?, target.parse().ok()?)),
        };
        Some(Self {
            target,
            kept: kept == "kept",
            space: Name::new(space).ok()?,
            identity: Name::new(identity).ok()?,
            id: MessageId::new(id)?,
        })
    }
}

/// The headers of a message. Its payload is sent as it is.
pub(super) fn headers(message: &Message) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ID, message.id.as_str());
    headers.insert(CONTENT_TYPE, &*message.content_type);
    headers.insert(DELIVERY, message.mode.word());
    headers.insert(SENT_AT, message.sent_at.millis().to_string().as_str());
    if message.redelivered {
        headers.insert(REDELIVERED, "true");
    }
    headers
}

/// Reads a message for an identity. Another program may have published it: missing headers have defaults, and `fresh` is
/// the id of a message without one.
pub(super) fn message(space: &Name, received: &async_nats::Message, fresh: MessageId) -> Message {
    let header = |name: &str| {
        let headers = received.headers.as_ref()?;
        Some(headers.get(name)?.as_str())
    };
    let sent_at = header(SENT_AT).and_then(|text| text.parse().ok());
    let message = Message::new(
        header(ID).and_then(MessageId::new).unwrap_or(fresh),
        space.clone(),
        header(CONTENT_TYPE).unwrap_or(JSON).into(),
        header(DELIVERY).and_then(Mode::of).unwrap_or_default(),
        received.payload.clone(),
        sent_at.map_or_else(Time::now, Time::of_millis),
    );
    if header(REDELIVERED).is_some() {
        message.again()
    } else {
        message
    }
}

/// Whether a reply subject belongs to an instance of the registry. The instance reads the rest of it, and ignores what it
/// did not send.
pub(super) fn is_ack(subject: &Subject) -> bool {
    let rest = subject.strip_prefix(OWN);
    rest.is_some_and(|rest| rest.starts_with(".acks."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_an_acknowledgement_reads_back() {
        let name = |text| Name::new(text).unwrap();
        for target in [None, Some((7, 2999))] {
            let ack = Ack {
                target,
                kept: target.is_none(),
                space: name("team-a"),
                identity: name("device:1"),
                id: MessageId::new("0-1:x_y").unwrap(),
            };
            let line = LineId {
                instance: 0xab,
                number: 3,
            };
            assert_eq!(Ack::read(&ack.subject(line)), Some(ack));
        }
        for foreign in ["_INBOX.x.y", "headcount.registry.acks.1.2", ""] {
            assert_eq!(Ack::read(foreign), None);
        }
    }
}
