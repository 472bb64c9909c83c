use std::borrow::Cow;

use model::{Fault, FaultKind};

use super::slot::SLOTS;

/// Maximum length of an error's text, in bytes. A server may send megabytes, which nobody reads, in each of many errors.
const LONGEST: usize = 1000;

/// An error that the server sent in place of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorReply<'a> {
    bytes: &'a [u8],
}

/// The node that serves a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redirect<'a> {
    /// Whether the slot belongs to the node for good.
    pub kind: RedirectKind,
    /// The slot of the command's keys.
    pub slot: u16,
    /// The host. Empty if it is the host of the node that sent the redirect.
    pub host: &'a str,
    /// The port.
    pub port: u16,
}

/// How long a redirect lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `MOVED`: the slot belongs to the node from now on.
    Moved,
    /// `ASK`: the slot is being moved. Send this command to the node after an `ASKING`, and later ones as before.
    Ask,
}

impl<'a> ErrorReply<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The code and the message, as the server sent them. The rest of a very long message is left out.
    pub fn text(&self) -> Cow<'a, str> {
        match self.bytes.get(..LONGEST) {
            Some(shown) => format!("{}…", String::from_utf8_lossy(shown)).into(),
            None => String::from_utf8_lossy(self.bytes),
        }
    }

    /// The code, such as `ERR`, `WRONGTYPE` or `NOAUTH`.
    pub fn code(&self) -> &'a str {
        let bytes = &self.bytes[..self.bytes.len().min(LONGEST)];
        let end = bytes.iter().position(|&byte| byte == b' ');
        str::from_utf8(&bytes[..end.unwrap_or(bytes.len())]).unwrap_or_default()
    }

    /// The redirect to another node of a cluster: `MOVED 3999 127.0.0.1:6381`.
    pub fn redirect(&self) -> Option<Redirect<'a>> {
        let kind = match self.code() {
            "MOVED" => RedirectKind::Moved,
            "ASK" => RedirectKind::Ask,
            _ => return None,
        };
        let mut words = str::from_utf8(self.bytes).ok()?.split(' ').skip(1);
        let slot = words.next()?.parse().ok().filter(|&slot| slot < SLOTS)?;
        // The last colon, because a host may be an IPv6 address without brackets.
        let (host, port) = words.next()?.rsplit_once(':')?;
        Some(Redirect {
            kind,
            slot,
            host: if host == "?" { "" } else { host },
            port: port.parse().ok()?,
        })
    }

    /// The error as a fault of the target.
    pub fn fault(&self) -> Fault {
        let kind = match self.code() {
            "NOAUTH" | "WRONGPASS" | "NOPERM" | "DENIED" => FaultKind::Denied,
            _ => FaultKind::Content,
        };
        Fault::target(kind, format!("Redis error: {}", self.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_name_slot_and_node() {
        let table = [
            (
                "MOVED 3999 127.0.0.1:6381",
                RedirectKind::Moved,
                3999,
                "127.0.0.1",
                6381,
            ),
            ("ASK 16383 ::1:7000", RedirectKind::Ask, 16383, "::1", 7000),
            (
                "MOVED 0 node.test:1",
                RedirectKind::Moved,
                0,
                "node.test",
                1,
            ),
            ("MOVED 1 :6380", RedirectKind::Moved, 1, "", 6380),
            ("MOVED 1 ?:6380", RedirectKind::Moved, 1, "", 6380),
        ];
        for (text, kind, slot, host, port) in table {
            let expected = Redirect {
                kind,
                slot,
                host,
                port,
            };
            assert_eq!(
                ErrorReply::new(text.as_bytes()).redirect(),
                Some(expected),
                "{text}"
            );
        }
        for text in [
            "MOVED",
            "MOVED 1",
            "MOVED x a:1",
            "MOVED 16384 a:1",
            "MOVED 1 a",
            "MOVED 1 a:x",
            "MOVED 1 a:65536",
            "ERR MOVED 1 a:1",
            "moved 1 a:1",
            "TRYAGAIN 1 a:1",
        ] {
            assert_eq!(ErrorReply::new(text.as_bytes()).redirect(), None, "{text}");
        }
    }

    #[test]
    fn the_code_decides_the_kind_of_the_fault() {
        let error = ErrorReply::new(b"WRONGTYPE Operation against a key");
        assert_eq!(error.code(), "WRONGTYPE");
        assert_eq!(error.fault().kind, FaultKind::Content);
        assert!(error.fault().detail.contains("against a key"));
        assert_eq!(
            ErrorReply::new(b"NOAUTH Authentication required.")
                .fault()
                .kind,
            FaultKind::Denied
        );
        assert_eq!(ErrorReply::new(b"ERR").code(), "ERR");
        assert_eq!(ErrorReply::new(b"\xff x").code(), "");
    }

    #[test]
    fn a_very_long_text_is_cut_off() {
        let long = [b"ERR ".as_slice(), &vec![b'x'; 15_000_000]].concat();
        let error = ErrorReply::new(&long);
        assert_eq!(error.code(), "ERR");
        assert!(error.text().ends_with("xx…") && error.text().len() < 1010);
        assert!(error.fault().detail.len() < 1100);
        assert_eq!(ErrorReply::new(&long[4..]).code().len(), 1000);
    }
}
