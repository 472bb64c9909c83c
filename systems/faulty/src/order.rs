use std::time::Duration;

use serde::Deserialize;

/// The configuration of a port: a delay, and one fault.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Order {
    /// Milliseconds between a request and its response, or a message and its deliveries.
    pub(crate) delay_ms: u64,
    pub(crate) fault: Kind,
    /// The fault affects every nth connection, request or delivery. 0 and 1 mean all.
    pub(crate) each: u64,
    /// Start of a timed fault, in milliseconds after the first request.
    pub(crate) at_ms: u64,
    /// Duration of the fault, or the extra delay, in milliseconds.
    pub(crate) ms: u64,
}

/// The faults.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    #[default]
    Healthy,
    /// From `at_ms`, these connections send nothing for `ms`, or forever if `ms` is 0.
    Frozen,
    /// These connections are accepted and closed.
    AcceptClose,
    /// These connections speak another protocol.
    WrongProtocol,
    /// These connections get an endless flood of tiny messages or body chunks.
    Flood,
    /// These connections get an endless flood of frames without content, or of interim responses.
    Noise,
    /// These requests get no response, and these deliveries are not sent.
    Drop,
    /// These connections are closed instead of getting responses and deliveries.
    Close,
    /// These connections are reset instead of getting responses and deliveries.
    Reset,
    /// These responses end before their announced length.
    Truncate,
    /// These responses have status 500.
    Error,
    /// These responses have status 200 and a `grpc-status` of 13.
    GrpcError,
    /// These responses and deliveries are sent `ms` later.
    Late,
    /// The body of each of these responses takes `ms` from the first byte to the last.
    Drip,
    /// These responses and deliveries are sent twice.
    Duplicate,
    /// These deliveries are sent `ms` later, so that others overtake them.
    Swap,
    /// These deliveries are also sent to a member of another room.
    Stray,
}

impl Order {
    pub(crate) fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms)
    }

    /// Whether the fault affects operation `n`, counted from 1.
    fn hits(&self, n: u64) -> bool {
        n.is_multiple_of(self.each.max(1))
    }

    /// Whether connection `n` has this connection fault.
    pub(crate) fn connection_has(&self, fault: Kind, n: u64) -> bool {
        self.fault == fault && self.hits(n)
    }

    /// The fault of request or delivery `n`.
    pub(crate) fn act(&self, n: u64) -> Kind {
        match self.fault {
            Kind::Frozen | Kind::AcceptClose | Kind::WrongProtocol | Kind::Flood | Kind::Noise => {
                Kind::Healthy
            }
            act if self.hits(n) => act,
            _ => Kind::Healthy,
        }
    }

    /// The delay that the fault `act` adds.
    pub(crate) fn extra(&self, act: Kind) -> Duration {
        match act {
            Kind::Late | Kind::Swap => Duration::from_millis(self.ms),
            _ => Duration::ZERO,
        }
    }
}
