mod unasked;

use model::FaultKind;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const LIMIT: usize = 100_000;

/// The result of parsing one response: its status and body, or the kind of fault.
type Outcome = Result<Option<(u16, String)>, FaultKind>;

fn feed(pieces: &[&[u8]], bodiless: bool, close: bool) -> (Outcome, Parser) {
    let mut parser = Parser::new(LIMIT);
    parser.expect(bodiless);
    let mut outcome = Ok(None);
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        outcome = parser.on_bytes(piece);
        if !matches!(outcome, Ok(None)) {
            break;
        }
    }
    if close && matches!(outcome, Ok(None)) {
        outcome = parser.on_close();
    }
    let seen = outcome
        .map(|response| response.map(text))
        .map_err(|fault| fault.kind);
    (seen, parser)
}

fn text(response: Response) -> (u16, String) {
    (response.status, String::from_utf8(response.body).unwrap())
}

fn whole(bytes: &str) -> (u16, String) {
    feed(&[bytes.as_bytes()], false, true).0.unwrap().unwrap()
}

fn fault(bytes: &[u8]) -> Fault {
    let mut parser = Parser::new(LIMIT);
    parser.expect(false);
    match parser.on_bytes(bytes) {
        Err(fault) => fault,
        Ok(_) => parser.on_close().unwrap_err(),
    }
}

#[test]
fn every_framing_of_the_standard_is_understood() {
    let check = |bytes: &str, status: u16, body: &str| {
        assert_eq!(whole(bytes), (status, body.to_owned()), "{bytes}");
    };
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok");
    check("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, "");
    check("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok");
    check("HTTP/1.0 200 OK\r\n\r\nuntil close", 200, "until close");
    check("HTTP/1.1 204 No Content\r\n\r\n", 204, "");
    check(
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
        304,
        "",
    );
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    check(
        &format!("{interim}HTTP/1.1 201 Made\r\nContent-Length: 1\r\n\r\nx"),
        201,
        "x",
    );
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    check(
        &format!("{chunked}3\r\nabc\r\n0a;ext=\"1\"\r\n0123456789\r\n0\r\n\r\n"),
        200,
        "abc0123456789",
    );
    check(
        &format!("{chunked}1\r\na\r\n0\r\nDigest: x\r\nOther: y\r\n\r\n"),
        200,
        "a",
    );
    let same_twice = "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nok";
    check(same_twice, 200, "ok");
}

#[test]
fn a_head_request_has_no_body_whatever_its_length() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n";
    let (outcome, parser) = feed(&[bytes], true, false);
    assert_eq!(outcome, Ok(Some((200, String::new()))));
    assert!(parser.is_idle() && parser.keeps_alive());
}

#[test]
fn a_connection_is_kept_when_both_sides_may() {
    let check = |head: &str, keeps: bool| {
        let bytes = format!("{head}\r\nContent-Length: 0\r\n\r\n");
        let (outcome, parser) = feed(&[bytes.as_bytes()], false, false);
        assert!(matches!(outcome, Ok(Some(_))), "{head}");
        assert_eq!(parser.keeps_alive(), keeps, "{head}");
    };
    check("HTTP/1.1 200 OK", true);
    check("HTTP/1.1 200 OK\r\nConnection: close", false);
    check("HTTP/1.1 200 OK\r\nConnection: Upgrade, CLOSE", false);
    check("HTTP/1.0 200 OK", false);
    check("HTTP/1.0 200 OK\r\nConnection: Keep-Alive", true);
}

#[test]
fn both_framings_at_once_are_refused() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
    let fault = fault(bytes);
    assert_eq!(fault.kind, FaultKind::Protocol);
    assert!(fault.detail.contains("ambiguous"), "{fault}");
}

#[test]
fn a_broken_head_is_broken_however_it_is_cut_and_where_the_peer_closes() {
    let bytes: &[u8] = b"HTTP/1.1 200 OK\r\nContent\0\0\0";
    for at in 0..=bytes.len() {
        let (outcome, _) = feed(&[&bytes[..at], &bytes[at..]], false, true);
        assert_eq!(outcome, Err(FaultKind::Protocol), "cut at {at}");
    }
}

#[test]
fn what_is_not_http_is_quoted() {
    let check = |bytes: &[u8], words: &str| {
        let fault = fault(bytes);
        assert_eq!(fault.kind, FaultKind::Protocol, "{fault}");
        assert!(fault.detail.contains(words), "{fault}");
    };
    check(
        b"SSH-2.0-OpenSSH_9.2\r\n",
        "not HTTP: got \"SSH-2.0-OpenSSH_9.2\\r\\n\"",
    );
    check(
        &[0x16, 3, 1, 0, 2],
        "not HTTP: got \"\\x16\\x03\\x01\\x00\\x02\"",
    );
    check(
        &[0x15, 3, 1, 0, 2, 2, 70],
        "not HTTP but TLS: write https:// or wss://",
    );
    check(
        b"HTTP/1.1 200 OK\r\nBroken Name: 1\r\n\r\n",
        "malformed HTTP head",
    );
    check(
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "content-length \"-1\"",
    );
    check(
        b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        "content-length \"+1\"",
    );
    check(
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "differ",
    );
    check(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "`gzip`",
    );
    for codings in [
        "chunked, identity",
        "chunked\r\nTransfer-Encoding: identity",
        "chunked, chunked",
    ] {
        let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {codings}\r\n\r\n");
        check(head.as_bytes(), "follows `chunked`");
    }
    check(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "not a chunk size",
    );
    check(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        "longer than its size",
    );
    check(b"HTTP/1.1 099 Odd\r\n\r\n", "status 99");
    check(
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "was not requested",
    );
}

#[test]
fn limits_hold_for_heads_bodies_and_chunk_lines() {
    let head = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "a".repeat(HEAD_LIMIT));
    let endless = format!("HTTP/1.1 200 OK\r\nX: {}", "a".repeat(2 * HEAD_LIMIT));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: 1\r\n".repeat(200));
    let body = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", LIMIT + 1);
    let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n";
    let line = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;{}",
        "x".repeat(5000)
    );
    let until_close = format!("HTTP/1.1 200 OK\r\n\r\n{}", "a".repeat(LIMIT + 1));
    for bytes in [&head, &endless, &many, &body, chunk, &line, &until_close] {
        let fault = fault(bytes.as_bytes());
        assert_eq!(fault.kind, FaultKind::TooLarge, "{fault}");
    }
    let mut parser = Parser::new(LIMIT);
    parser.expect(false);
    let pieces = endless.as_bytes().chunks(1000);
    let faults = pieces.filter_map(|piece| parser.on_bytes(piece).err());
    assert_eq!(
        faults.map(|fault| fault.kind).next(),
        Some(FaultKind::TooLarge)
    );
}

#[test]
fn an_interim_answer_is_a_touch() {
    let mut parser = Parser::new(LIMIT);
    parser.expect(false);
    assert!(parser.is_untouched());
    assert_eq!(parser.on_bytes(b"HTTP/1.1 100 Continue\r\n\r\n"), Ok(None));
    assert!(!parser.is_untouched());
    parser.expect(false);
    assert!(parser.is_untouched());
}

#[test]
fn a_close_in_the_middle_says_how_far_it_came() {
    let check = |bytes: &[u8], words: &str| {
        let fault = fault(bytes);
        assert_eq!(
            (fault.kind, fault.detail.as_str()),
            (FaultKind::Closed, words)
        );
    };
    check(
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1234",
        "closed after 4 of 10 bytes",
    );
    check(
        b"HTTP/1.1 200 OK\r\nContent-Le",
        "closed in the middle of the head",
    );
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab";
    check(chunked, "closed after 2 bytes of a chunked body");
    let mut parser = Parser::new(LIMIT);
    assert_eq!(parser.on_close(), Ok(None), "an idle connection may close");
    parser.expect(false);
    assert_eq!(
        parser.on_close().unwrap_err().detail,
        "closed before the response"
    );
}

#[test]
fn bytes_that_nobody_asked_for_are_a_fault_and_end_the_connection() {
    let mut parser = Parser::new(LIMIT);
    assert_eq!(
        parser.on_bytes(b"hello").unwrap_err().kind,
        FaultKind::Protocol
    );
    parser.expect(false);
    let twice = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n";
    assert!(parser.on_bytes(twice).unwrap().is_some());
    assert!(
        !parser.keeps_alive(),
        "an answer too many must not meet the next request"
    );
}

#[test]
fn an_answer_too_many_is_seen_however_the_first_was_cut() {
    let twice = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n";
    let first = twice.len() - 17;
    for cut in 1..first {
        let (outcome, parser) = feed(&[&twice[..cut], &twice[cut..]], false, false);
        assert_eq!(outcome, Ok(Some((200, "ok".into()))));
        assert!(!parser.keeps_alive(), "cut at {cut}");
        let exact = feed(&[&twice[..cut], &twice[cut..first]], false, false).1;
        assert!(exact.keeps_alive(), "cut at {cut}");
    }
}

#[test]
fn a_decompressed_body_replaces_the_compressed_one() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"unfolded").unwrap();
    let packed = encoder.finish().unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        packed.len()
    );
    let (outcome, _) = feed(&[head.as_bytes(), &packed], false, false);
    assert_eq!(outcome, Ok(Some((200, "unfolded".into()))));
}

fn encoded(status: u16, body: &str, framing: u8, cuts: &[usize]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} Some Words\r\nX-A: 1\r\n").into_bytes();
    match framing {
        0 => bytes.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).bytes()),
        1 => {
            bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            for piece in split(body.as_bytes(), cuts)
                .iter()
                .filter(|piece| !piece.is_empty())
            {
                bytes.extend(format!("{:x};note\r\n", piece.len()).bytes());
                bytes.extend(*piece);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\nTrailer: 1\r\n\r\n");
        }
        _ => bytes.extend(format!("\r\n{body}").bytes()),
    }
    bytes
}

fn split<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}

proptest! {
    #[test]
    fn any_cut_of_the_stream_gives_the_same_response(
        body in "[ -~]{0,300}",
        status in 200_u16..600,
        framing in 0_u8..3,
        chunks in vec(any::<usize>(), 0..6),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        prop_assume!(!matches!(status, 204 | 304));
        let bytes = encoded(status, &body, framing, &chunks);
        let expected = Ok(Some((status, body)));
        prop_assert_eq!(&feed(&[&bytes], false, true).0, &expected);
        prop_assert_eq!(&feed(&split(&bytes, &cuts), false, true).0, &expected);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&feed(&single, false, true).0, &expected);
    }

    #[test]
    fn random_bytes_never_panic(
        start in prop::sample::select(vec![
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: br\r\n\r\n",
        ]),
        noise in vec(any::<u8>(), 0..200),
        cuts in vec(any::<usize>(), 0..5),
    ) {
        let bytes = [start.as_bytes(), &noise].concat();
        let mut parser = Parser::new(1000);
        parser.expect(false);
        for piece in split(&bytes, &cuts) {
            if parser.on_bytes(piece).is_err() {
                break;
            }
        }
        let _ = parser.on_close();
    }
}

#[test]
fn a_grpc_status_is_read_in_head_and_trailers() {
    let error_of = |text: &str| {
        let mut parser = Parser::new(100);
        parser.expect(false);
        let response = parser.on_bytes(text.as_bytes()).unwrap().unwrap();
        response.grpc_error.map(|error| error.fault().detail)
    };
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\n{more}Content-Length: 0\r\n\r\n");
    assert_eq!(error_of(&head("")), None);
    assert_eq!(error_of(&head("Grpc-Status: 0\r\n")), None);
    let refused = head("grpc-message: no%20tea\r\ngrpc-status: 5\r\n");
    assert_eq!(error_of(&refused).unwrap(), "gRPC 5 NOT_FOUND: no tea");
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n";
    let spilled = format!("{chunked}Grpc-Status: 15\r\nGrpc-Message:spilled\r\n\r\n");
    assert_eq!(error_of(&spilled).unwrap(), "gRPC 15 DATA_LOSS: spilled");
    assert_eq!(error_of(&format!("{chunked}Digest: x\r\n\r\n")), None);
}
