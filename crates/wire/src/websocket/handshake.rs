use std::str;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::{Fault, FaultKind};
use sha1::{Digest, Sha1};
use url::Url;

use crate::fault::protocol;
use crate::http::encoding::{is_token, push_authority, push_header, push_target};
use crate::http::head::{self, Head};
use crate::http::{Headers, quoted_body};

/// The constant that is hashed with the key (RFC 6455 §1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The opening request, and the check of the response to it.
#[derive(Clone, Debug)]
pub struct Handshake {
    request: Vec<u8>,
    key: String,
    protocols: Vec<String>,
}

impl Handshake {
    /// Encodes the request. `nonce` should differ between connections. `headers` can override Host and add others, such
    /// as Origin, Cookie and Authorization. Headers that the handshake sets itself are a fault of the script.
    pub fn new(
        url: &Url,
        protocols: &[String],
        headers: &[(String, String)],
        nonce: [u8; 16],
    ) -> Result<Self, Fault> {
        let key = BASE64_STANDARD.encode(nonce);
        let mut request = b"GET ".to_vec();
        push_target(url, &mut request);
        request.extend_from_slice(b" HTTP/1.1\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            request.extend_from_slice(b"Host: ");
            push_authority(url, &mut request)?;
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"Connection: Upgrade\r\nUpgrade: websocket\r\n");
        push_header("Sec-WebSocket-Version", "13", &mut request)?;
        push_header("Sec-WebSocket-Key", &key, &mut request)?;
        if let Some(bad) = protocols.iter().find(|name| !is_token(name)) {
            return Err(refused(&format!("subprotocol {bad:?} is not a token")));
        }
        if !protocols.is_empty() {
            push_header(
                "Sec-WebSocket-Protocol",
                &protocols.join(", "),
                &mut request,
            )?;
        }
        for (name, value) in headers {
            if is_own(name) {
                return Err(refused(&format!("`{name}` is set by the handshake itself")));
            }
            push_header(name, value, &mut request)?;
        }
        request.extend_from_slice(b"\r\n");
        Ok(Self {
            request,
            key,
            protocols: protocols.to_vec(),
        })
    }

    /// The request's bytes.
    pub fn request(&self) -> &[u8] {
        &self.request
    }

    /// Checks the response so far. `None` if its head is not complete.
    ///
    /// Otherwise returns the size of the head, after which frames begin, and the subprotocol that the server chose. Any
    /// response but a valid 101 is a fault.
    pub fn check(&self, bytes: &[u8]) -> Result<Option<(usize, Option<&str>)>, Fault> {
        let Some(head) = head::parse(bytes)? else {
            return Ok(None);
        };
        let headers = Headers::new(&bytes[..head.size], head.sets_cookies);
        if head.status != 101 {
            return Err(not_upgraded(&head, &headers, &bytes[head.size..]));
        }
        let has = |name: &str, word: &str| {
            let words = headers.all(name).flat_map(|value| value.split(','));
            words
                .map(str::trim)
                .any(|found| found.eq_ignore_ascii_case(word))
        };
        if !has("upgrade", "websocket") || !has("connection", "upgrade") {
            return Err(protocol(
                "the 101 response lacks `Upgrade: websocket` or `Connection: Upgrade`",
            ));
        }
        if headers.get("sec-websocket-accept") != Some(accept_for(&self.key).as_str()) {
            return Err(protocol("Sec-WebSocket-Accept does not match the key"));
        }
        if let Some(extension) = headers.get("sec-websocket-extensions") {
            return Err(protocol(format!("extension `{extension}` was not offered")));
        }
        Ok(Some((head.size, self.chosen(&headers)?)))
    }

    fn chosen(&self, headers: &Headers) -> Result<Option<&str>, Fault> {
        let Some(chosen) = headers.get("sec-websocket-protocol") else {
            return Ok(None);
        };
        let offered = self.protocols.iter().find(|name| *name == chosen);
        offered
            .map(|name| Some(name.as_str()))
            .ok_or_else(|| protocol(format!("subprotocol `{chosen}` was not offered")))
    }
}

fn refused(detail: &str) -> Fault {
    Fault::script(FaultKind::Protocol, detail)
}

fn is_own(name: &str) -> bool {
    const OWN: [&str; 6] = [
        "connection",
        "upgrade",
        "sec-websocket-key",
        "sec-websocket-version",
        "sec-websocket-protocol",
        "sec-websocket-extensions",
    ];
    OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// The fault for a response that is not a 101. `body` is the part of the body that arrived with the head; it usually
/// states the reason.
fn not_upgraded(head: &Head, headers: &Headers, body: &[u8]) -> Fault {
    let kind = match head.status {
        429 => FaultKind::RateLimited,
        400.. => FaultKind::Status,
        _ => FaultKind::Protocol,
    };
    let answer = format!("expected 101, got {} {}", head.status, headers.reason());
    let reason = quoted_body(body).map(|text| format!(": {text}"));
    let reason = reason.unwrap_or_default();
    Fault::target(kind, format!("{}{reason}", answer.trim_end()))
}

pub(super) fn accept_for(key: &str) -> String {
    let mut hash = Sha1::new();
    hash.update(key.as_bytes());
    hash.update(GUID);
    BASE64_STANDARD.encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: [u8; 16] = *b"the sample nonce";

    fn handshake(protocols: &[&str]) -> Handshake {
        let url = Url::parse("ws://a.test:81/chat?x=1").unwrap();
        let protocols: Vec<String> = protocols.iter().map(ToString::to_string).collect();
        Handshake::new(&url, &protocols, &[], NONCE).unwrap()
    }

    /// The response that RFC 6455 §1.3 gives for this nonce.
    fn answer(extra: &str) -> String {
        format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n{extra}\r\n"
        )
    }

    #[test]
    fn the_sample_of_the_standard_is_accepted() {
        let handshake = handshake(&["chat", "superchat"]);
        let request = str::from_utf8(handshake.request()).unwrap();
        assert!(request.starts_with("GET /chat?x=1 HTTP/1.1\r\nHost: a.test:81\r\n"));
        assert!(request.contains("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
        assert!(request.contains("Sec-WebSocket-Protocol: chat, superchat\r\n"));
        let answer = answer("Sec-WebSocket-Protocol: chat\r\n");
        assert_eq!(handshake.check(&answer.as_bytes()[..60]), Ok(None));
        let with_frame = [answer.as_bytes(), &[0x81, 0]].concat();
        let expected = Some((answer.len(), Some("chat")));
        assert_eq!(handshake.check(&with_frame), Ok(expected));
    }

    #[test]
    fn anything_else_is_refused_in_clear_words() {
        let check = |answer: &str, kind: FaultKind, words: &str| {
            let fault = handshake(&["chat"]).check(answer.as_bytes()).unwrap_err();
            assert_eq!(fault.kind, kind, "{fault}");
            assert!(fault.detail.contains(words), "{fault}");
        };
        let plain = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
        check(plain, FaultKind::Status, "expected 101, got 404 Not Found");
        let why = "HTTP/1.1 403 Forbidden\r\nContent-Length: 19\r\n\r\n{\"error\":\"no\\nway\"}";
        check(why, FaultKind::Status, "got 403 Forbidden: {\"error\":\"no");
        let busy = "HTTP/1.1 429 Slow Down\r\n\r\n";
        check(busy, FaultKind::RateLimited, "got 429 Slow Down");
        let page = "HTTP/1.1 200 OK\r\n\r\n";
        check(page, FaultKind::Protocol, "got 200 OK");
        let other = answer("Sec-WebSocket-Protocol: mqtt\r\n");
        check(&other, FaultKind::Protocol, "`mqtt` was not offered");
        let deflate = answer("Sec-WebSocket-Extensions: permessage-deflate\r\n");
        check(&deflate, FaultKind::Protocol, "was not offered");
        let wrong = answer("").replace("s3pP", "S3PP");
        check(&wrong, FaultKind::Protocol, "does not match the key");
        let no_upgrade = answer("").replace("Upgrade: websocket\r\n", "");
        check(&no_upgrade, FaultKind::Protocol, "lacks");
        check(
            "SSH-2.0-x\r\n",
            FaultKind::Protocol,
            "not HTTP: got \"SSH-2.0-x",
        );
    }

    proptest::proptest! {
        #[test]
        fn random_answers_never_panic(
            start in proptest::bool::ANY,
            noise in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
        ) {
            let start = if start { "HTTP/1.1 101 X\r\nUpgrade: " } else { "" };
            let _ = handshake(&["chat"]).check(&[start.as_bytes(), &noise].concat());
        }
    }

    #[test]
    fn headers_cannot_break_out_of_their_lines() {
        let url = Url::parse("ws://a.test/").unwrap();
        let refuses = |name: &str, value: &str| {
            let headers = [(name.to_owned(), value.to_owned())];
            Handshake::new(&url, &[], &headers, NONCE).is_err()
        };
        assert!(refuses("X-A", "1\r\nX-B: 2"));
        assert!(refuses("X A", "1"));
        assert!(refuses("Upgrade", "h2c"));
        assert!(!refuses("Origin", "http://a.test"));
    }
}
