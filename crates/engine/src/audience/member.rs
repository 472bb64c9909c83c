//! The state of a member of a passive audience, on whatever connection.

use delivery::Documents;
use model::{Fault, FaultKind, Nanos};
use script::host::{Payload, SubscribeCall};

use crate::filter::Filter;
use crate::registry::Talk;

/// The state of a member.
#[derive(Debug, Default)]
pub(crate) struct MemberState {
    /// `None` once the member listens.
    pub(super) opening: Option<Box<MemberOpening>>,
    /// Extracts documents from messages.
    pub(super) documents: Documents,
    /// The session on top of the connection's messages, if the member has one.
    pub(super) talk: Option<Box<Talk>>,
    /// Code and reason of the server's close frame.
    pub(super) close: Option<(Option<u16>, String)>,
}

/// A member that does not listen yet.
#[derive(Debug)]
pub(crate) struct MemberOpening {
    /// Whether the connection is open, so that only the message that confirms the member is missing.
    pub(super) is_open: bool,
    /// What the member sends as soon as the connection is open.
    pub(super) first: First,
    pub(super) ready: Ready,
    pub(super) until: Nanos,
    pub(super) limit: Nanos,
}

/// The event from which on a member listens.
#[derive(Debug)]
pub(crate) enum Ready {
    /// The connection is open.
    Open,
    /// A message that passes this filter has arrived, in an event of this name if there is one.
    Message(Filter, Option<String>),
    /// The server has confirmed the subscription.
    Confirmed,
}

/// What a member sends as soon as its connection is open.
#[derive(Debug)]
pub(crate) enum First {
    Messages(Vec<Payload>),
    /// The subscription to a subject or to channels.
    Subscription(SubscribeCall),
}

impl First {
    /// Whether there is nothing left to send.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Messages(messages) if messages.is_empty())
    }
}

impl Default for First {
    fn default() -> Self {
        Self::Messages(Vec::new())
    }
}

impl MemberState {
    /// The time by which the member must listen, or its server must send a ping.
    pub(super) fn limit(&self) -> Nanos {
        let opening = self.opening.as_ref();
        let opening = opening.map_or(Nanos::MAX, |opening| opening.until);
        opening.min(self.dead_at())
    }

    /// The time at which the session counts as dead if no ping arrives.
    pub(super) fn dead_at(&self) -> Nanos {
        let talk = self.talk.as_ref();
        talk.map_or(Nanos::MAX, |talk| talk.dead_at())
    }

    /// The fault of a member whose time limit has passed.
    pub(super) fn timed_out(&self, now: Nanos) -> Option<Fault> {
        let opening = self.opening.as_ref();
        let late = opening.filter(|opening| opening.until <= now);
        let silent = || self.talk.as_ref().filter(|talk| talk.dead_at() <= now);
        late.map(|opening| opening.took_too_long())
            .or_else(|| silent().map(|talk| talk.is_silent()))
    }
}

impl MemberOpening {
    /// The fault of a member that does not listen in time.
    pub(super) fn took_too_long(&self) -> Fault {
        let what = match self.ready {
            Ready::Message(..) if self.is_open => "no message matched `ready`",
            Ready::Confirmed if self.is_open => "the server did not confirm the subscription",
            _ => "the connection did not open",
        };
        let detail = format!("{what} within {}", self.limit);
        Fault::target(FaultKind::TimedOut, detail)
    }
}
