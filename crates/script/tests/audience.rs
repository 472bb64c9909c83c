//! Passive audiences: their declaration, their channels, and how their members connect.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "functions around tests"
)]

#[path = "common/stage.rs"]
mod common;

use common::{Call, group, stage, try_stage};
use model::Nanos;
use script::host::{
    Audience, MemberCall, MemberOpening, NatsLogin, NatsMember, Payload, RedisMember, StampAt,
    SubscriptionKind,
};

const HALL: &str = r#"
import { audience } from "headcount";
const other = audience(3, { receives: { news: {} }, connect: () => ({ events: "/news", query: { a: 1 } }) });
const hall = audience(1000, {
  name: "hall",
  receives: { said: { at: "/text", only: { "/type": "said" }, deadline: "100ms" } },
  connect: (index, setup) => ({
    websocket: "/rooms/" + index,
    headers: { authorization: setup.token },
    send: [{ join: index }, "go"],
    ready: { "/type": "joined" },
  }),
});
export default async function ({ users: [user], channel }) {
  const said = channel("said", { to: hall });
  said.stamp(user);
}
"#;

#[test]
fn audiences_are_declared_in_order_with_their_channels() {
    let stage = stage(HALL);
    let declared = stage.script.declared().unwrap();
    let [other, hall] = declared.audiences.as_slice() else {
        panic!("{declared:?}")
    };
    assert_eq!((other.name.as_str(), other.members), ("audience", 3));
    assert_eq!((hall.name.as_str(), hall.members), ("hall", 1000));
    let [said] = hall.channels.as_slice() else {
        panic!("{hall:?}")
    };
    assert_eq!(said.name, "said");
    assert_eq!(said.deadline, Some(Nanos::from_millis(100)));
    assert_eq!(said.place.at, Some(StampAt::Pointer("/text".to_owned())));
    assert_eq!(
        said.place.only,
        [("/type".to_owned(), "\"said\"".to_owned())]
    );
}

#[test]
fn each_member_has_its_own_connection() {
    let mut stage = stage(HALL);
    let members = stage.script.members(1, 7..9, Some(r#"{"token":"t"}"#));
    let members = members.unwrap();
    assert_eq!(members.len(), 2);
    let MemberOpening::WebSocket(call) = &members[1].opening else {
        panic!("{members:?}")
    };
    assert_eq!(call.url, "/rooms/8");
    assert_eq!(call.headers, [("authorization".to_owned(), "t".to_owned())]);
    let text = |text: &str| Payload::Text(text.to_owned());
    assert_eq!(members[1].first, [text(r#"{"join":8}"#), text("go")]);
    assert_eq!(
        members[1].ready,
        [("/type".to_owned(), "\"joined\"".to_owned())]
    );
    let others = stage.script.members(0, 0..1, None).unwrap();
    let MemberOpening::Events(call) = &others[0].opening else {
        panic!("{others:?}")
    };
    assert_eq!(call.url, "/news?a=1");
}

/// The members described by this function.
fn described(connect: &str) -> Vec<MemberCall> {
    let source = format!(
        "import {{ audience }} from 'headcount';\n\
         audience(2, {{ receives: {{ said: {{}} }}, connect: {connect} }});\n\
         export default () => {{}};"
    );
    let members = stage(&source).script.members(0, 0..2, None);
    members.unwrap()
}

#[test]
fn members_of_a_nats_server_share_a_connection_unless_the_script_wants_their_own() {
    let members = described(
        "(index) => ({ nats: { token: 't', connection: index ? 'own' : undefined }, subject: 'a.' + index, timeout: '3s' })",
    );
    for (index, member) in members.iter().enumerate() {
        let MemberOpening::Nats(NatsMember { call, subscribe }) = &member.opening else {
            panic!("{member:?}")
        };
        assert_eq!(subscribe.names, [format!("a.{index}").into_bytes()]);
        assert_eq!(call.is_shared, index == 0);
        assert_eq!(call.login, NatsLogin::Token("t".to_owned()));
        assert_eq!(call.timeout, Some(Nanos::from_secs(3)));
    }
}

#[test]
fn members_of_a_socket_io_server_have_a_namespace_and_first_events() {
    let members = described(
        "(index) => ({ socketio: { namespace: 'hall', auth: { index }, url: index ? 'http://other:81' : undefined },\
           send: [['join', { seat: index }, 1], ['hello']], ready: index ? { '/a': 1 } : 'joined' })",
    );
    let MemberOpening::SocketIo(call) = &members[1].opening else {
        panic!("{members:?}")
    };
    assert_eq!(call.url, "http://other:81/socket.io/");
    assert_eq!(call.namespace, "/hall");
    assert_eq!(call.auth.as_deref(), Some("{\"index\":1}"));
    let text = |text: &str| Payload::Text(text.to_owned());
    let first = [text(r#"["join",{"seat":1},1]"#), text(r#"["hello"]"#)];
    assert_eq!(members[1].first, first);
    assert_eq!(members[1].ready, [("/a".to_owned(), "1".to_owned())]);
    assert_eq!(members[0].ready_event.as_deref(), Some("joined"));
    let MemberOpening::SocketIo(call) = &members[0].opening else {
        panic!("{members:?}")
    };
    assert_eq!(call.url, "/socket.io/");
}

#[test]
fn members_of_a_redis_server_subscribe_to_channels_or_patterns() {
    let members = described(
        "(index) => ({ redis: { database: 2 }, channels: index ? ['a', 'b', 'a'] : 'a*', pattern: !index })",
    );
    let channels = |member: &MemberCall| {
        let MemberOpening::Redis(RedisMember { call, subscribe }) = &member.opening else {
            panic!("{member:?}")
        };
        assert_eq!(call.database, Some(2));
        (subscribe.kind, subscribe.names.clone())
    };
    let name = |name: &str| name.as_bytes().to_vec();
    assert_eq!(
        channels(&members[0]),
        (SubscriptionKind::Pattern, vec![name("a*")])
    );
    assert_eq!(
        channels(&members[1]),
        (SubscriptionKind::Channel, vec![name("a"), name("b")])
    );
}

#[test]
fn a_channel_addresses_the_audience_by_its_number() {
    let mut stage = stage(HALL);
    stage.script.start_group(group(1, 1));
    let calls = stage.take_calls();
    assert!(
        matches!(&calls[0], Call::Channel(name, Audience::Passive(1), None) if name == "said"),
        "{calls:?}"
    );
}

/// Checks that a member with this description is refused with these words.
fn refused(connect: &str, words: &str) {
    let source = format!(
        "import {{ audience }} from 'headcount';\n\
         audience(1, {{ receives: {{ said: {{}} }}, connect: {connect} }});\n\
         export default () => {{}};"
    );
    let mut stage = stage(&source);
    let fault = stage.script.members(0, 0..1, None).unwrap_err();
    assert!(fault.fault.detail.contains(words), "{}", fault.fault.detail);
}

#[test]
fn a_mistake_in_the_description_is_the_scripts_fault() {
    refused("() => 7", "must be an object");
    refused("async () => ({})", "must be an object");
    refused("() => ({})", "exactly one of `websocket`, `events`");
    refused(
        "() => ({ websocket: '/', events: '/' })",
        "exactly one of `websocket`, `events`",
    );
    refused(
        "() => ({ websocket: '/', heders: {} })",
        "did you mean `headers`",
    );
    refused(
        "() => ({ events: '/', send: ['x'] })",
        "`send` has no meaning for an event stream",
    );
    refused("() => { throw new Error('no seats') }", "no seats");
}

#[test]
fn a_mistake_in_the_description_of_a_protocol_is_the_scripts_fault() {
    refused("() => ({ nats: {} })", "`subject` is missing");
    refused(
        "() => ({ nats: {}, subject: 'a', ready: {} })",
        "`ready` has no meaning for a NATS subscription",
    );
    refused(
        "() => ({ nats: {}, subject: 'a', queue: 'q' })",
        "members of a queue group share the messages",
    );
    refused(
        "() => ({ nats: { echo: false }, subject: 'a' })",
        "unknown option `echo`",
    );
    refused(
        "() => ({ socketio: { transports: ['polling'] } })",
        "unknown option `transports`",
    );
    refused(
        "() => ({ socketio: {}, send: ['join'] })",
        "a list of events such as [\"join\", { room: 1 }]",
    );
    refused(
        "() => ({ socketio: {}, send: [['join', new ArrayBuffer(1)]] })",
        "without bytes",
    );
    refused(
        "() => ({ socketio: {}, headers: {} })",
        "`headers` has no meaning for a Socket.IO socket",
    );
    refused(
        "() => ({ websocket: '/', ready: 'joined' })",
        "must be an object",
    );
    refused("() => ({ redis: {} })", "`channels` is missing");
    refused(
        "() => ({ redis: {}, channels: 'a', send: ['x'] })",
        "`send` has no meaning for a Redis subscription",
    );
    refused(
        "() => ({ redis: { cluster: true }, channels: 'a' })",
        "unknown option `cluster`",
    );
    refused(
        "() => ({ redis: {}, channels: 'a', pattern: true, shard: true })",
        "only one of pattern and shard",
    );
    refused(
        "() => ({ websocket: '/', subject: 'a' })",
        "`subject` has no meaning for a WebSocket",
    );
}

#[test]
fn a_mistake_in_the_declaration_is_refused() {
    let check = |call: &str, words: &str| {
        let source =
            format!("import {{ audience }} from 'headcount';\n{call};\nexport default () => {{}};");
        let error = try_stage(&source).err().map(|error| error.to_string());
        let error = error.unwrap_or_else(|| panic!("{call} was accepted"));
        assert!(error.contains(words), "{error}");
    };
    check("audience(0, {})", "whole number from 1");
    check(
        "audience(5, { receives: { a: {} } })",
        "`connect` is missing",
    );
    check(
        "audience(5, { connect: () => {} })",
        "`receives` is missing",
    );
    check(
        "audience(5, { receives: { a: { att: 1 } }, connect: () => {} })",
        "did you mean `at`",
    );
    check("audience(5, { size: 3 })", "unknown option `size`");
}

#[test]
fn an_audience_is_declared_only_while_the_module_loads() {
    let mut stage = stage(
        "import { audience } from 'headcount'; export default () => { audience(1, { receives: { a: {} }, connect: () => {} }); };",
    );
    stage.script.start_group(group(1, 1));
    let ended = stage.script.take_ended();
    let fault = ended[0].outcome.as_ref().unwrap_err();
    assert!(fault.fault.detail.contains("top level"), "{fault:?}");
}
