//! Decides which web pages may connect to a system. A browser lets any web page open a WebSocket to any address, even
//! on the local machine, and send simple requests. Pages of other sites are therefore refused.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};

/// Configured value that allows every origin.
const ANY: &str = "*";

/// The origins whose pages may connect, in addition to the server's own origin.
#[derive(Clone, Debug)]
pub struct Origins(Arc<[String]>);

impl Origins {
    /// Creates the list from origins that [`parse`] has accepted.
    #[must_use]
    pub fn new(allowed: &[String]) -> Self {
        Self(allowed.into())
    }

    /// Whether the sender of this request may connect. Browsers send an `Origin` header, which pages cannot suppress.
    /// Other programs send none and are admitted.
    #[must_use]
    pub fn admit(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(ORIGIN) {
            return true;
        }
        let origin = text(headers, ORIGIN).unwrap_or_default();
        self.lists(origin)
            || origin
                .split_once("://")
                .is_some_and(|(_, authority)| is_own(authority, headers))
    }

    /// Whether the server's own page may connect when it is opened under the host name of this request.
    #[must_use]
    pub fn admit_own_page(&self, headers: &HeaderMap) -> bool {
        let host = text(headers, HOST).unwrap_or_default();
        is_own(host, headers)
            || ["http", "https"]
                .iter()
                .any(|scheme| self.lists(&format!("{scheme}://{host}")))
    }

    fn lists(&self, origin: &str) -> bool {
        let same = |allowed: &String| allowed == ANY || allowed.eq_ignore_ascii_case(origin);
        self.0.iter().any(same)
    }
}

/// Whether the origin equals the requested host and is an IP address or `localhost`. Other names prove nothing: a
/// site's owner can make its name resolve to this machine after the page was loaded (DNS rebinding).
fn is_own(authority: &str, headers: &HeaderMap) -> bool {
    let asked = text(headers, HOST).is_some_and(|host| host.eq_ignore_ascii_case(authority));
    let Ok(authority) = authority.parse::<Authority>() else {
        return false;
    };
    let host = authority.host();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    asked && (host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Parses an origin as browsers write it (`http://localhost:3000`), or `*`.
pub fn parse(text: &str) -> Result<String, String> {
    let good = text == ANY
        || text.split_once("://").is_some_and(|(scheme, authority)| {
            ["http", "https"].contains(&scheme) && authority.parse::<Authority>().is_ok()
        });
    good.then(|| text.to_owned())
        .ok_or_else(|| "expected an origin such as `http://localhost:3000`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_page_of_this_server_may_open_a_line_and_one_of_another_may_not() {
        let nobody = Origins::new(&[]);
        for (host, origin, admitted) in [
            ("127.0.0.1:5000", None, true),
            ("127.0.0.1:5000", Some("http://127.0.0.1:5000"), true),
            ("localhost:5000", Some("http://localhost:5000"), true),
            ("LocalHost:5000", Some("http://localhost:5000"), true),
            ("[::1]:5000", Some("http://[::1]:5000"), true),
            ("192.0.2.7", Some("https://192.0.2.7"), true),
            ("127.0.0.1:5000", Some("https://evil.example"), false),
            ("127.0.0.1:5000", Some("http://127.0.0.1:8080"), false),
            ("127.0.0.1:5000", Some("http://localhost:5000"), false),
            ("127.0.0.1:5000", Some("null"), false),
            ("127.0.0.1:5000", Some(""), false),
            // The owner of this name has just made it resolve to this machine.
            ("evil.example:5000", Some("http://evil.example:5000"), false),
        ] {
            let headers = headers(host, origin);
            assert_eq!(nobody.admit(&headers), admitted, "{host} {origin:?}");
        }
    }

    #[test]
    fn origins_that_are_listed_may_open_a_line() {
        let listed = Origins::new(&["https://editor.example".to_owned()]);
        let admitted = |host, origin| listed.admit(&headers(host, Some(origin)));
        assert!(admitted("127.0.0.1:5000", "https://editor.example"));
        assert!(!admitted("127.0.0.1:5000", "http://editor.example"));
        assert!(!admitted(
            "127.0.0.1:5000",
            "https://editor.example.evil.example"
        ));
        assert!(listed.admit_own_page(&headers("editor.example", None)));
        assert!(!listed.admit_own_page(&headers("other.example", None)));
        assert!(listed.admit_own_page(&headers("127.0.0.1:5000", None)));
        let any = Origins::new(&["*".to_owned()]);
        assert!(any.admit(&headers("127.0.0.1:5000", Some("null"))));
    }

    #[test]
    fn what_is_no_origin_is_not_listed() {
        for text in ["http://localhost:3000", "https://editor.example", "*"] {
            assert_eq!(parse(text).as_deref(), Ok(text));
        }
        for text in [
            "",
            "localhost:3000",
            "http://a/b",
            "ftp://a",
            "http://a/",
            "null",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
