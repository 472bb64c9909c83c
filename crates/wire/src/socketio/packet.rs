use std::fmt::Write as _;

use model::Fault;

use crate::fault::{printable, protocol, too_large};

/// Maximum number of binary attachments of one packet.
pub const ATTACHMENTS_LIMIT: usize = 1024;

/// The types of Socket.IO packets, with their digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Requests a namespace, or accepts the request.
    Connect = 0,
    /// Leaves a namespace.
    Disconnect = 1,
    /// Carries an event.
    Event = 2,
    /// Acknowledges an event.
    Ack = 3,
    /// Refuses a namespace.
    ConnectError = 4,
    /// An event with binary attachments, which follow.
    BinaryEvent = 5,
    /// An acknowledgement with binary attachments, which follow.
    BinaryAck = 6,
}

/// One Socket.IO packet, with slices of the received text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The type.
    pub kind: Kind,
    /// Number of binary messages that follow and belong to the packet.
    pub attachments: usize,
    /// The namespace, such as `/` or `/admin`.
    pub namespace: &'a str,
    /// The number that links an event to its acknowledgement.
    pub id: Option<u64>,
    /// JSON text, or empty.
    pub data: &'a str,
}

impl<'a> Packet<'a> {
    /// Parses the data of an Engine.IO message, without its leading `4`: `2["event",{}]` or
    /// `51-/admin,7["event",{"_placeholder":true,"num":0}]`.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        let unfit = || {
            let shown = printable(text.as_bytes());
            protocol(format!("`{shown}` is not a Socket.IO packet"))
        };
        let kind = kind_of(text).ok_or_else(unfit)?;
        let mut rest = &text[1..];
        let mut attachments = 0;
        if matches!(kind, Kind::BinaryEvent | Kind::BinaryAck) {
            let (count, behind) = rest.split_once('-').ok_or_else(unfit)?;
            attachments = digits(count).ok_or_else(unfit)?;
            rest = behind;
        }
        let attachments = usize::try_from(attachments).unwrap_or(usize::MAX);
        if attachments > ATTACHMENTS_LIMIT {
            return Err(too_large(
                "a packet's number of attachments",
                ATTACHMENTS_LIMIT,
            ));
        }
        let mut namespace = "/";
        if rest.starts_with('/') {
            (namespace, rest) = rest.split_once(',').unwrap_or((rest, ""));
            // Older servers append the query of the request.
            namespace = namespace
                .split_once('?')
                .map_or(namespace, |(name, _)| name);
        }
        let end = rest
            .bytes()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len());
        let id = match &rest[..end] {
            "" => None,
            number => Some(digits(number).ok_or_else(unfit)?),
        };
        let data = &rest[end..];
        let packet = Self {
            kind,
            attachments,
            namespace,
            id,
            data,
        };
        packet.is_whole().then_some(packet).ok_or_else(unfit)
    }

    /// Whether the data begins in the way that the packet's type requires.
    fn is_whole(&self) -> bool {
        let first = self.data.as_bytes().first();
        match self.kind {
            Kind::Connect => matches!(first, None | Some(b'{')),
            Kind::Disconnect => first.is_none(),
            Kind::ConnectError => matches!(first, Some(b'{' | b'"')),
            Kind::Event | Kind::BinaryEvent => first == Some(&b'['),
            Kind::Ack | Kind::BinaryAck => first == Some(&b'[') && self.id.is_some(),
        }
    }
}

fn kind_of(text: &str) -> Option<Kind> {
    Some(match text.as_bytes().first()? {
        b'0' => Kind::Connect,
        b'1' => Kind::Disconnect,
        b'2' => Kind::Event,
        b'3' => Kind::Ack,
        b'4' => Kind::ConnectError,
        b'5' => Kind::BinaryEvent,
        b'6' => Kind::BinaryAck,
        _ => return None,
    })
}

fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// The part of a packet before its data, with Engine.IO's `4`: `42` or `451-/admin,7`.
pub fn header(kind: Kind, attachments: usize, namespace: &str, id: Option<u64>) -> String {
    let mut text = String::with_capacity(namespace.len() + 24); // a number has at most 20 digits
    text.push('4');
    text.push(char::from(b'0' + kind as u8));
    if matches!(kind, Kind::BinaryEvent | Kind::BinaryAck) {
        let _ = write!(text, "{attachments}-"); // writing to a String cannot fail
    }
    if namespace != "/" {
        text.extend([namespace, ","]);
    }
    if let Some(id) = id {
        let _ = write!(text, "{id}"); // writing to a String cannot fail
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packet(text: &str) -> Packet<'_> {
        Packet::parse(text).unwrap()
    }

    #[test]
    fn the_packets_of_the_protocols_text() {
        // From the examples of socket.io-protocol v5.
        let found = packet(r#"0/admin,{"sid":"oSO0OpakMV_3jnilAAAA"}"#);
        assert_eq!((found.kind, found.namespace), (Kind::Connect, "/admin"));
        let found = packet(r#"4{"message":"Not authorized"}"#);
        assert_eq!(
            (found.kind, found.data),
            (Kind::ConnectError, r#"{"message":"Not authorized"}"#)
        );
        assert_eq!(packet(r#"2["foo"]"#).data, r#"["foo"]"#);
        let found = packet(r#"2/admin,12["bar"]"#);
        assert_eq!(
            (found.namespace, found.id, found.data),
            ("/admin", Some(12), r#"["bar"]"#)
        );
        assert_eq!(packet("3/admin,13[]").id, Some(13));
        assert_eq!(packet("1/admin,").kind, Kind::Disconnect);
        let found = packet(r#"51-/admin,7["baz",{"_placeholder":true,"num":0}]"#);
        assert_eq!(
            (found.kind, found.attachments, found.id),
            (Kind::BinaryEvent, 1, Some(7))
        );
        let found = packet(r#"61-15["bar",{"_placeholder":true,"num":0}]"#);
        assert_eq!((found.kind, found.id), (Kind::BinaryAck, Some(15)));
    }

    #[test]
    fn what_is_none_is_refused() {
        for bad in [
            "",
            "9",
            "2",
            "2{}",
            "3[]",
            "4",
            "1{}",
            "5[]",
            "5-[]",
            "5x-[]",
            "51[]",
            "0[]",
            "é",
            "299999999999999999999[]",
            "51025-[]",
        ] {
            assert!(Packet::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            binary in any::<bool>(),
            ack in any::<bool>(),
            attachments in 0_usize..9,
            namespace in "(/|/[a-z]{1,5})",
            id in proptest::option::of(any::<u64>()),
            data in "\\[[^\\x00]{0,20}\\]",
        ) {
            let (kind, attachments) = match (binary, ack) {
                (false, false) => (Kind::Event, 0),
                (false, true) => (Kind::Ack, 0),
                (true, false) => (Kind::BinaryEvent, attachments),
                (true, true) => (Kind::BinaryAck, attachments),
            };
            let id = if ack { Some(id.unwrap_or(3)) } else { id };
            let text = header(kind, attachments, &namespace, id) + &data;
            let wanted = Packet { kind, attachments, namespace: &namespace, id, data: &data };
            prop_assert_eq!(Packet::parse(&text[1..]).unwrap(), wanted);
        }

        #[test]
        fn nothing_makes_it_panic(text in "[0-9/,\\-\\[\\]{}\"a-zé]{0,30}") {
            let _ = Packet::parse(&text);
        }
    }
}
