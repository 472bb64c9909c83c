use model::Side;

use super::*;

const OPEN: &str = r#"0{"sid":"a","upgrades":[],"pingInterval":300,"pingTimeout":200}"#;

fn session(namespace: &str) -> Session {
    Session::new(
        namespace.to_owned(),
        Some(r#"{"token":"x"}"#.to_owned()),
        1000,
    )
}

/// The signals for text packets, as text.
fn told(session: &mut Session, texts: &[&str]) -> Result<Vec<String>, Fault> {
    let mut told = Vec::new();
    for text in texts {
        session.on_text(text, &mut |signal| told.push(in_words(&signal)))?;
    }
    Ok(told)
}

fn in_words(signal: &Signal<'_>) -> String {
    match signal {
        Signal::Opened(open) => format!("opened {}", open.sid),
        Signal::Say(text) => format!("say {text}"),
        Signal::Event {
            event,
            id,
            attachments,
        } => {
            format!(
                "{} {} {id:?} {attachments:?}",
                event.name(),
                event.arguments
            )
        }
        Signal::Ack {
            id,
            arguments,
            attachments,
        } => format!("ack {id} {arguments} {attachments:?}"),
        other => format!("{other:?}"),
    }
}

fn connected() -> Session {
    let mut session = session("/");
    told(&mut session, &[OPEN, r#"40{"sid":"b"}"#]).unwrap();
    session
}

#[test]
fn it_joins_its_namespace_and_hears_events() {
    let mut session = session("/admin");
    let texts = [
        OPEN,
        r#"40/admin,{"sid":"b"}"#,
        r#"42/admin,["said",{"a":1}]"#,
        r#"42/admin,5["asked"]"#,
        "43/admin,0[1]",
    ];
    let wanted = [
        "opened a",
        r#"say 40/admin,{"token":"x"}"#,
        r#"Connected(Some("b"))"#,
        r#"said {"a":1} None []"#,
        "asked  Some(5) []",
        "ack 0 [1] []",
    ];
    assert_eq!(told(&mut session, &texts).unwrap(), wanted);
    assert_eq!(session.goodbye(), "41/admin,");
}

#[test]
fn pings_are_answered() {
    let wanted = ["Alive", "say 3", "Alive", "say 3probe"];
    assert_eq!(told(&mut connected(), &["2", "2probe"]).unwrap(), wanted);
}

#[test]
fn attachments_follow_their_packet() {
    let mut session = connected();
    let mut heard = Vec::new();
    let mut sink = |signal: Signal<'_>| heard.push(in_words(&signal));
    let text = r#"452-["blobs",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#;
    session.on_text(text, &mut sink).unwrap();
    session.on_binary(&[1], &mut sink).unwrap();
    session.on_binary(&[2, 3], &mut sink).unwrap();
    assert_eq!(heard.len(), 1);
    assert!(heard[0].ends_with("None [[1], [2, 3]]"), "{heard:?}");
    assert!(
        session.on_binary(&[4], &mut |_| {}).is_err(),
        "it belongs to nothing"
    );
    session
        .on_text(r#"451-["b",{"_placeholder":true,"num":0}]"#, &mut |_| {})
        .unwrap();
    let too_large = session.on_binary(&[0; 1000], &mut |_| {}).unwrap_err();
    assert_eq!(too_large.kind, FaultKind::TooLarge);
    let mut session = connected();
    session
        .on_text(r#"451-["b",{"_placeholder":true,"num":0}]"#, &mut |_| {})
        .unwrap();
    assert!(
        told(&mut session, &[r#"42["x"]"#]).is_err(),
        "an attachment was due"
    );
}

#[test]
fn what_ends_it_says_why_in_the_servers_words() {
    let ends = |texts: &[&str]| {
        let mut session = session("/");
        let fault = told(&mut session, texts).unwrap_err();
        assert_eq!(fault.side, Side::Target);
        (fault.kind, fault.detail)
    };
    let (kind, detail) = ends(&[OPEN, r#"44{"message":"Not authorized","data":{"a":1}}"#]);
    assert_eq!(
        (kind, detail.as_str()),
        (
            FaultKind::Denied,
            "the server refused namespace /: Not authorized"
        )
    );
    assert!(ends(&[OPEN, r#"44"no""#]).1.ends_with(": no"));
    assert_eq!(ends(&[OPEN, "40", "41"]).0, FaultKind::Closed);
    assert_eq!(ends(&[OPEN, "40", "1"]).0, FaultKind::Closed);
    for breach in [
        &["40"][..],
        &[OPEN, OPEN],
        &[OPEN, r#"42["x"]"#],
        &[OPEN, "40", "40"],
        &["x"],
        &[OPEN, "40", "42[1]"],
    ] {
        let kind = ends(breach).0;
        assert_eq!(kind, FaultKind::Protocol, "{breach:?}");
    }
}

#[test]
fn other_namespaces_are_left_alone() {
    assert!(
        told(&mut connected(), &[r#"42/other,["x"]"#])
            .unwrap()
            .is_empty()
    );
}
