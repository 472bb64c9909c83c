//! Which requests the live page serves: those that know the token of its URL, and that name this machine.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Size of the token in bytes: 128 bits.
const SIZE: usize = 16;

/// A random text in the URL of the page. Only those who know it can see the page, or end the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token(String);

impl Token {
    pub(super) fn random() -> anyhow::Result<Self> {
        let mut bytes = [0; SIZE];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_ne_bytes(bytes))))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not depend on where the texts differ.
    pub(super) fn is(&self, given: &str) -> bool {
        let pairs = self.0.bytes().zip(given.bytes());
        let differences = pairs.fold(0, |all, (one, other)| all | (one ^ other));
        given.len() == self.0.len() && differences == 0
    }
}

/// Whether the request names this machine. A web page elsewhere can let its own name point to 127.0.0.1, and would then
/// be of the same origin as the live page ("DNS rebinding").
pub(super) fn names_this_machine(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    host.is_some_and(is_loopback)
}

/// Whether the request comes from the page itself, as far as the browser says.
pub(super) fn comes_from_here(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let Some(origin) = text(ORIGIN) else {
        return true; // no browser
    };
    let host = text(HOST).unwrap_or("");
    origin.strip_prefix("http://") == Some(host)
}

/// Whether `HOST` or `HOST:PORT` is a loopback address or `localhost`. The port may differ, because of a tunnel.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    let inside = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let address = inside.unwrap_or(name).parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_128_random_bits_and_only_the_whole_one_fits() {
        let token = Token::random().unwrap();
        assert_eq!(token.as_str().len(), 32);
        assert_ne!(token, Token::random().unwrap());
        assert!(token.is(token.as_str()));
        let other = token.as_str().replace(&token.as_str()[..1], "x");
        let longer = format!("{}0", token.as_str());
        for wrong in ["", &token.as_str()[1..], &other, &longer] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let with = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            names_this_machine(&headers)
        };
        for host in [
            "127.0.0.1:4711",
            "localhost:80",
            "LOCALHOST",
            "[::1]:4711",
            "127.0.0.9",
        ] {
            assert!(with(host), "{host}");
        }
        for host in [
            "evil.example:4711",
            "127.0.0.1.evil.example",
            "localhost.evil.example:80",
            "192.168.0.7:4711",
            "0.0.0.0:4711",
            "[::]:4711",
            "",
        ] {
            assert!(!with(host), "{host}");
        }
        assert!(!names_this_machine(&HeaderMap::new()));
    }

    #[test]
    fn another_origin_is_refused() {
        let from = |origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "127.0.0.1:4711".parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(ORIGIN, origin.parse().unwrap());
            }
            comes_from_here(&headers)
        };
        assert!(from(None) && from(Some("http://127.0.0.1:4711")));
        for other in ["http://127.0.0.1:8080", "https://evil.example", "null"] {
            assert!(!from(Some(other)), "{other}");
        }
    }
}
