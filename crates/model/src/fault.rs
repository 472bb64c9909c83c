use std::fmt;

use serde::{Deserialize, Serialize};

/// The side that is to blame for a failure.
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

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The host name has no address.
    Resolve,
    /// The connection was refused, because nothing listens there or there is no route.
    Refused,
    /// The connection was reset or closed while data was being sent.
    Reset,
    /// No response arrived within the time limit of a phase.
    TimedOut,
    /// The TLS handshake failed or the certificate was not accepted.
    Tls,
    /// An HTTP status of 400 or more that the script did not expect.
    Status,
    /// A gRPC status other than 0.
    Grpc,
    /// HTTP status 429.
    RateLimited,
    /// A response that the script rejected because of its content.
    Content,
    /// Bytes that the protocol does not allow.
    Protocol,
    /// A message, head or body above its limit.
    TooLarge,
    /// The connection was closed too early, or the target closed it and gave a reason.
    Closed,
    /// The target responded, but refused the user and gave a reason.
    Denied,
    /// Sockets, ports, memory or descriptors of the generator ran out.
    Resources,
    /// headcount refused to connect or send. The address is neither on this machine nor in a private network and the
    /// user did not allow it, or a redirect would send the body to another origin.
    NotAllowed,
    /// The script threw an error, or a promise was rejected.
    Thrown,
    /// The script ran longer than its limit without a pause.
    LoopedForever,
    /// The script awaits a promise that nothing will ever settle.
    NeverSettles,
    /// The iteration ended while calls of the script were in flight.
    NotAwaited,
    /// A check of the script was false.
    Check,
    /// A condition given to `eventually` did not come true in time.
    Eventually,
    /// Members of a group have different user states at the end.
    Diverged,
    /// Another member of the group failed, so that a barrier could not open.
    Barrier,
}

/// A failure: its side, its kind and a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fault {
    /// The side that is to blame.
    pub side: Side,
    /// The kind.
    pub kind: FaultKind,
    /// A one-line message. It should vary little, because only the first message of each kind is stored.
    pub detail: String,
}

impl Fault {
    /// A fault of the target.
    pub fn target(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            side: Side::Target,
            kind,
            detail: detail.into(),
        }
    }

    /// A fault of the generator.
    pub fn generator(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            side: Side::Generator,
            kind,
            detail: detail.into(),
        }
    }

    /// A fault of the script.
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
            Self::Content => "content",
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
