use model::{Fault, Nanos, UserId};
use url::Url;
use wire::Stream;

use crate::audience::MemberState;
use crate::http::InFlight;
use crate::net::EndpointIndex;
use crate::net::socket::{Transport, Wire};
use crate::owner::MemberId;
use crate::socket::SocketState;

/// A connection that waits to be opened.
#[derive(Debug)]
pub(crate) enum Dial {
    Http(Box<InFlight>),
    Socket(Box<SocketDial>),
    Reconnect(Reconnect),
    Member(Box<MemberDial>),
}

/// A socket that waits to be opened.
#[derive(Debug)]
pub(crate) struct SocketDial {
    pub(crate) user: UserId,
    /// The user's iteration. If the iteration ends before the socket is opened, the socket is not needed.
    pub(crate) epoch: u32,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) opener: Opener,
    pub(crate) state: SocketState,
}

/// A member of a passive audience that waits to be connected.
#[derive(Debug)]
pub(crate) struct MemberDial {
    pub(crate) member: MemberId,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) opener: Opener,
    pub(crate) state: MemberState,
    /// The member's number among all users and members, which determines its source address.
    pub(crate) number: u32,
}

macro_rules! define_opener {
    ($($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        /// How a socket is opened on its connection.
        #[derive(Debug)]
        #[expect(dead_code, reason = "requests carry the messages of one transport, which opens no connection")]
        pub(crate) enum Opener {
            $($name(<$wire as Transport>::Opener),)*
        }

        impl Opener {
            /// Sends the opening request on a connection that is being opened. `cookies` are those for
            /// [`Opener::cookies_for`].
            pub(crate) fn open_on(
                self,
                stream: Stream,
                max_message: usize,
                cookies: Option<&str>,
            ) -> Result<Wire, Fault> {
                match self {
                    $(Self::$name(opener) => {
                        <$wire as Transport>::open(opener, stream, max_message, cookies)
                            .map(Wire::$name)
                    })*
                }
            }

            /// The URL whose cookies the opening request still needs.
            pub(crate) fn cookies_for(&self) -> Option<&Url> {
                match self {
                    $(Self::$name(opener) => <$wire as Transport>::cookies_for(opener),)*
                }
            }
        }
    };
}
with_protocols!(define_opener);

/// A stream of server-sent events that waits for its next connection. The stream itself is in the connection table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reconnect {
    pub(crate) user: UserId,
    pub(crate) key: u32,
    pub(crate) asked: Nanos,
}

impl Dial {
    /// The user who needs the connection; `None` for a member of a passive audience.
    pub(crate) fn user(&self) -> Option<UserId> {
        match self {
            Self::Http(flight) => Some(flight.context.user),
            Self::Socket(dial) => Some(dial.user),
            Self::Reconnect(dial) => Some(dial.user),
            Self::Member(_) => None,
        }
    }

    /// The time at which the connection was requested.
    pub(crate) fn asked(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.started,
            Self::Socket(dial) => dial.state.opening.map_or(Nanos::ZERO, |it| it.asked),
            Self::Reconnect(dial) => dial.asked,
            // Members connect before the level starts, where no start is measured.
            Self::Member(_) => Nanos::ZERO,
        }
    }

    /// The time limit of a request. A socket has none here, because its time limit begins when it leaves the queue. The
    /// connection table has the time limit of a stream that reconnects.
    pub(crate) fn limit(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.limit(),
            Self::Socket(_) | Self::Reconnect(_) | Self::Member(_) => Nanos::MAX,
        }
    }
}
