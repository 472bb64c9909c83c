use std::borrow::Cow;
use std::collections::VecDeque;

use delivery::{Documents, Sent, objects_in_array, stamps_in};
use model::Nanos;
use script::host::OpId;

use super::awaited::{Awaited as _, Own};
use super::inbox::Inbox;
use super::kind::Purpose;
use super::receiving::Followed;
use crate::filter::Filter;
use crate::paced_stream::PacedStream;
use crate::registry::Talk;

/// The state of a socket, with everything that is awaited on it.
#[derive(Debug, Default)]
pub(crate) struct SocketState {
    pub(crate) opening: Option<Opening>,
    /// The name under which the socket is measured.
    pub(crate) name: String,
    /// Extracts documents from the socket's messages.
    pub(crate) documents: Documents,
    /// The session on top of the socket's messages.
    pub(crate) talk: Option<Box<Talk>>,
    pub(crate) purpose: Purpose,
    pub(crate) followed: Followed,
    /// Whether the script has a message handler.
    pub(crate) listening: bool,
    pub(crate) waiting: VecDeque<Waiting>,
    pub(crate) inbox: Inbox,
    pub(crate) pings: VecDeque<(OpId, Nanos)>,
    pub(crate) ending: SocketEnding,
    /// The stream that the socket carries or has carried last.
    pub(crate) stream: Option<Box<PacedStream>>,
}

/// What is known about the end of a socket that is still open.
#[derive(Debug, Default)]
pub(crate) struct SocketEnding {
    pub(crate) closing: Option<Closing>,
    /// Code and reason of the server's close frame.
    pub(crate) frame: Option<(Option<u16>, String)>,
}

/// An opening handshake in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// The operation that waits for the opening. `None` for a probe and for a stream that reconnects.
    pub(crate) op: Option<OpId>,
    /// The time at which the socket should have been requested.
    pub(crate) planned: Nanos,
    pub(crate) asked: Nanos,
    pub(crate) until: Nanos,
    pub(crate) limit: Nanos,
}

impl Opening {
    /// An opening that is requested at `now`. Its time limit counts from there.
    pub(crate) fn new(op: Option<OpId>, planned: Nanos, now: Nanos, limit: Nanos) -> Self {
        Self {
            op,
            planned,
            asked: now,
            until: now + limit,
            limit,
        }
    }
}

/// A closing handshake that headcount has started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closing {
    pub(super) op: Option<OpId>,
    pub(super) until: Nanos,
}

/// A reply or a message that the script awaits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) op: OpId,
    pub(crate) until: Nanos,
    pub(crate) limit: Nanos,
    pub(crate) wanted: Wanted,
    /// `None` if the script awaits the next message without having sent a request.
    pub(crate) round_trip: Option<RoundTrip>,
    /// Stamps that were sent with the message whose reply is awaited.
    pub(crate) carries: Vec<Sent>,
    /// Whether an element of an array that the socket does not split looks like the awaited message.
    pub(crate) in_array: bool,
}

impl Waiting {
    /// The number of times that the request was sent again.
    pub(crate) fn repeats(&self) -> u64 {
        match &self.wanted {
            Wanted::Own(own) => own.repeats(),
            Wanted::Fitting { .. } => 0,
        }
    }

    /// Whether the message contains a stamp of the request whose reply is awaited.
    pub(crate) fn is_answered_by(&self, message: &[u8]) -> bool {
        let sent = |stamp| self.carries.iter().any(|sent| sent.is_of(&stamp));
        !self.carries.is_empty() && stamps_in(message).flatten().any(sent)
    }
}

/// The message that is awaited.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// The first message that passes the filter and, if `event` is set, is a server-sent event of this name. With
    /// `named`, the script identified the message, so it counts even if a channel consumes it.
    Fitting {
        event: Option<String>,
        filter: Filter,
        named: bool,
    },
    /// Something that only its protocol recognises.
    Own(Own),
}

impl Wanted {
    /// Whether this message is an array of objects, and one of them has the values by which the script identified the
    /// awaited message.
    pub(crate) fn is_in_array(&self, message: &[u8]) -> bool {
        let Self::Fitting { filter, .. } = self else {
            return false;
        };
        let mut objects = objects_in_array(message).into_iter().flatten();
        !filter.is_empty() && objects.any(|object| filter.fits(object))
    }
}

/// A message whose reply is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip {
    pub(crate) name: usize,
    pub(crate) planned: Nanos,
    pub(crate) started: Nanos,
}

impl SocketState {
    /// The polling socket that this socket will replace.
    pub(crate) fn probes(&self) -> Option<u32> {
        self.purpose.probes()
    }

    /// Notes that the end of the socket is expected, so that it is no failure.
    pub(crate) fn expect_end(&mut self) {
        self.ending.closing.get_or_insert(Closing {
            op: None,
            until: Nanos::MAX,
        });
    }

    /// The name under which failures of the socket are counted: protocol and name.
    pub(crate) fn failing(&self) -> String {
        let protocol = match self.talk {
            Some(_) => Talk::KIND.counted_as,
            None => self.purpose.kind.counted_as,
        };
        // A socket that has the name of its protocol needs no other.
        if self.name == protocol {
            return self.name.clone();
        }
        format!("{protocol} {}", self.name)
    }

    /// Whether the opening is measured. A socket on the connection of another is not.
    pub(crate) fn measures_opening(&self) -> bool {
        !self.is_carried()
    }

    /// Whether the connection of another socket carries this one.
    pub(super) fn is_carried(&self) -> bool {
        self.purpose.kind.is_carried
    }

    /// The name under which this opening is measured.
    pub(crate) fn name_of(&self, opening: &Opening) -> Cow<'_, str> {
        if self.purpose.kind.reconnects && opening.op.is_none() {
            Cow::Owned(format!("{} (reconnect)", self.name))
        } else {
            Cow::Borrowed(&self.name)
        }
    }

    /// Whether the inbox has an array of messages with the awaited one.
    pub(crate) fn came_in_array(&self, wanted: &Wanted) -> bool {
        let is_text = self.purpose.is_messages();
        is_text
            && self
                .inbox
                .messages()
                .any(|message| wanted.is_in_array(message.bytes()))
    }

    /// The kind of connection as it appears in the texts of failures.
    pub(super) fn line(&self) -> &'static str {
        match self.talk {
            Some(_) => Talk::KIND.line,
            None => self.purpose.kind.line,
        }
    }
}
