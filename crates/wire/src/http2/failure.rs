use h2::{Error, Reason};
use model::{Fault, FaultKind};

use crate::fault::{protocol, too_large};
use crate::http::head::HEAD_LIMIT;

/// The reason why a stream or the connection ended.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) fault: Fault,
    /// The peer stated that it did not process the request (RFC 9113 §8.7).
    pub(super) unprocessed: bool,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            unprocessed: false,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            unprocessed: error.is_remote()
                && (error.is_go_away() || error.reason() == Some(Reason::REFUSED_STREAM)),
            fault: fault_of(&error),
        }
    }
}

fn fault_of(error: &Error) -> Fault {
    let Some(reason) = error.reason() else {
        return if error.is_io() {
            Fault::target(FaultKind::Reset, format!("HTTP/2 error: {error}"))
        } else {
            Fault::generator(FaultKind::Protocol, format!("HTTP/2: {error}"))
        };
    };
    match (error.is_remote(), error.is_go_away()) {
        (true, true) => Fault::target(
            FaultKind::Closed,
            format!("the peer is closing the connection (GOAWAY {reason:?})"),
        ),
        (true, false) => Fault::target(
            FaultKind::Reset,
            format!("the peer reset the stream ({reason:?})"),
        ),
        // `h2` refuses the stream itself if the response's head is above the limit.
        (false, false) if reason == Reason::REFUSED_STREAM => {
            too_large("the response's head", HEAD_LIMIT)
        }
        (false, _) => protocol(format!("not valid HTTP/2: {reason} ({reason:?})")),
    }
}
