use model::{Fault, FaultKind};
use script::host::{RedisMessage, RedisPublished, SubscriptionKind};
use wire::resp::{self, Items};

use crate::net::socket::redis::SourceKind;

/// The kind of name to which the script subscribes.
pub(crate) fn source_kind(kind: SubscriptionKind) -> SourceKind {
    match kind {
        SubscriptionKind::Channel => SourceKind::Channel,
        SubscriptionKind::Pattern => SourceKind::Pattern,
        SubscriptionKind::Shard => SourceKind::Shard,
    }
}

/// A published message, borrowed from the read buffer.
pub(crate) struct Published<'a> {
    /// The channel or the pattern of the subscription.
    pub(super) source: &'a [u8],
    pub(super) channel: &'a [u8],
    pub(crate) payload: &'a [u8],
    kind: SourceKind,
}

impl<'a> Published<'a> {
    /// Reads the elements of a push. The fault of the server is that it is malformed.
    pub(crate) fn of(kind: SourceKind, items: Items<'a>) -> Result<Self, Fault> {
        let malformed = || {
            let detail = "a published message of the Redis server is malformed";
            Fault::target(FaultKind::Protocol, detail)
        };
        Self::parse(kind, items).ok_or_else(malformed)
    }

    fn parse(kind: SourceKind, items: Items<'a>) -> Option<Self> {
        let mut values = items.values();
        let mut next = || {
            values
                .next()
                .and_then(|value: resp::Value<'a>| value.bytes())
        };
        let source = next()?;
        let channel = if kind == SourceKind::Pattern {
            next()?
        } else {
            source
        };
        Some(Self {
            source,
            channel,
            payload: next()?,
            kind,
        })
    }

    pub(super) fn to_message(&self) -> RedisMessage {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let is_pattern = self.kind == SourceKind::Pattern;
        RedisMessage::Published(RedisPublished {
            channel: text(self.channel),
            pattern: is_pattern.then(|| text(self.source)),
            payload: self.payload.to_vec(),
        })
    }
}
