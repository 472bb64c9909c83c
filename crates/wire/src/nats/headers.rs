use std::str;

use model::Fault;

use crate::fault::{printable, protocol};

/// The first line of a block of headers, before an optional status.
pub(super) const VERSION: &str = "NATS/1.0";

/// The headers of a message, as slices of the read buffer. Names are case-sensitive, and a name may occur several times
/// (ADR-4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers<'a> {
    /// What follows `NATS/1.0` on the first line.
    status: &'a str,
    /// The lines, each with its line end.
    lines: &'a str,
}

/// A status that the server sends instead of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status<'a> {
    /// The code, such as 503: nobody has subscribed to the subject of a request.
    pub code: u16,
    /// The description; often empty.
    pub description: &'a str,
}

impl<'a> Headers<'a> {
    /// Parses a block: `NATS/1.0`, an optional status, the lines `name: value`, and an empty line. An empty slice is a
    /// message without headers.
    pub(super) fn parse(block: &'a [u8]) -> Result<Self, Fault> {
        if block.is_empty() {
            return Ok(Self::default());
        }
        let headers = Self::split(block).ok_or_else(|| {
            let shown = printable(block);
            protocol(format!("`{shown}` are not the headers of a NATS message"))
        })?;
        if headers.status.is_empty() || headers.status().is_some() {
            return Ok(headers);
        }
        let shown = printable(headers.status.as_bytes());
        Err(protocol(format!(
            "`{shown}` is not the status of a NATS message"
        )))
    }

    fn split(block: &'a [u8]) -> Option<Self> {
        let text = str::from_utf8(block).ok()?;
        let text = text.strip_prefix(VERSION)?.strip_suffix("\r\n")?;
        let (status, lines) = text.split_once("\r\n")?;
        let is_whole = lines.is_empty() || lines.ends_with("\r\n");
        let all_named = pairs(lines).all(|pair| pair.is_some());
        (is_whole && all_named).then(|| Self {
            status: status.trim(),
            lines,
        })
    }

    /// Whether there are neither headers nor a status.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty() && self.lines.is_empty()
    }

    /// The status, if the server sent one.
    pub fn status(&self) -> Option<Status<'a>> {
        let (code, description) = self.status.split_at_checked(3)?;
        let is_code = code.bytes().all(|byte| byte.is_ascii_digit());
        let is_apart = description.is_empty() || description.starts_with(' ');
        (is_code && is_apart).then_some(())?;
        Some(Status {
            code: code.parse().ok()?,
            description: description.trim(),
        })
    }

    /// Every header in order: name and value, without the blanks around the value.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        pairs(self.lines).flatten()
    }

    /// The first value of a header.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }
}

/// The headers of lines. A line that is none gives `None`.
fn pairs(lines: &str) -> impl Iterator<Item = Option<(&str, &str)>> {
    let lines = lines.split_terminator("\r\n");
    lines.map(|line| {
        let (name, value) = line.split_once(':')?;
        (!name.is_empty()).then(|| (name, value.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_their_order_and_case() {
        let block =
            b"NATS/1.0\r\nBREAKFAST: donut\r\nLUNCH:burger\r\nBREAKFAST:  a:b \r\nNone:\r\n\r\n";
        let headers = Headers::parse(block).unwrap();
        let all: Vec<_> = headers.iter().collect();
        let expected = [
            ("BREAKFAST", "donut"),
            ("LUNCH", "burger"),
            ("BREAKFAST", "a:b"),
            ("None", ""),
        ];
        assert_eq!(all, expected);
        assert_eq!(headers.get("BREAKFAST"), Some("donut"));
        assert_eq!(headers.get("breakfast"), None);
        assert_eq!(headers.status(), None);
        assert!(!headers.is_empty() && Headers::default().is_empty());
    }

    #[test]
    fn a_status_has_a_code_and_perhaps_a_description() {
        let status = |block: &str| {
            let headers = Headers::parse(block.as_bytes()).unwrap();
            headers
                .status()
                .map(|Status { code, description }| (code, description.to_owned()))
        };
        assert_eq!(status("NATS/1.0 503\r\n\r\n"), Some((503, String::new())));
        assert_eq!(
            status("NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 1\r\n\r\n"),
            Some((100, "Idle Heartbeat".into()))
        );
        assert_eq!(status("NATS/1.0\r\n\r\n"), None);
        assert_eq!(status("NATS/1.0 \r\nA: b\r\n\r\n"), None);
    }

    #[test]
    fn other_blocks_are_refused() {
        for bad in [
            "NATS/1.0",
            "NATS/1.0\r\n",
            "NATS/1.0\r\nA: b\r\n",
            "NATS/1.0\r\nA\r\n\r\n",
            "NATS/1.0\r\n: b\r\n\r\n",
            "HTTP/1.0\r\n\r\n",
            "NATS/1.0 x\r\n\r\n",
            "NATS/1.0 5030\r\n\r\n",
            "NATS/1.0 50\r\n\r\n",
            "\r\n\r\n",
            "NATS/1.0\r\nA: b\n\r\n\r\n\r\n",
        ] {
            assert!(Headers::parse(bad.as_bytes()).is_err(), "{bad:?}");
        }
        assert!(Headers::parse(b"NATS/1.0\r\nA: \xff\r\n\r\n").is_err());
    }
}
