use model::FaultKind;
use wire::nats::jetstream::{Delivery, PublishAck, PullStatus};
use wire::nats::{Frame, Info, Login, Parser, Session, encode_publish, encode_subscribe, matches};

use crate::cuts::pieces;
use crate::{Target, bytes_of, text_of, two_of};

const LIMIT: usize = 1000;

/// Parses frames of a NATS server. The first byte chooses the cuts.
pub(crate) const LINES: Target = Target {
    name: "lines",
    run: lines,
    seeds: || {
        bytes_of(&[
            "\u{5}INFO {\"server_id\":\"a\",\"max_payload\":9,\"nonce\":\"n\"}\r\nPONG\r\nMSG a.b 9 2\r\nhi\r\nPING\r\n",
            "\u{70}INFO {\"server_id\":\"a\",\"max_payload\":9,\"tls_required\":true}\r\nPING\r\n",
            "\u{20}HMSG a 9 r.1 34 45\r\nNATS/1.0\r\nFoodGroup: vegetable\r\n\r\nHello World\r\n+OK\r\n-ERR 'Invalid Subject'\r\n",
            "\u{1}HMSG a 9 16 16\r\nNATS/1.0 503\r\n\r\n\r\nMSG a 1 $JS.ACK.S.c.1.2.3.4.5 28\r\n{\"stream\":\"S\",\"seq\":1234567}\r\n",
        ])
    },
    words: &[
        "MSG ", "HMSG ", "PING", "PONG", "INFO ", "+OK", "-ERR '", "\r\n", " ", "\t", "NATS/1.0",
        ": ", "{}",
    ],
    memory: 1 << 20,
};

fn lines(data: &[u8]) {
    let [cut, bytes @ ..] = data else { return };
    let pieces = pieces(*cut, bytes);
    let at_once = feed(&[bytes]);
    assert_eq!(at_once, feed(&pieces), "the cuts changed the outcome");
    assert_eq!(
        session(&[bytes]),
        session(&pieces),
        "the cuts changed the session"
    );
}

/// Returns the frames as text, and the kind of the fault that ended them.
fn feed(pieces: &[&[u8]]) -> (Vec<String>, Option<FaultKind>) {
    let mut parser = Parser::new(LIMIT);
    let mut seen = Vec::new();
    for piece in pieces {
        let parsed = parser.on_bytes(piece, &mut |frame| {
            match frame {
                Frame::Message(message) => {
                    assert!(message.payload.len() <= LIMIT);
                    let headers: usize = message
                        .headers
                        .iter()
                        .map(|(name, value)| name.len() + value.len())
                        .sum();
                    assert!(headers <= LIMIT);
                    let status = message.headers.status();
                    let _ = status.map(|status| PullStatus::of(&status));
                    let _ = message.reply.and_then(Delivery::parse);
                    let _ = PublishAck::parse(message.payload);
                }
                Frame::Info(json) => drop(Info::parse(json)),
                _ => {}
            }
            seen.push(format!("{frame:?}"));
            Ok(())
        });
        if let Err(fault) = parsed {
            return (seen, Some(fault.kind));
        }
    }
    (seen, None)
}

/// Returns the signals as text and what the client sends.
fn session(pieces: &[&[u8]]) -> (Vec<String>, Vec<u8>, bool) {
    let mut session = Session::new(Login::default(), false, LIMIT);
    let (mut out, mut seen) = (Vec::new(), Vec::new());
    for piece in pieces {
        let parsed = session.on_bytes(piece, &mut out, &mut |signal| {
            seen.push(format!("{signal:?}"));
        });
        if parsed.is_err() {
            return (seen, out, false);
        }
    }
    (seen, out, true)
}

/// Encodes a message whose subject, reply and header are any text. What is accepted is one frame with these parts.
pub(crate) const PUBLISHED: Target = Target {
    name: "published",
    run: published,
    seeds: || {
        bytes_of(&[
            "a.b\n_INBOX.1\nName: value\npayload",
            "a.>\nb\nA:\n",
            "$JS.API.INFO\n\n\n",
        ])
    },
    words: &[
        ".", "*", ">", " ", "\r", "\r\n", "\0", "\t", ":", "PUB a 0", "\u{85}",
    ],
    memory: 1 << 20,
};

fn published(data: &[u8]) {
    let (subject, rest) = two_of(data);
    let (reply, rest) = two_of(rest);
    let (header, payload) = two_of(rest);
    let (subject, reply, header) = (text_of(subject), text_of(reply), text_of(header));
    let mut out = Vec::new();
    if encode_subscribe(&mut out, &subject, None, 7).is_ok() {
        assert_eq!(out, format!("SUB {subject} 7\r\n").as_bytes());
        assert!(!subject.contains(['\r', '\n', ' ']));
    }
    out.clear();
    let headers: Vec<(&str, &str)> = header.split_once(": ").into_iter().collect();
    if encode_publish(&mut out, &subject, Some(&reply), &headers, payload).is_err() {
        assert!(out.is_empty(), "something was appended before the fault");
        return;
    }
    assert!(matches(&subject, &subject) && matches(">", &subject));
    // The server passes a message on with another first word and the subscription's id.
    let prefix = if headers.is_empty() { "PUB" } else { "HPUB" };
    let rest = &out[prefix.len() + 1 + subject.len()..];
    let prefix = if headers.is_empty() { "MSG" } else { "HMSG" };
    let passed_on = [format!("{prefix} {subject} 7").as_bytes(), rest].concat();
    let mut count = 0;
    let parsed = Parser::new(1 << 20).on_bytes(&passed_on, &mut |frame| {
        let Frame::Message(message) = frame else {
            panic!("{frame:?} instead of a message");
        };
        assert_eq!(
            (message.subject, message.reply),
            (subject.as_str(), Some(reply.as_str()))
        );
        assert_eq!(message.payload, payload);
        let trimmed: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.trim()))
            .collect();
        assert_eq!(message.headers.iter().collect::<Vec<_>>(), trimmed);
        count += 1;
        Ok(())
    });
    assert_eq!((parsed, count), (Ok(()), 1));
}
