use model::{Fault, FaultKind, Nanos};
use wire::Stream;

use super::events::http2::{self, MemberHttp2};
use super::member::MemberState;
use super::members::SharedMembers;
use crate::net::socket::Wire;

/// A connection of members of passive audiences.
#[derive(Debug)]
pub(crate) enum MemberLink {
    /// The connection of one member.
    Own(OwnLink),
    /// A connection on which each of its members has a subscription.
    Shared(SharedMembers),
}

/// The connection of one member of a passive audience.
#[derive(Debug)]
pub(crate) struct OwnLink {
    pub(super) wire: Wire,
    /// The connection of a stream of server-sent events over HTTP/2.
    pub(super) http2: Option<MemberHttp2>,
    pub(super) state: MemberState,
}

impl MemberLink {
    /// The stream of the connection.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        match self {
            Self::Own(own) => match &own.http2 {
                Some(http2) => Some(http2.stream()),
                None => own.wire.stream(),
            },
            Self::Shared(members) => members.wire.stream(),
        }
    }

    /// The stream of the connection, mutable.
    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        match self {
            Self::Own(own) => match &mut own.http2 {
                Some(http2) => Some(http2.stream_mut()),
                None => own.wire.stream_mut(),
            },
            Self::Shared(members) => members.wire.stream_mut(),
        }
    }

    /// The time by which the members must listen; `Nanos::MAX` if they do.
    pub(crate) fn limit(&self) -> Nanos {
        match self {
            Self::Own(own) => own.state.limit(),
            Self::Shared(members) => members.limit(),
        }
    }

    /// The reason why the server closed the connection.
    pub(super) fn on_close(&mut self) -> Fault {
        match self {
            Self::Own(own) => own.on_close(),
            Self::Shared(members) => {
                let closed =
                    || Fault::target(FaultKind::Closed, "the server closed the connection");
                members.wire.on_close().err().unwrap_or_else(closed)
            }
        }
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
