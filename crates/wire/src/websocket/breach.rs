use model::Fault;

use crate::fault::{above_limit, protocol};

/// A violation of the protocol by the server: the fault, and the close code to send (RFC 6455 §7.4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The close code: 1002, 1007 or 1009.
    pub code: u16,
    /// The fault.
    pub fault: Fault,
}

impl Breach {
    pub(super) fn protocol(detail: &str) -> Self {
        Self {
            code: 1002,
            fault: protocol(detail),
        }
    }

    pub(super) fn not_utf8(what: &str) -> Self {
        Self {
            code: 1007,
            fault: protocol(format!("{what} is not UTF-8")),
        }
    }

    pub(super) fn too_large(limit: usize) -> Self {
        Self {
            code: 1009,
            fault: above_limit("a message", limit),
        }
    }
}
