//! Reads time and size limits, headers, and the query for state left from an earlier run.

use model::Nanos;
use serde_json::Value;

use super::section::Field;
use super::url;
use super::values::{bytes, positive_duration, text};
use crate::problem::{Flaw, Problems, quoted};

/// Headers that frame a message. Only the HTTP client can set them correctly.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// Time limits for each phase. None of them is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Time until the connection is open, including TLS.
    pub connect: Nanos,
    /// Time from the request to the first byte of the response; never more than `total`.
    pub first_byte: Nanos,
    /// Time from the request to the last byte of the response. Also limits replies and WebSocket handshakes.
    pub total: Nanos,
}

/// A query before every level. A non-zero number means that state is left from an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftovers {
    /// An absolute URL, or a path below the target that starts with `/`.
    pub url: String,
    /// JSON pointer (RFC 6901) to the number in the response.
    pub at: String,
}

/// Memory and time limits of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Maximum memory per worker, in bytes.
    pub memory: usize,
    /// Maximum run time without a pause. A longer loop counts as endless.
    pub time: Nanos,
}

pub(super) fn timeouts(field: &Field<'_>, problems: &mut Problems) -> Timeouts {
    let section = field.open(&["connect", "firstByte", "total"], problems);
    let (connect, total) = (Nanos::from_secs(5), Nanos::from_secs(30));
    let connect = section
        .field("connect")
        .read(problems, connect, positive_duration);
    let total = section
        .field("total")
        .read(problems, total, positive_duration);
    let first_byte =
        section
            .field("firstByte")
            .read(problems, total, |value| match positive_duration(value)? {
                first if first > total => Err(Flaw::new(format!(
                    "{first} is longer than `timeouts.total`, {total}"
                ))),
                first => Ok(first),
            });
    Timeouts {
        connect,
        first_byte,
        total,
    }
}

pub(super) fn script(field: &Field<'_>, problems: &mut Problems) -> ScriptLimits {
    let section = field.open(&["memory", "time"], problems);
    let time = Nanos::from_secs(1);
    ScriptLimits {
        memory: section
            .field("memory")
            .read(problems, 1_000_000_000, |value| {
                bytes(value, 1_000_000, 1_000_000_000_000)
            }),
        time: section
            .field("time")
            .read(problems, time, positive_duration),
    }
}

pub(super) fn message_size(value: &Value) -> Result<usize, Flaw> {
    bytes(value, 1, 4_000_000_000)
}

pub(super) fn headers(field: &Field<'_>, problems: &mut Problems) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, field) in field.open_free(problems).entries() {
        if let Err(flaw) = header_name(name) {
            field.refuse(problems, flaw);
        } else if headers
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            field.refuse(
                problems,
                Flaw::new("is given twice: case does not matter in headers"),
            );
        } else if let Some(value) = field.read_some(problems, header_value) {
            headers.push((name.clone(), value));
        }
    }
    headers
}

/// Checks that a header name is a token (RFC 9110 §5.6.2), and that the client does not set this header itself.
fn header_name(name: &str) -> Result<(), Flaw> {
    let token = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
    if name.is_empty() || !name.bytes().all(token) {
        return Err(Flaw::new(format!(
            "{} is not the name of a header",
            quoted(name)
        )));
    }
    if FRAMING.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(Flaw::new(format!(
            "headcount sets `{name}` itself for each request"
        )));
    }
    Ok(())
}

/// Reads a header value (RFC 9110 §5.5, without obsolete bytes). A line break is refused, because it would begin
/// another header.
fn header_value(value: &Value) -> Result<String, Flaw> {
    let value = text(value)?;
    match value.chars().find(|c| c.is_control() && *c != '\t') {
        Some(control) => Err(Flaw::new(format!(
            "has the control character {control:?}, which headers must not contain"
        ))),
        None => Ok(value.trim().to_owned()),
    }
}

pub(super) fn leftovers(field: &Field<'_>, problems: &mut Problems) -> Option<Leftovers> {
    field.value?;
    let section = field.open(&["url", "at"], problems);
    for name in ["url", "at"] {
        let part = section.field(name);
        if part.value.is_none() {
            part.refuse(problems, Flaw::new("is missing"));
        }
    }
    let url = section.field("url").read_some(problems, url::of_request);
    let at = section.field("at").read_some(problems, pointer);
    Some(Leftovers { url: url?, at: at? })
}

/// Checks a JSON pointer (RFC 6901). It is empty, or each part begins with `/` and contains `~` only in `~0` and `~1`.
fn pointer(value: &Value) -> Result<String, Flaw> {
    let pointer = text(value)?;
    let starts = pointer.is_empty() || pointer.starts_with('/');
    let escapes = pointer
        .split('~')
        .skip(1)
        .all(|rest| rest.starts_with(['0', '1']));
    if starts && escapes {
        return Ok(pointer.to_owned());
    }
    let message = format!(
        "expected a JSON pointer such as `/sessions/open`, got {}",
        quoted(pointer)
    );
    Err(Flaw::new(message))
}
