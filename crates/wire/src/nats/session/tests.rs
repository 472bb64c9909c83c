use model::Side;
use serde_json::Value;

use super::super::{Credentials, Key};
use super::*;

const LIMIT: usize = 1000;
const INFO: &str =
    "INFO {\"server_id\":\"a\",\"max_payload\":20,\"headers\":true,\"nonce\":\"abc\"}\r\n";
const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

fn session(login: Login) -> Session {
    Session::new(login, false, LIMIT)
}

/// Feeds bytes, and returns the names of the signals and what is to be sent.
fn feed(session: &mut Session, bytes: &str) -> Result<(Vec<String>, String), Fault> {
    let (mut out, mut signals) = (Vec::new(), Vec::new());
    session.on_bytes(bytes.as_bytes(), &mut out, &mut |signal| {
        signals.push(match signal {
            Signal::Message(message) => format!("message {}", message.subject),
            Signal::Connected(info) => format!("connected {}", info.server_id),
            Signal::Changed(info) => format!("changed {}", info.connect_urls.len()),
            Signal::Refused(error) => format!("refused {}", error.text),
            Signal::StartTls => "start TLS".into(),
            Signal::Alive => "alive".into(),
            Signal::Pong => "pong".into(),
            Signal::Ok => "ok".into(),
        });
    })?;
    Ok((signals, String::from_utf8(out).unwrap()))
}

/// The properties of a sent `CONNECT` line, which a ping follows.
fn connect(sent: &str) -> Value {
    let json = sent
        .strip_prefix("CONNECT ")
        .unwrap()
        .strip_suffix("\r\nPING\r\n")
        .unwrap();
    serde_json::from_str(json).unwrap()
}

fn connected() -> Session {
    let mut session = session(Login::default());
    feed(&mut session, INFO).unwrap();
    assert!(!session.is_connected());
    assert_eq!(feed(&mut session, "PONG\r\n").unwrap().0, ["connected a"]);
    assert!(session.is_connected());
    session
}

#[test]
fn each_kind_of_credentials_has_its_properties() {
    let sent = |credentials| {
        let login = Login {
            credentials,
            name: "ada".into(),
            ..Login::default()
        };
        let (signals, sent) = feed(&mut session(login), INFO).unwrap();
        assert!(signals.is_empty());
        connect(&sent)
    };
    let none = sent(Credentials::None);
    assert_eq!(
        (&none["name"], &none["echo"], &none["headers"]),
        (&"ada".into(), &true.into(), &true.into())
    );
    assert!(none.get("user").is_none() && none.get("sig").is_none());
    assert_eq!(sent(Credentials::Token("t\"".into()))["auth_token"], "t\"");
    let password = sent(Credentials::Password {
        user: "u".into(),
        password: "p".into(),
    });
    assert_eq!(
        (&password["user"], &password["pass"]),
        (&"u".into(), &"p".into())
    );
    let key = || Key::from_seed(SEED).unwrap();
    let signed = sent(Credentials::Key(key()));
    assert_eq!(signed["nkey"], key().public());
    assert_eq!(signed["sig"], key().sign("abc"));
    let token = sent(Credentials::Jwt {
        jwt: "j".into(),
        key: key(),
    });
    assert_eq!(
        (&token["jwt"], &token["sig"]),
        (&"j".into(), &key().sign("abc").into())
    );
    assert!(token.get("nkey").is_none());
}

#[test]
fn a_key_needs_a_nonce() {
    let login = Login {
        credentials: Credentials::Key(Key::from_seed(SEED).unwrap()),
        ..Login::default()
    };
    let fault = feed(&mut session(login), &INFO.replace("nonce", "none")).unwrap_err();
    assert!(fault.detail.contains("nonce"), "{fault}");
}

#[test]
fn tls_begins_between_info_and_connect() {
    let required = INFO.replace("\"headers\"", "\"tls_required\":true,\"headers\"");
    let mut tested = session(Login::default());
    assert_eq!(
        feed(&mut tested, &required).unwrap(),
        (vec!["start TLS".into()], String::new())
    );
    let mut out = Vec::new();
    tested.secured(&mut out).unwrap();
    assert_eq!(connect(str::from_utf8(&out).unwrap())["tls_required"], true);
    assert_eq!(feed(&mut tested, "PONG\r\n").unwrap().0, ["connected a"]);

    for injected in ["PING\r\n", "PI", "-ERR 'x'\r\n"] {
        let fault = feed(
            &mut session(Login::default()),
            &format!("{required}{injected}"),
        )
        .unwrap_err();
        assert!(fault.detail.contains("unencrypted"), "{fault}");
    }
    let wanted = || {
        session(Login {
            tls: true,
            ..Login::default()
        })
    };
    assert_eq!(feed(&mut wanted(), INFO).unwrap_err().kind, FaultKind::Tls);
    let available = INFO.replace("\"headers\"", "\"tls_available\":true,\"headers\"");
    assert_eq!(feed(&mut wanted(), &available).unwrap().0, ["start TLS"]);
    let mut from_the_start = Session::new(
        Login {
            tls: true,
            ..Login::default()
        },
        true,
        LIMIT,
    );
    assert_eq!(
        connect(&feed(&mut from_the_start, &required).unwrap().1)["tls_required"],
        true
    );
}

#[test]
fn a_connected_client_receives_and_responds() {
    let mut session = connected();
    let bytes = "MSG a.b 1 2\r\nhi\r\nPING\r\nPONG\r\n+OK\r\n-ERR 'Permissions Violation for Publish to \"x\"'\r\n";
    let (signals, sent) = feed(&mut session, bytes).unwrap();
    let refused = "refused Permissions Violation for Publish to \"x\"";
    assert_eq!(signals, ["message a.b", "alive", "pong", "ok", refused]);
    assert_eq!(sent, "PONG\r\n");
    assert_eq!(
        feed(&mut session, INFO).unwrap().0,
        [""; 0],
        "nothing has changed"
    );
    let changed = INFO.replace("\"headers\"", "\"connect_urls\":[\"b:1\"],\"headers\"");
    assert_eq!(feed(&mut session, &changed).unwrap().0, ["changed 1"]);
}

#[test]
fn a_server_that_refuses_or_closes_is_a_fault_with_its_reason() {
    let mut tested = session(Login::default());
    feed(&mut tested, INFO).unwrap();
    let fault = feed(&mut tested, "-ERR 'Authorization Violation'\r\n").unwrap_err();
    assert_eq!((fault.side, fault.kind), (Side::Target, FaultKind::Denied));
    let fault = feed(&mut connected(), "-ERR 'Slow Consumer'\r\n").unwrap_err();
    let ours = (Side::Generator, FaultKind::Resources);
    assert_eq!((fault.side, fault.kind), ours, "headcount was slow");
    let fault = feed(
        &mut session(Login::default()),
        "-ERR 'Maximum Connections Exceeded'\r\n",
    )
    .unwrap_err();
    assert_eq!(fault.kind, FaultKind::Denied);
}

#[test]
fn frames_out_of_place_are_faults() {
    for first in ["PONG\r\n", "+OK\r\n", "MSG a 1 0\r\n\r\n"] {
        let fault = feed(&mut session(Login::default()), first).unwrap_err();
        assert!(fault.detail.contains("INFO"), "{fault}");
    }
    let early = format!("{INFO}MSG a 1 0\r\n\r\n");
    let fault = feed(&mut session(Login::default()), &early).unwrap_err();
    assert!(fault.detail.contains("before it accepted"), "{fault}");
}

#[test]
fn a_message_that_the_server_would_refuse_is_not_sent() {
    let mut session = connected();
    let mut out = Vec::new();
    session.publish(&mut out, "a", None, &[], &[0; 20]).unwrap();
    out.clear();
    let fault = session
        .publish(&mut out, "a", None, &[], &[0; 21])
        .unwrap_err();
    assert_eq!(
        (fault.side, fault.kind),
        (Side::Script, FaultKind::TooLarge)
    );
    // Headers count: "NATS/1.0", "A: b" and the empty line have 18 bytes.
    session
        .publish(&mut out, "a", None, &[("A", "b")], &[0; 2])
        .unwrap();
    out.clear();
    assert!(
        session
            .publish(&mut out, "a", None, &[("A", "b")], &[0; 3])
            .is_err()
    );
    for (subject, reply, header) in [
        ("a b", None, ("A", "b")),
        ("a", Some("*"), ("A", "b")),
        ("a", None, ("A:", "b")),
        ("a", None, ("", "b")),
        ("a", None, ("A b", "b")),
        ("a", None, ("A", "b\r\nC: d")),
    ] {
        let fault = session
            .publish(&mut out, subject, reply, &[header], &[])
            .unwrap_err();
        assert_eq!(fault.side, Side::Script);
    }
    assert!(out.is_empty());
    feed(
        &mut session,
        &INFO.replace("\"headers\":true", "\"headers\":false"),
    )
    .unwrap();
    assert!(
        session
            .publish(&mut out, "a", None, &[("A", "b")], &[])
            .is_err()
    );
    session.publish(&mut out, "a", None, &[], &[]).unwrap();
}
