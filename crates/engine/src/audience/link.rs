use delivery::Documents;
use model::{Fault, FaultKind, Nanos};
use script::host::Payload;

use crate::filter::Filter;
use crate::net::socket::Wire;

/// The connection of a member of a passive audience.
#[derive(Debug)]
pub(crate) struct MemberLink {
    pub(crate) wire: Wire,
    pub(super) state: MemberState,
}

/// The state of a member.
#[derive(Debug, Default)]
pub(crate) struct MemberState {
    /// `None` once the member listens.
    pub(super) opening: Option<Box<MemberOpening>>,
    /// Extracts documents from messages.
    pub(super) documents: Documents,
    /// Code and reason of the server's close frame.
    pub(super) close: Option<(Option<u16>, String)>,
}

/// A member that does not listen yet.
#[derive(Debug)]
pub(crate) struct MemberOpening {
    /// Whether the connection is open, so that only the message that `ready` describes is missing.
    pub(super) is_open: bool,
    /// Messages to send as soon as the connection is open.
    pub(super) first: Vec<Payload>,
    /// The message from which on the member listens; matches everything if the member needs none.
    pub(super) ready: Filter,
    pub(super) until: Nanos,
    pub(super) limit: Nanos,
}

impl MemberLink {
    /// The time by which the member must listen; `Nanos::MAX` if it does.
    pub(crate) fn limit(&self) -> Nanos {
        let opening = self.state.opening.as_ref();
        opening.map_or(Nanos::MAX, |opening| opening.until)
    }

    /// The fault of a member that does not listen in time.
    pub(super) fn took_too_long(&self) -> Fault {
        let (is_open, limit) = match &self.state.opening {
            Some(opening) => (opening.is_open, opening.limit),
            None => (true, Nanos::ZERO),
        };
        let what = if is_open {
            "no message matched `ready`"
        } else {
            "the connection did not open"
        };
        Fault::target(FaultKind::TimedOut, format!("{what} within {limit}"))
    }

    /// The reason why the server closed the connection.
    pub(super) fn on_close(&mut self) -> Fault {
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
