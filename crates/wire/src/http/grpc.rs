//! The status of a gRPC call. It is separate from the HTTP status, which is 200 even for a failed call.

use model::{Fault, FaultKind};

use super::encoding::percent_decoded;
use crate::fault::{printable, protocol};

/// The header or trailer with the status code.
pub(crate) const STATUS: &str = "grpc-status";
/// The header or trailer with the error message.
pub(crate) const MESSAGE: &str = "grpc-message";

/// The names of the codes, starting at 0.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The reason why a gRPC call failed although its HTTP status is 200.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrpcError {
    /// A status other than 0.
    Status {
        /// The code. Codes 1 to 16 have names.
        code: u32,
        /// The server's message, percent-decoded; often empty.
        message: String,
    },
    /// A status that is not a number.
    Malformed(String),
    /// The response ended without a status.
    Missing,
}

impl GrpcError {
    /// Creates the error from the values of `grpc-status` and `grpc-message`. `None` if the call succeeded.
    pub(crate) fn of(status: &[u8], message: Option<&[u8]>) -> Option<Box<Self>> {
        let code = std::str::from_utf8(status).ok();
        Some(Box::new(match code.and_then(|code| code.parse().ok()) {
            Some(0) => return None,
            Some(code) => Self::Status {
                code,
                message: percent_decoded(message.unwrap_or_default()),
            },
            None => Self::Malformed(printable(status)),
        }))
    }

    /// The error as a fault of the target.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Status { code, message } => {
                let name = usize::try_from(*code).ok().and_then(|code| CODES.get(code));
                let name = name.unwrap_or(&"(unknown code)");
                let colon = if message.is_empty() { "" } else { ": " };
                Fault::target(
                    FaultKind::Grpc,
                    format!("gRPC {code} {name}{colon}{message}"),
                )
            }
            Self::Malformed(text) => protocol(format!("grpc-status is not a number: \"{text}\"")),
            Self::Missing => protocol("the gRPC response ended without grpc-status"),
        }
    }
}

/// Whether responses of this content type end with a gRPC status. gRPC-Web sends its status in the body instead.
pub(crate) fn is_content_type(value: &[u8]) -> bool {
    let rest = value.strip_prefix(b"application/grpc");
    rest.is_some_and(|rest| rest.first().is_none_or(|next| matches!(next, b'+' | b';')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_named_and_its_message_decoded() {
        let of = |status: &str, message: Option<&str>| {
            let error = GrpcError::of(status.as_bytes(), message.map(str::as_bytes));
            error.map(|error| error.fault().to_string())
        };
        assert_eq!(of("0", Some("ignored")), None);
        let said = of("5", Some("no tea, 100%25: d%C3%A9sol%C3%A9")).unwrap();
        assert_eq!(said, "gRPC status: gRPC 5 NOT_FOUND: no tea, 100%: désolé");
        assert_eq!(
            of("16", None).unwrap(),
            "gRPC status: gRPC 16 UNAUTHENTICATED"
        );
        assert_eq!(
            of("99", None).unwrap(),
            "gRPC status: gRPC 99 (unknown code)"
        );
        assert_eq!(
            of("5", Some("%zz%")).unwrap(),
            "gRPC status: gRPC 5 NOT_FOUND: %zz%"
        );
        let odd = of("bad", None).unwrap();
        assert_eq!(odd, "protocol: grpc-status is not a number: \"bad\"");
    }

    #[test]
    fn only_grpc_itself_must_end_with_a_status() {
        for grpc in [
            "application/grpc",
            "application/grpc+proto",
            "application/grpc;x=y",
        ] {
            assert!(is_content_type(grpc.as_bytes()), "{grpc}");
        }
        for other in [
            "application/grpc-web",
            "application/grpcx",
            "text/plain",
            "",
        ] {
            assert!(!is_content_type(other.as_bytes()), "{other}");
        }
    }
}
