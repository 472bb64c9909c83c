use model::Side;

use super::*;

const LIMIT: usize = 1000;
const HELLO: &str = "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:4\r\n\
    $4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n";

fn begun(login: &Login) -> (Session, String) {
    let mut out = Vec::new();
    let session = Session::begin(login, LIMIT, &mut out);
    (session, String::from_utf8(out).unwrap())
}

/// Feeds bytes, and returns the names of the signals.
fn feed(session: &mut Session, bytes: &str) -> Result<Vec<String>, Fault> {
    let mut signals = Vec::new();
    session.on_bytes(bytes.as_bytes(), &mut |signal| {
        signals.push(match signal {
            Signal::Connected(hello) => format!("connected {} {}", hello.version, hello.id),
            Signal::Reply { token, reply } => match reply.value {
                Value::Error(error) => format!("{token}: {}", error.text()),
                value => format!("{token}: {}", value.text().unwrap_or("other")),
            },
            Signal::Confirmed { token } => format!("{token} confirmed"),
            Signal::Push { kind, items, .. } => {
                let rest: Vec<_> = items
                    .values()
                    .map(|value| value.text().unwrap_or("other"))
                    .collect();
                format!("push {kind} {}", rest.join(" "))
            }
        });
    })?;
    Ok(signals)
}

fn connected() -> Session {
    let (mut session, _) = begun(&Login::default());
    assert_eq!(feed(&mut session, HELLO).unwrap(), ["connected 7.0.15 4"]);
    session
}

fn send(session: &mut Session, token: u64, command: &str) {
    let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
    session.send(&mut Vec::new(), token, &words).unwrap();
}

#[test]
fn a_session_begins_with_hello_and_select() {
    assert_eq!(
        begun(&Login::default()).1,
        "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n"
    );
    let login = Login {
        password: Some("pw".into()),
        name: Some("ada".into()),
        database: 12,
        ..Login::default()
    };
    assert!(!format!("{login:?}").contains("pw"));
    let (mut session, sent) = begun(&login);
    assert_eq!(
        sent,
        "*7\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$2\r\npw\r\n$7\r\nSETNAME\r\n$3\r\nada\r\n\
         *2\r\n$6\r\nSELECT\r\n$2\r\n12\r\n"
    );
    assert_eq!((session.in_flight(), session.is_connected()), (2, false));
    assert_eq!(feed(&mut session, HELLO).unwrap(), [""; 0]);
    assert_eq!(
        feed(&mut session, "+OK\r\n").unwrap(),
        ["connected 7.0.15 4"]
    );
    assert_eq!((session.in_flight(), session.is_connected()), (0, true));
}

#[test]
fn a_server_that_refuses_or_is_too_old_is_a_fault_with_its_reason() {
    let check = |reply: &str, kind, words: &str| {
        let fault = feed(&mut begun(&Login::default()).0, reply).unwrap_err();
        assert_eq!((fault.side, fault.kind), (Side::Target, kind), "{reply:?}");
        assert!(fault.detail.contains(words), "{fault}");
    };
    check(
        "-WRONGPASS invalid username-password pair\r\n",
        FaultKind::Denied,
        "WRONGPASS",
    );
    check(
        "-NOAUTH HELLO must be called\r\n",
        FaultKind::Denied,
        "NOAUTH",
    );
    check(
        "-ERR max number of clients reached\r\n",
        FaultKind::Denied,
        "max number",
    );
    check(
        "-ERR unknown command 'HELLO'\r\n",
        FaultKind::Protocol,
        "version 6",
    );
    check(
        "-NOPROTO unsupported protocol version\r\n",
        FaultKind::Protocol,
        "version 6",
    );
    check("+OK\r\n", FaultKind::Protocol, "RESP3");
    check("%0\r\n", FaultKind::Protocol, "RESP3");
    let (mut session, _) = begun(&Login {
        database: 99,
        ..Login::default()
    });
    let refusal = format!("{HELLO}-ERR DB index is out of range\r\n");
    assert_eq!(
        feed(&mut session, &refusal).unwrap_err().kind,
        FaultKind::Denied
    );
}

#[test]
fn replies_belong_to_commands_in_order_and_pushes_to_none() {
    let mut session = connected();
    send(&mut session, 7, "GET a");
    send(&mut session, 8, "GET b");
    send(&mut session, 9, "GET c");
    let bytes = "$1\r\nA\r\n>3\r\n$7\r\nmessage\r\n$2\r\nch\r\n$2\r\nhi\r\n-ERR no\r\n";
    assert_eq!(
        feed(&mut session, bytes).unwrap(),
        ["7: A", "push message ch hi", "8: ERR no"]
    );
    assert_eq!(session.in_flight(), 1);
    assert_eq!(feed(&mut session, "_\r\n").unwrap(), ["9: other"]);
    let fault = feed(&mut session, "+OK\r\n").unwrap_err();
    assert!(fault.detail.contains("without a command"), "{fault}");
}

#[test]
fn a_subscription_is_confirmed_by_its_own_pushes() {
    let mut session = connected();
    let push = |kind: &str, channel: &str| {
        let size = kind.len();
        format!(">3\r\n${size}\r\n{kind}\r\n$1\r\n{channel}\r\n:1\r\n")
    };
    send(&mut session, 1, "SUBSCRIBE a b");
    send(&mut session, 2, "PING");
    send(&mut session, 3, "unsubscribe a");
    let seen = feed(
        &mut session,
        &(push("subscribe", "a") + &push("message", "a") + &push("subscribe", "b")),
    );
    assert_eq!(
        seen.unwrap(),
        [
            "push subscribe a other",
            "push message a other",
            "push subscribe b other",
            "1 confirmed"
        ]
    );
    let seen = feed(
        &mut session,
        &("+PONG\r\n".to_owned() + &push("unsubscribe", "a")),
    );
    assert_eq!(
        seen.unwrap(),
        ["2: PONG", "push unsubscribe a other", "3 confirmed"]
    );
    // Within a transaction, the command itself is queued, and the pushes come later.
    send(&mut session, 4, "SUBSCRIBE c");
    assert_eq!(feed(&mut session, "+QUEUED\r\n").unwrap(), ["4: QUEUED"]);
    assert_eq!(
        feed(&mut session, &push("subscribe", "c")).unwrap(),
        ["push subscribe c other"]
    );
    send(&mut session, 5, "SSUBSCRIBE c");
    assert_eq!(
        feed(&mut session, "-MOVED 1 a:1\r\n").unwrap(),
        ["5: MOVED 1 a:1"]
    );
}

#[test]
fn attributes_of_pushes_and_replies_are_handed_on() {
    let mut session = connected();
    send(&mut session, 1, "GET a");
    let mut found = Vec::new();
    let bytes = b"|1\r\n+a\r\n:1\r\n>1\r\n+kind\r\n|1\r\n+a\r\n:2\r\n_\r\n";
    let mut sink = |signal: Signal<'_>| {
        let attributes = match signal {
            Signal::Push { attributes, .. } => attributes,
            Signal::Reply { reply, .. } => reply.attributes,
            _ => None,
        };
        found.extend(attributes.and_then(|all| all.get("a")?.integer()));
    };
    session.on_bytes(bytes, &mut sink).unwrap();
    assert_eq!(found, [1, 2]);
}

#[test]
fn pushes_have_a_kind() {
    for bytes in [">1\r\n:1\r\n", ">1\r\n*0\r\n"] {
        let fault = feed(&mut connected(), bytes).unwrap_err();
        assert_eq!(
            (fault.side, fault.kind),
            (Side::Target, FaultKind::Protocol),
            "{fault}"
        );
    }
}

#[test]
fn commands_that_cannot_be_matched_are_not_sent() {
    let mut session = connected();
    let mut out = Vec::new();
    for arguments in [
        &[][..],
        &[b"MONITOR".as_slice()],
        &[b"UNSUBSCRIBE".as_slice()],
    ] {
        assert_eq!(
            session.send(&mut out, 1, arguments).unwrap_err().side,
            Side::Script
        );
    }
    assert_eq!((out.len(), session.in_flight()), (0, 0));
}
