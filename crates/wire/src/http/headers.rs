use std::str;

use memchr::memchr;

/// The head of a response as received. It is parsed only when a header is read.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    /// Status line, header lines and the empty line, already checked by the parser.
    raw: Box<[u8]>,
    sets_cookies: bool,
}

impl Headers {
    /// `checked` is a head that the parser has accepted. `sets_cookies` states whether the head has a `Set-Cookie`
    /// header, so that no code has to search for one.
    pub(crate) fn new(checked: &[u8], sets_cookies: bool) -> Self {
        Self {
            raw: checked.into(),
            sets_cookies,
        }
    }

    /// Whether there is a `Set-Cookie` header.
    pub(crate) fn sets_cookies(&self) -> bool {
        self.sets_cookies
    }

    /// The first value of a header; the case of `name` does not matter. Values that are not UTF-8 are skipped.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Every value of a header, in order. `Set-Cookie` may occur many times.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter()
            .filter(move |(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Every header as received, in order, except those with values that are not UTF-8.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines().skip(1).filter_map(|line| {
            let colon = memchr(b':', line)?;
            let name = str::from_utf8(&line[..colon]).ok()?;
            let value = str::from_utf8(&line[colon + 1..]).ok()?;
            Some((name, value.trim_matches([' ', '\t'])))
        })
    }

    /// The reason phrase after the status code; often empty.
    pub fn reason(&self) -> &str {
        let line = self.lines().next().unwrap_or_default();
        let words = line.splitn(3, |&byte| byte == b' ').nth(2);
        words
            .and_then(|reason| str::from_utf8(reason).ok())
            .unwrap_or_default()
    }

    /// Status line, header lines and the empty line, as received.
    pub fn into_raw(self) -> Vec<u8> {
        self.raw.into_vec()
    }

    /// Size of the head in bytes.
    pub fn size(&self) -> usize {
        self.raw.len()
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.raw
            .split(|&byte| byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_whatever_their_case_and_place() {
        let head =
            b"HTTP/1.1 200 All is well\r\nSet-Cookie: a=1\r\nX-Empty:\r\nset-cookie:b=2 \r\n\r\n";
        let headers = Headers::new(head, true);
        assert_eq!(headers.get("SET-COOKIE"), Some("a=1"));
        let all: Vec<&str> = headers.all("set-cookie").collect();
        assert_eq!(all, ["a=1", "b=2"]);
        assert_eq!(headers.get("x-empty"), Some(""));
        assert_eq!(headers.get("x-none"), None);
        assert_eq!(headers.reason(), "All is well");
        assert_eq!(headers.iter().count(), 3);
        assert_eq!(Headers::new(b"HTTP/1.1 200\r\n\r\n", false).reason(), "");
    }
}
