//! Packets of the Socket.IO protocol (revision 5), without the preceding Engine.IO type.

use std::borrow::Cow;
use std::fmt::Write;

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// The main namespace, which is the only one.
const MAIN: &str = "/";

/// A packet from a client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Packet<'a> {
    /// A request to enter a namespace.
    Connect { namespace: &'a str },
    /// A request to leave a namespace.
    Disconnect { namespace: &'a str },
    /// An event in the main namespace.
    Event(Event<'a>),
    /// A response to an event from the server. The server never requests such a response.
    Acknowledgement,
    /// An event with binary attachments. Contains their number, and the number of the acknowledgement that the event
    /// requests.
    Binary {
        parts: u32,
        acknowledge: Option<u64>,
    },
}

/// An event, with its name, the rest of the array, and the number of the acknowledgement that the event requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    pub(crate) name: Cow<'a, str>,
    /// The JSON after the name: `,PAYLOAD]` or `]`.
    pub(crate) rest: &'a str,
    pub(crate) acknowledge: Option<u64>,
}

/// The text is not a packet. As in the original, the connection then ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a Socket.IO packet")]
pub(crate) struct NotAPacket;

impl<'a> Packet<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, NotAPacket> {
        let kind = text.bytes().next().ok_or(NotAPacket)?;
        let rest = text.get(1..).ok_or(NotAPacket)?;
        let (parts, rest) = match kind {
            b'5' | b'6' => {
                let (parts, rest) = rest.split_once('-').ok_or(NotAPacket)?;
                (parts.parse().map_err(|_| NotAPacket)?, rest)
            }
            _ => (0, rest),
        };
        let (namespace, rest) = namespace(rest);
        match kind {
            b'0' if rest.is_empty() || is_object(rest) => Ok(Self::Connect { namespace }),
            b'1' if rest.is_empty() => Ok(Self::Disconnect { namespace }),
            b'2' if namespace == MAIN => Event::parse(rest).map(Self::Event),
            b'3' if is_answer(rest) => Ok(Self::Acknowledgement),
            b'5' => Ok(Self::Binary {
                parts,
                acknowledge: acknowledge(rest)?.0,
            }),
            b'6' => Ok(Self::Binary {
                parts,
                acknowledge: None,
            }),
            _ => Err(NotAPacket),
        }
    }
}

/// Splits off the namespace. Without a namespace, the packet belongs to the main namespace.
fn namespace(text: &str) -> (&str, &str) {
    if !text.starts_with('/') {
        return (MAIN, text);
    }
    let (namespace, rest) = text.split_once(',').unwrap_or((text, ""));
    // Old clients may append a query to the name.
    (namespace.split('?').next().unwrap_or(namespace), rest)
}

/// Splits off the number of the acknowledgement. The rest begins with the array.
fn acknowledge(text: &str) -> Result<(Option<u64>, &str), NotAPacket> {
    let (number, array) = text.split_at(text.find('[').ok_or(NotAPacket)?);
    let number = match number {
        "" => None,
        number => Some(number.parse().map_err(|_| NotAPacket)?),
    };
    Ok((number, array))
}

/// Whether the text is a JSON object, such as the authentication data that a client may send when it connects.
fn is_object(text: &str) -> bool {
    text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether the text is a number followed by an array.
fn is_answer(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_ascii_digit())
        .starts_with('[')
}

impl<'a> Event<'a> {
    fn parse(text: &'a str) -> Result<Self, NotAPacket> {
        let (acknowledge, array) = acknowledge(text)?;
        let (name, rest) = name(array.get(1..).unwrap_or_default()).ok_or(NotAPacket)?;
        let rest = rest.trim_start();
        if !rest.starts_with([',', ']']) {
            return Err(NotAPacket);
        }
        Ok(Self {
            name,
            rest,
            acknowledge,
        })
    }

    /// Parses the payload. `None` if the event has no payload.
    pub(crate) fn payload<T: Deserialize<'a>>(&self) -> Option<Result<T, serde_json::Error>> {
        let rest = self.rest.strip_prefix(',')?;
        let mut values = Deserializer::from_str(rest).into_iter();
        let payload = values.next()?;
        let behind = rest.get(values.byte_offset()..).unwrap_or_default();
        Some(payload.and_then(|payload| ends(behind).map(|()| payload)))
    }
}

/// Splits off the event's name from an array without its opening bracket.
fn name(array: &str) -> Option<(Cow<'_, str>, &str)> {
    let array = array.trim_start();
    let quoted = array.strip_prefix('"')?;
    let end = quoted.find(['"', '\\'])?;
    let (plain, rest) = quoted.split_at(end);
    if let Some(rest) = rest.strip_prefix('"') {
        return Some((Cow::Borrowed(plain), rest));
    }
    let mut names = Deserializer::from_str(array).into_iter::<String>();
    let name = names.next()?.ok()?;
    Some((Cow::Owned(name), array.get(names.byte_offset()..)?))
}

/// Checks that the array ends here, or that the further arguments are valid. These arguments are ignored.
fn ends(behind: &str) -> Result<(), serde_json::Error> {
    let behind = behind.trim();
    if behind == "]" {
        return Ok(());
    }
    let further = behind
        .strip_prefix(',')
        .filter(|further| further.trim_start() != "]");
    let further =
        further.ok_or_else(|| Error::custom("the event does not end after its payload"))?;
    serde_json::from_str::<Vec<IgnoredAny>>(&format!("[{further}")).map(|_| ())
}

/// Builds an event with the Engine.IO packet type.
pub(crate) fn event(name: &str, payload: &impl Serialize) -> String {
    let mut text = format!("42[\"{name}\",");
    text.push_str(&json(payload));
    text.push(']');
    text
}

/// Builds the acknowledgement of an event.
pub(crate) fn acknowledgement(number: u64, payload: &impl Serialize) -> String {
    format!("43{number}[{}]", json(payload))
}

/// Builds a `code-change` event from a text that is already JSON.
pub(crate) fn code_change(code: &RawValue) -> String {
    let code = code.get();
    let mut text = String::with_capacity(code.len() + 28);
    text.push_str("42[\"code-change\",{\"code\":");
    text.push_str(code);
    text.push_str("}]");
    text
}

/// Builds a `cursor-change` event from values that are already JSON.
pub(crate) fn cursor_change(sender: &str, cursor: &RawValue, username: &RawValue) -> String {
    let mut text = String::with_capacity(160);
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "42[\"cursor-change\",{{\"socketId\":\"{sender}\",\"cursor\":{cursor},\"username\":{username}}}]"
    );
    text
}

/// Serialization cannot fail, because the values consist only of strings and numbers.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}
