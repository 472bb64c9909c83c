use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The system under test.
    Target,
    /// headcount itself or the machine that it runs on.
    Generator,
    /// The user's scenario.
    Script,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The host name has no address.
    Resolve,
    /// Nobody listens there.
    Refused,
    /// The connection was reset or closed in the middle.
    Reset,
    /// No answer within the limit of a phase.
    TimedOut,
    /// TLS could not be agreed or the certificate was not accepted.
    Tls,
    /// An HTTP status of 400 or more that the script did not expect.
    Status,
    /// A gRPC status other than 0.
    Grpc,
    /// HTTP status 429.
    RateLimited,
    /// Bytes that the protocol does not allow.
    Protocol,
    /// A message larger than the limit.
    TooLarge,
    /// The target closed the connection with a reason of its own.
    Closed,
    /// The target was there and refused the user, with a reason of its own.
    Denied,
    /// Sockets, ports, memory or descriptors of the generator ran out.
    Resources,
    /// The target lies beyond this machine and was not declared the user's own.
    NotAllowed,
    /// The script threw or rejected.
    Thrown,
    /// The script ran longer than its limit without a pause.
    LoopedForever,
    /// The script awaits something that nothing will ever settle.
    NeverSettles,
    /// The iteration ended while calls of the script were in flight.
    NotAwaited,
    /// A check of the script came out false.
    Check,
    /// A condition given to `eventually` did not come true in time.
    Eventually,
    /// Members of a group hold different documents in the end.
    Diverged,
    /// Another member of the group failed, so that a barrier could not open.
    Barrier,
}

/// Why something failed: side, kind and one line for people.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fault {
    /// Whose fault.
    pub side: Side,
    /// What kind.
    pub kind: FaultKind,
    /// One line for people, low in cardinality where it can be: it is kept once per kind.
    pub detail: String,
}

impl Fault {
    /// The target's fault.
    pub fn target(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            side: Side::Target,
            kind,
            detail: detail.into(),
        }
    }

    /// The generator's fault.
    pub fn generator(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            side: Side::Generator,
            kind,
            detail: detail.into(),
        }
    }

    /// The script's fault.
    pub fn script(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            side: Side::Script,
            kind,
            detail: detail.into(),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Target => "target",
            Self::Generator => "generator",
            Self::Script => "script",
        })
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resolve => "name not resolved",
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::TimedOut => "timed out",
            Self::Tls => "TLS",
            Self::Status => "HTTP status",
            Self::Grpc => "gRPC status",
            Self::RateLimited => "rate-limited",
            Self::Protocol => "protocol",
            Self::TooLarge => "too large",
            Self::Closed => "closed",
            Self::Denied => "denied",
            Self::Resources => "resources",
            Self::NotAllowed => "not allowed",
            Self::Thrown => "thrown",
            Self::LoopedForever => "looped for ever",
            Self::NeverSettles => "never settles",
            Self::NotAwaited => "not awaited",
            Self::Check => "check",
            Self::Eventually => "eventually",
            Self::Diverged => "diverged",
            Self::Barrier => "barrier",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl std::error::Error for Fault {}
