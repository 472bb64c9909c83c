use delivery::Documents;
use model::{Fault, FaultKind, Nanos};
use script::host::{Payload, SubscribeCall};
use wire::Stream;

use super::http2::{self, MemberHttp2};
use super::nats::NatsMembers;
use super::redis::subscribe;
use crate::filter::Filter;
use crate::net::socket::{NatsWire, RedisWire, Wire};
use crate::owner::MemberId;
use crate::socketio::Talk;

/// A connection of members of passive audiences.
#[derive(Debug)]
pub(crate) enum MemberLink {
    /// The connection of one member.
    Own(OwnLink),
    /// A connection to a NATS server, on which each of its members has a subscription.
    Nats(NatsMembers),
}

/// The connection of one member of a passive audience.
#[derive(Debug)]
pub(crate) struct OwnLink {
    pub(super) wire: Wire,
    /// The connection of a stream of server-sent events over HTTP/2.
    pub(super) http2: Option<MemberHttp2>,
    pub(super) state: MemberState,
}

/// The state of a member.
#[derive(Debug, Default)]
pub(crate) struct MemberState {
    /// `None` once the member listens.
    pub(super) opening: Option<Box<MemberOpening>>,
    /// Extracts documents from messages.
    pub(super) documents: Documents,
    /// The Socket.IO session, if the member has one.
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
pub(super) enum Ready {
    /// The connection is open.
    Open,
    /// A message that passes this filter has arrived, in an event of this name if there is one.
    Message(Filter, Option<String>),
    /// The server has confirmed the subscription.
    Confirmed,
}

/// What a member sends as soon as its connection is open.
#[derive(Debug)]
pub(super) enum First {
    Messages(Vec<Payload>),
    /// The subscription to a subject of a NATS server.
    Subject(String),
    /// The subscription to channels of a Redis server.
    Channels(SubscribeCall),
}

impl First {
    /// Whether there is nothing left to send.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Messages(messages) if messages.is_empty())
    }

    /// Sends everything on the connection of one member. Uses `out` to encode.
    pub(super) fn send(self, wire: &mut Wire, out: &mut Vec<u8>) -> Result<(), Fault> {
        match (self, wire) {
            (Self::Messages(messages), wire) => {
                messages.iter().try_for_each(|message| match message {
                    Payload::Text(text) => wire.send_text(text),
                    Payload::Binary(bytes) => wire.send_binary(bytes),
                })
            }
            (Self::Channels(call), Wire::Redis(RedisWire::Connection(redis))) => redis
                .get_mut()
                .map_or(Ok(()), |redis| subscribe(redis, call, out)),
            // The connection of several members subscribes for each.
            (Self::Subject(_) | Self::Channels(_), _) => Ok(()),
        }
    }
}

impl Default for First {
    fn default() -> Self {
        Self::Messages(Vec::new())
    }
}

impl MemberLink {
    /// The link of a member on its connection.
    pub(super) fn new(member: MemberId, wire: Wire, state: MemberState) -> Self {
        match wire {
            Wire::Nats(NatsWire::Connection(link)) => {
                Self::Nats(NatsMembers::new(link, member, state))
            }
            wire => Self::Own(OwnLink {
                wire,
                http2: None,
                state,
            }),
        }
    }

    /// The stream of the connection.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        match self {
            Self::Own(own) => match &own.http2 {
                Some(http2) => Some(http2.stream()),
                None => own.wire.stream(),
            },
            Self::Nats(nats) => nats.link.stream(),
        }
    }

    /// The stream of the connection, mutable.
    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        match self {
            Self::Own(own) => match &mut own.http2 {
                Some(http2) => Some(http2.stream_mut()),
                None => own.wire.stream_mut(),
            },
            Self::Nats(nats) => nats.link.stream_mut(),
        }
    }

    /// The time by which the members must listen; `Nanos::MAX` if they do.
    pub(crate) fn limit(&self) -> Nanos {
        match self {
            Self::Own(own) => own.state.limit(),
            Self::Nats(nats) => nats.limit(),
        }
    }

    /// The reason why the server closed the connection.
    pub(super) fn on_close(&mut self) -> Fault {
        match self {
            Self::Own(own) => own.on_close(),
            Self::Nats(nats) => nats.link.on_close(),
        }
    }
}

impl MemberState {
    /// The time by which the member must listen, or its server must send a ping.
    fn limit(&self) -> Nanos {
        let opening = self.opening.as_ref();
        let opening = opening.map_or(Nanos::MAX, |opening| opening.until);
        opening.min(self.dead_at())
    }

    /// The time at which the Socket.IO session counts as dead if no ping arrives.
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

impl OwnLink {
    fn on_close(&mut self) -> Fault {
        if let Some(http2) = &mut self.http2
            && let Err(fault) = http2::on_close(http2, &mut self.wire)
        {
            return fault;
        }
        match (&self.state.close, self.wire.on_close()) {
            (Some((code, reason)), _) => {
                let code = code.map_or("no code".to_owned(), |code| code.to_string());
                let detail = format!("the server closed the connection: {code} {reason}");
                Fault::target(FaultKind::Closed, detail.trim_end())
            }
            (None, Err(fault)) => fault,
            (None, Ok(())) => Fault::target(FaultKind::Closed, "the server closed the connection"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MemberLink;

    /// The page on audiences states the memory of a member.
    #[test]
    fn a_member_takes_less_than_1000_bytes() {
        let size = size_of::<MemberLink>();
        assert!(size < 1000, "{size}");
    }
}
