use model::{Nanos, UserId};
use wire::Stream;

use crate::audience::MemberLink;
use crate::http::Asked;
use crate::net;
use crate::net::Opening;
use crate::net::http::HttpLink;
use crate::net::http2::Http2Link;
use crate::socket::SocketLink;

/// The protocol on a connection. A new protocol needs a variant.
#[derive(Debug)]
pub(crate) enum Link {
    Http(HttpLink<Asked>),
    Http2(Box<Http2Link<Asked>>),
    Socket(Box<SocketLink>),
    /// A member of a passive audience.
    Member(Box<MemberLink>),
}

impl net::Link for Link {
    fn stream(&self) -> Option<&Stream> {
        match self {
            Self::Http(http) => Some(http.stream()),
            Self::Http2(http2) => Some(http2.stream()),
            Self::Socket(socket) => socket.wire.stream(),
            Self::Member(member) => member.stream(),
        }
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        match self {
            Self::Http(http) => Some(http.stream_mut()),
            Self::Http2(http2) => Some(http2.stream_mut()),
            Self::Socket(socket) => socket.wire.stream_mut(),
            Self::Member(member) => member.stream_mut(),
        }
    }

    fn limit(&self) -> Nanos {
        match self {
            Self::Http(http) => http.limit(),
            Self::Http2(http2) => http2.limit(),
            Self::Socket(socket) => socket.limit(),
            Self::Member(member) => member.limit(),
        }
    }
}

impl Link {
    /// Calls `tell` with each user who waits for data on this connection of `owner`.
    pub(crate) fn each_awaiting(&self, owner: UserId, mut tell: impl FnMut(UserId)) {
        match self {
            Self::Http(http) => {
                if http.call().is_some_and(|call| !call.context.is_of_socket()) {
                    tell(owner);
                }
            }
            Self::Http2(http2) => http2
                .calls()
                .filter(|call| !call.context.is_of_socket())
                .for_each(|call| tell(call.context.user)),
            Self::Socket(socket) => {
                if !socket.state.waiting.is_empty() {
                    tell(owner);
                }
            }
            Self::Member(_) => {}
        }
    }

    /// Takes the opening of an HTTP connection that is now open, or is given up.
    pub(crate) fn take_opening(&mut self) -> Option<Opening> {
        match self {
            Self::Http(http) => http.take_opening(),
            Self::Http2(http2) => http2.take_opening(),
            Self::Socket(_) | Self::Member(_) => None,
        }
    }
}
