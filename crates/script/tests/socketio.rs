//! Socket.IO sockets as scenarios use them.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, story};
use model::{Fault, FaultKind, Nanos};
use script::host::{Emission, EventCall, Heard, SocketId, Value, Wake};

fn connected(body: &str) -> Stage {
    let mut stage = story(&format!("const socket = await user.socketio();\n{body}"));
    stage.start(1);
    let op = stage.ops()[0].0;
    stage.done(op, Value::Socket(SocketId(5), Some("sid".to_owned())));
    stage
}

fn heard(arguments: &str, attachments: &[&[u8]]) -> Heard {
    Heard {
        arguments: arguments.to_owned(),
        attachments: attachments.iter().map(|bytes| bytes.to_vec()).collect(),
    }
}

fn emitted(stage: &mut Stage) -> Vec<Emission> {
    let said = |call| match call {
        Call::Emit(said) => Some(said),
        _ => None,
    };
    stage.take_calls().into_iter().filter_map(said).collect()
}

fn event(name: &str, arguments: &str, ack: Option<u64>) -> Wake {
    Wake::Event {
        socket: SocketId(5),
        event: name.to_owned(),
        heard: heard(arguments, &[]),
        ack,
    }
}

#[test]
fn where_and_how_it_connects_is_said_by_options() {
    let opens = |arguments: &str| {
        let mut stage = story(&format!("await user.socketio({arguments});"));
        stage.start(1);
        match stage.take_calls().as_slice() {
            [Call::OpenSocketIo(_, _, call)] => Ok(call.clone()),
            _ => Err(stage.fault().fault.detail),
        }
    };
    let plain = opens("").unwrap();
    assert_eq!(
        (plain.url.as_str(), plain.name.as_str()),
        ("/socket.io/", "/socket.io/")
    );
    assert_eq!(
        (plain.namespace.as_str(), plain.polls, plain.upgrades),
        ("/", false, true)
    );
    let full = opens("'http://h:1/', { namespace: 'admin', path: '/io', query: { a: 'b c' }, auth: { t: 1 }, transports: ['polling', 'websocket'], timeout: '2s' }").unwrap();
    assert_eq!(full.url, "http://h:1/io/?a=b%20c");
    assert_eq!(full.name, "/io/ /admin");
    assert_eq!(
        (full.namespace.as_str(), full.auth.as_deref()),
        ("/admin", Some(r#"{"t":1}"#))
    );
    assert!(full.polls && full.upgrades);
    assert_eq!(full.timeout, Some(Nanos::from_secs(2)));
    for (bad, complaint) in [
        (
            "'http://h/admin'",
            "give the rest in the options `namespace` and `path`",
        ),
        ("{ transport: ['polling'] }", "did you mean `transports`?"),
        ("{ transports: ['webtransport'] }", "must be"),
        ("{ auth: 'secret' }", "must be an object"),
    ] {
        let refused = opens(bad).unwrap_err();
        assert!(refused.contains(complaint), "{bad}: {refused}");
    }
}

#[test]
fn events_leave_as_lists_with_placeholders_for_bytes() {
    let mut stage = connected(
        "socket.emit('a'); socket.emit('b', 1, { c: 'é' }); socket.emit('d', { e: [new Uint8Array([1, 2])] }, new Uint8Array([3]).buffer);",
    );
    let said = emitted(&mut stage);
    assert_eq!(said[0].list, r#"["a"]"#);
    assert_eq!(said[1].list, r#"["b",1,{"c":"é"}]"#);
    assert_eq!(
        said[2].list,
        r#"["d",{"e":[{"_placeholder":true,"num":0}]},{"_placeholder":true,"num":1}]"#
    );
    assert_eq!(said[2].attachments, [vec![1, 2], vec![3]]);
    stage.ends_well();
    for own in [
        "socket.emit('disconnect')",
        "socket.emit(7)",
        "socket.on('connect', () => 1)",
    ] {
        let detail = connected(own).fault().fault.detail;
        assert!(detail.contains("TypeError"), "{detail}");
    }
    let circle = connected("const a = {}; a.a = a; socket.emit('x', a);").fault();
    assert!(
        circle.fault.detail.contains("circular"),
        "{}",
        circle.fault.detail
    );
}

/// Values of all kinds, as written in a scenario. The test compares their text with that of `JSON.stringify`.
const VALUES: [&str; 22] = [
    "1",
    "-7",
    "0.1",
    "-0",
    "1e21",
    "1e-7",
    "123456789.125",
    "2 ** 31",
    "NaN",
    "Infinity",
    "true",
    "null",
    "undefined",
    "() => 1",
    r#""a\"b\\c\n\r\t\b\f\u0001\u007f\u2028 é 😀""#,
    r#""half \ud800 pair""#,
    "[1, undefined, [], {}, Symbol()]",
    r#"{ 2: "b", a: undefined, 1: "a", f() {}, "é\n": null, n: { m: [{ o: 1 }] } }"#,
    "{ get a() { return 'got'; }, toJSON: undefined }",
    "{ toJSON() { return { its: 'own' }; } }",
    "[new Date(0), new Number(3), Object('s'), new Map([[1, 2]]), Object.create(null)]",
    "Object.defineProperty({ seen: 1 }, 'hidden', { value: 2, enumerable: false })",
];

#[test]
fn what_leaves_is_the_json_that_the_script_engine_would_write() {
    for value in VALUES {
        let mut stage = connected(&format!(
            "const value = {value}; socket.emit('x', value, 1); console.log(JSON.stringify(['x', value, 1]));"
        ));
        let said = emitted(&mut stage);
        assert_eq!(said[0].list, stage.logged()[0], "{value}");
        assert!(said[0].attachments.is_empty(), "{value}");
        stage.ends_well();
    }
}

#[test]
fn what_throws_while_it_is_written_is_the_scripts_own_error() {
    for (value, complaint) in [
        ("{ get a() { throw new Error('mine'); } }", "mine"),
        ("{ a: 1n }", "BigInt"),
    ] {
        let fault = connected(&format!("socket.emit('x', {value});")).fault();
        assert!(fault.fault.detail.contains(complaint), "{fault}");
    }
}

#[test]
fn an_acknowledgement_is_awaited() {
    let mut stage = connected(
        "console.log(await socket.request('ask', 1), await socket.request({ event: 'ask', timeout: 100, name: 'n' }), await socket.request('x'));\ntry { await socket.request('never'); } catch (error) { console.log(error.side, error.kind); }",
    );
    for answer in [
        heard("[{\"a\":1}]", &[]),
        heard("[]", &[]),
        heard("[1,{\"_placeholder\":true,\"num\":0}]", &[&[7, 8]]),
    ] {
        let calls = stage.take_calls();
        let [Call::Request(op, EventCall { name, timeout, .. })] = calls.as_slice() else {
            panic!("{calls:?}")
        };
        assert!(name == "n" && *timeout == Some(Nanos::from_millis(100)) || timeout.is_none());
        stage.done(*op, Value::Heard(answer));
    }
    let op = stage.ops()[0].0;
    stage.fails(op, Fault::target(FaultKind::TimedOut, "late"));
    assert_eq!(
        stage.logged(),
        ["{ a: 1 } undefined [1, ArrayBuffer(2)]", "target timed_out"]
    );
}

#[test]
fn handlers_hear_their_events_and_answer_them() {
    let mut stage = connected(
        "socket.on('add', (a, b) => a + b); socket.on('later', async n => n * 2); socket.on('mute', () => {}); socket.on('disconnect', why => console.log(why)); await user.stay();",
    );
    stage.take_calls();
    stage.wake(event("add", "[1,2]", Some(4)));
    stage.wake(event("later", "[21]", Some(5)));
    stage.wake(event("mute", "[]", Some(6)));
    stage.wake(event("add", "[1,2]", None));
    let said: Vec<_> = emitted(&mut stage)
        .into_iter()
        .map(|said| (said.list, said.acknowledges))
        .collect();
    assert_eq!(
        said,
        [("[3]".to_owned(), Some(4)), ("[42]".to_owned(), Some(5))]
    );
    stage.wake(Wake::Closed {
        socket: SocketId(5),
        code: None,
        reason: "gone".to_owned(),
    });
    stage.wake(event("add", "[1,2]", Some(9)));
    assert_eq!(stage.logged(), ["gone"]);
    assert!(emitted(&mut stage).is_empty());
}

#[test]
fn a_handler_that_throws_fails_the_iteration() {
    for handler in [
        "() => { throw new Error('bad'); }",
        "async () => { throw new Error('bad'); }",
    ] {
        let mut stage = connected(&format!("socket.on('x', {handler}); await user.stay();"));
        stage.wake(event("x", "[]", Some(1)));
        assert_eq!(stage.fault().fault.detail, "Error: bad");
    }
}

#[test]
fn a_channel_is_followed_until_it_is_stopped() {
    let mut stage = connected(
        "const c = group.channel('c', { to: 'others' }); const stop = socket.receives(c, { event: 'e', at: '/a', except: { '/b': true }, keep: true }); console.log(socket.last(c)); stop(); user.state('doc', 'text');",
    );
    let calls = format!("{:?}", stage.take_calls());
    for wanted in [
        "except: [(\"/b\", \"true\")], event: Some(\"e\"), keep: true",
        "stop receiving 5 3",
        "user 100 state doc \\\"text\\\"",
    ] {
        assert!(calls.contains(wanted), "{wanted} in {calls}");
    }
    assert_eq!(stage.logged(), ["undefined"]);
    stage.ends_well();
    let mut stage = connected("socket.receives(group.channel('c', { to: 'others' }), {});");
    assert!(stage.fault().fault.detail.contains("`event` is missing"));
}
