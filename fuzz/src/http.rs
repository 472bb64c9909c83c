use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use model::FaultKind;
use url::Url;
use wire::http::{CookieJar, Parser, Request, Response, follow};

use crate::cuts::pieces;
use crate::{Target, bytes_of, text_of};

const BODY_LIMIT: usize = 100_000;

/// Parses an HTTP response. The first byte chooses the cuts, and the second byte chooses whether a body is expected.
pub(crate) const RESPONSE: Target = Target {
    name: "response",
    run: response,
    seeds: responses,
    words: &[
        "\r\n",
        "\r\n\r\n",
        "HTTP/1.1 ",
        "HTTP/1.0 ",
        "Content-Length: ",
        "Transfer-Encoding: chunked\r\n",
        "0\r\n\r\n",
        "Connection: close\r\n",
        "Content-Encoding: gzip\r\n",
        "Content-Encoding: br\r\n",
        "100 Continue",
        ";ext=\"1\"",
        "101 Switching Protocols",
        " ",
        "chunked, ",
        "7fffffffffffffff",
    ],
    memory: 40 << 20, // the standard allows 16 MiB for the window of brotli alone
};

fn responses() -> Vec<Vec<u8>> {
    let texts = [
        "\x01\x01HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "\x50\x01HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
        "\x02\x01HTTP/1.0 200 OK\r\n\r\nuntil close",
        "\x70\x01HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Made\r\n\
                Content-Length: 1\r\n\r\nx",
        "\x30\x01HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0a;ext=\"1\"\r\n0123456789\r\n0\r\n\
                Digest: x\r\n\r\n",
        "\x09\x00HTTP/1.1 200 OK\r\nContent-Length: 99\r\nSet-Cookie: a=b\r\n\r\n",
        "\x09\x01HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok",
    ];
    let mut seeds = bytes_of(&texts);
    for bomb in [100, 5_000_000] {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        let _ = packed.write_all(&vec![b'z'; bomb]);
        let packed = packed.finish().unwrap_or_default();
        let mut seed = format!(
            "\x60\x01HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            packed.len()
        )
        .into_bytes();
        seed.extend(packed);
        seeds.push(seed);
    }
    seeds
}

type Outcome = Result<Option<(u16, Vec<u8>, Vec<u8>)>, FaultKind>;

fn response(data: &[u8]) {
    let [cut, expects, bytes @ ..] = data else {
        return;
    };
    let bodiless = *expects == 0;
    let at_once = feed(&[bytes], bodiless);
    let in_pieces = feed(&pieces(*cut, bytes), bodiless);
    assert_eq!(at_once, in_pieces, "the cuts changed the outcome");
    if let Ok(Some((status, _, body))) = at_once {
        assert!((200..1000).contains(&status));
        assert!(body.len() <= BODY_LIMIT && (body.is_empty() || !bodiless));
    }
}

fn feed(pieces: &[&[u8]], bodiless: bool) -> Outcome {
    let mut parser = Parser::new(BODY_LIMIT);
    parser.expect(bodiless);
    let mut outcome = Ok(None);
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        outcome = parser.on_bytes(piece);
        if !matches!(outcome, Ok(None)) {
            break;
        }
    }
    if matches!(outcome, Ok(None)) {
        outcome = parser.on_close();
    }
    match outcome {
        Ok(Some(whole)) => Ok(Some((whole.status, whole.headers.into_raw(), whole.body))),
        Ok(None) => Ok(None),
        Err(fault) => Err(fault.kind),
    }
}

fn answer(status: u16, headers: &[u8]) -> Option<Response> {
    let mut bytes = format!("HTTP/1.1 {status} Answer\r\nContent-Length: 0\r\n").into_bytes();
    bytes.extend_from_slice(headers);
    bytes.extend_from_slice(b"\r\n\r\n");
    let mut parser = Parser::new(BODY_LIMIT);
    parser.expect(false);
    parser.on_bytes(&bytes).ok()?
}

/// Resolves the target of a redirect.
pub(crate) const REDIRECT: Target = Target {
    name: "redirect",
    run: redirect,
    seeds: || {
        bytes_of(&[
            "/b",
            "//b.test/",
            "https://a.test:81/x?y#z",
            "../../x",
            "http://[::1]:9/",
            "?q",
            "ftp://a/",
        ])
    },
    words: &[
        "http://", "https://", "//", "..", "@", "[::1]", ":99999", "%00", "\\", "a.test", "\t",
    ],
    memory: 1 << 20,
};

fn redirect(data: &[u8]) {
    let Ok(url) = Url::parse("http://a.test/dir/page") else {
        return;
    };
    let mut request = Request::new("POST", Arc::new(url));
    request
        .headers
        .push(("Authorization".into(), "secret".into()));
    let status = [301, 302, 303, 307, 308][data.len() % 5];
    let Some(response) = answer(status, &[b"Location: ", data].concat()) else {
        return;
    };
    let Ok(Some(next)) = follow(&request, &response) else {
        return;
    };
    assert!(matches!(next.url.scheme(), "http" | "https"));
    let kept = next.headers.iter().any(|(name, _)| name == "Authorization");
    assert_eq!(
        kept,
        next.url.origin() == request.url.origin(),
        "to {}",
        next.url
    );
    let mut encoded = Vec::new();
    if next.encode_into(None, &mut encoded).is_ok() {
        let line = encoded
            .split(|&byte| byte == b'\n')
            .next()
            .unwrap_or_default();
        let parts = line.split(|&byte| byte == b' ').count();
        assert_eq!(parts, 3, "{}", line.escape_ascii());
        assert!(
            line.iter()
                .all(|byte| (b' '..0x7f).contains(byte) || *byte == b'\r')
        );
    }
}

/// Parses `Set-Cookie` values of servers, one per line.
pub(crate) const COOKIES: Target = Target {
    name: "cookies",
    run: cookies,
    seeds: || {
        bytes_of(&[
            "a=b; Path=/; HttpOnly\nc=d; Max-Age=60",
            "id=1; Domain=a.test; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Secure",
            "x=\"quoted\"; SameSite=Lax\nx=; Max-Age=0",
        ])
    },
    words: &[
        "; Path=",
        "; Domain=",
        "; Max-Age=",
        "; Expires=",
        "=",
        ";",
        "\r",
        "\t",
        ".test",
        "__Host-",
        "GMT",
        "\"",
    ],
    memory: 1 << 20,
};

fn cookies(data: &[u8]) {
    let Ok(url) = Url::parse("http://www.a.test/dir/page") else {
        return;
    };
    let mut jar = CookieJar::default();
    for line in text_of(data).lines() {
        jar.set(&url, line);
    }
    if let Some(response) = answer(200, &[b"Set-Cookie: ", data].concat()) {
        jar.store(&url, &response.headers);
    }
    let header = jar.header_for(&url);
    if let Some(header) = &header {
        assert!(!header.contains(['\r', '\n', '\0']), "{header:?}");
    }
    let exported = jar.export();
    let again = CookieJar::import(
        exported
            .iter()
            .map(|(url, set)| (url.as_str(), set.as_str())),
    );
    let sorted = |header: Option<String>| {
        let mut all: Vec<_> = header
            .iter()
            .flat_map(|all| all.split("; "))
            .map(str::to_owned)
            .collect();
        all.sort();
        all
    };
    assert_eq!(
        sorted(header),
        sorted(again.header_for(&url)),
        "of {exported:?}"
    );
}
