//! Sockets, channels, tickers.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, story, text};
use model::{FaultKind, Nanos, Side};
use script::host::{
    Audience, ChannelId, Message, Payload, ReplyBy, SocketId, StampAt, TickerId, Value, Wake,
};

fn connected(body: &str) -> Stage {
    let mut stage = story(&format!(
        "const socket = await user.websocket('/ws/:room', {{ params: {{ room: 1 }}, subprotocols: ['v1'] }});\n{body}"
    ));
    stage.start(1);
    stage.open(5);
    stage
}

fn message(text: &str) -> Wake {
    Wake::Message {
        socket: SocketId(5),
        message: Message::Plain(Payload::Text(text.to_owned())),
    }
}

#[test]
fn a_socket_is_opened_under_its_template() {
    let mut stage = story(
        "const s = await user.websocket('/ws/:room?x', { params: { room: 'a b' }, subprotocols: ['v1', 'v2'] }); console.log(s.subprotocol, s.open);",
    );
    stage.start(1);
    let calls = stage.take_calls();
    let [Call::Open(op, _, call)] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!(
        (call.url.as_str(), call.name.as_str()),
        ("/ws/a%20b?x", "/ws/:room")
    );
    assert_eq!(call.subprotocols, ["v1", "v2"]);
    stage.done(*op, Value::Socket(SocketId(5), Some("v2".to_owned())));
    assert_eq!(stage.logged(), ["v2 true"]);
}

#[test]
fn texts_bytes_and_objects_are_sent() {
    let mut stage = connected(
        "socket.send('hi'); socket.send(new Uint8Array([1, 2])); socket.send({ a: [1] });",
    );
    let sent: Vec<Payload> = stage
        .take_calls()
        .into_iter()
        .filter_map(|call| match call {
            Call::Send(SocketId(5), payload, None) => Some(payload),
            _ => None,
        })
        .collect();
    let text = |text: &str| Payload::Text(text.to_owned());
    assert_eq!(
        sent,
        [
            text("hi"),
            Payload::Binary(vec![1, 2]),
            text(r#"{"a":[1]}"#)
        ]
    );
    stage.ends_well();
    let mut stage = connected("socket.send(undefined)");
    assert!(
        stage
            .fault()
            .fault
            .detail
            .contains("must be a string, bytes or an object")
    );
}

#[test]
fn a_reply_is_matched_by_id_and_comes_parsed() {
    let mut stage = connected(
        "const r = await socket.request({ id: 7, x: 1 }, { by: '/id', only: { '/type': 'ack' }, timeout: 100, name: 'ask' }); console.log(r.ok);\nconsole.log(await socket.request('plain'));",
    );
    let calls = stage.take_calls();
    let [Call::RoundTrip(op, SocketId(5), call)] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!(
        call.by,
        ReplyBy::Id {
            at: "/id".to_owned(),
            value: "7".to_owned()
        }
    );
    assert_eq!(call.only, [("/type".to_owned(), "\"ack\"".to_owned())]);
    assert_eq!(
        (&*call.name, call.timeout),
        ("ask", Some(Nanos::from_millis(100)))
    );
    stage.done(*op, text(r#"{"id":7,"ok":true}"#));
    let ops = stage.ops();
    assert_eq!(ops[0].1, "/ws/:room");
    stage.done(ops[0].0, text(r#"{"raw":1}"#));
    assert_eq!(stage.logged(), ["true", r#"{"raw":1}"#]);
    stage.ends_well();
}

#[test]
fn places_and_values_that_cannot_be_are_refused() {
    let cases = [
        (
            "{ at: null }",
            "`at` must be a JSON pointer or a byte offset, not null",
        ),
        (
            "{ at: true }",
            "`at` must be a JSON pointer or a byte offset, not bool",
        ),
        (
            "{ at: '/a~2' }",
            "\"/a~2\" has a `~` without 0 or 1; in a JSON pointer, write `~0` for `~` and `~1` for `/`",
        ),
        ("{ at: '/a~' }", "\"/a~\" has a `~` without 0 or 1"),
        (
            "{ only: { '/x': {} } }",
            "`only`[\"/x\"] must be a string, number, boolean or null, not object",
        ),
        (
            "{ only: { '/x': [1] } }",
            "not array; use a separate pointer for each value inside it",
        ),
        ("{ only: { '/x': NaN } }", "not NaN"),
        ("{ only: { '/x~': 1 } }", "\"/x~\" has a `~` without 0 or 1"),
    ];
    for (options, told) in cases {
        let mut stage = connected(&format!(
            "socket.receives(group.channel('said', {{ to: 'others' }}), {options});"
        ));
        let detail = stage.fault().fault.detail;
        assert!(detail.contains(told), "{options}: {detail}");
    }
    let mut stage = connected(
        "socket.receives(group.channel('said', { to: 'others' }), { at: '/a~0~1b', only: { '/x': null, '': 1 } });",
    );
    stage.ends_well();
}

#[test]
fn the_next_message_is_awaited_raw_or_parsed() {
    let mut stage = connected(
        "console.log(await socket.next({ only: { '/t': 1 }, json: true, timeout: '1s' }));\nconsole.log(await socket.next());\nawait socket.next({ json: true });",
    );
    for answer in [r#"{"t":1}"#, "raw", "no json"] {
        let op = stage.ops()[0].0;
        stage.done(op, text(answer));
    }
    assert_eq!(stage.logged(), ["{ t: 1 }", "raw"]);
    let fault = stage.fault().fault;
    assert_eq!(fault.side, Side::Target);
    assert!(fault.detail.contains("cannot be parsed"), "{fault}");
}

#[test]
fn handlers_hear_messages_and_the_end() {
    let mut stage = connected(
        "socket.on('message', m => console.log('got', m)); socket.on('close', (code, why) => console.log('closed', code, why, socket.open)); await user.stay();",
    );
    assert!(format!("{:?}", stage.take_calls()).contains("listen 5 true"));
    stage.wake(message("one"));
    stage.wake(Wake::Message {
        socket: SocketId(5),
        message: Message::Plain(Payload::Binary(vec![1, 2])),
    });
    stage.wake(Wake::Closed {
        socket: SocketId(5),
        code: Some(1001),
        reason: "bye".to_owned(),
    });
    stage.wake(message("too late"));
    assert_eq!(
        stage.logged(),
        ["got one", "got ArrayBuffer(2)", "closed 1001 bye false"]
    );
}

#[test]
fn a_handler_that_throws_fails_the_iteration() {
    for body in [
        "socket.on('message', () => {\nthrow new Error('bad'); }); await user.stay();",
        "socket.on('message', async () => {\nthrow new Error('bad'); }); await user.stay();",
    ] {
        let mut stage = connected(body);
        stage.wake(message("x"));
        let fault = stage.fault();
        assert_eq!(fault.fault.detail, "Error: bad");
        assert_eq!(fault.location.map(|place| place.line), Some(4));
    }
}

#[test]
fn pings_are_timed_and_closing_waits() {
    let mut stage =
        connected("console.log(await socket.ping() > 0); await socket.close(4000, 'done');");
    for expected in ["ping", "close 4000 done"] {
        let ops = stage.ops();
        assert_eq!(ops[0].1, expected);
        stage.done(ops[0].0, Value::Nothing);
    }
    assert_eq!(stage.logged(), ["true"]);
    stage.ends_well();
}

#[test]
fn channels_stamp_and_are_received() {
    let mut stage = connected(
        "const said = group.channel('said', { to: 'others', deadline: '2s' }); group.channel('told', { to: [user] });\nsocket.receives(said, { at: '/body', only: { '/t': 'said' } }); console.log(said.name, said.stamp(user, 'hello '));",
    );
    let calls = stage.take_calls();
    let [
        Call::Channel(name, Audience::Others, Some(deadline)),
        Call::Channel(_, Audience::Users(users), None),
        Call::Receives(_, ChannelId(7), place),
        _,
    ] = calls.as_slice()
    else {
        panic!("{calls:?}");
    };
    assert_eq!(
        (name.as_str(), *deadline, users.len()),
        ("said", Nanos::from_secs(2), 1)
    );
    assert_eq!(place.at, Some(StampAt::Pointer("/body".into())));
    assert_eq!(stage.logged(), ["said hello @stamp;"]);
    let mut stage =
        connected("socket.receives(group.channel('said', { to: 'others' }), { at: 16 })");
    let calls = stage.take_calls();
    let byte = |call: &Call| matches!(call, Call::Receives(.., place) if place.at == Some(StampAt::Byte(16)));
    assert!(calls.iter().any(byte), "{calls:?}");
    for wrong in ["-1", "1.5", "'text'", "true"] {
        let mut stage = connected(&format!(
            "socket.receives(group.channel('said', {{ to: 'others' }}), {{ at: {wrong} }})"
        ));
        assert!(stage.fault().fault.detail.contains("`at`"), "{wrong}");
    }
    let mut stage = connected("group.channel('said', { to: 'other' })");
    assert!(stage.fault().fault.detail.contains("`to` must be"));
}

#[test]
fn what_a_tick_does_counts_from_when_it_was_due() {
    let mut stage = connected(
        "const ticker = user.every('2s', async () => { socket.send('a'); await user.get('/'); socket.send('b'); }, { first: 0 }); await user.think(1); ticker.stop(); await user.stay();",
    );
    let calls = stage.take_calls();
    let [Call::Every(ticker, _, period, first), Call::Op(think, _)] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!((*period, *first), (Nanos::from_secs(2), Some(Nanos::ZERO)));
    stage.wake(Wake::Tick {
        ticker: *ticker,
        due: Nanos(77),
    });
    let calls = stage.take_calls();
    let [Call::Send(_, _, Some(Nanos(77))), Call::Http(op, _, call)] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!(call.planned, Some(Nanos(77)));
    stage.done(*op, common::reply(200, ""));
    assert!(matches!(
        stage.take_calls().as_slice(),
        [Call::Send(_, _, None)]
    ));
    stage.done(*think, Value::Nothing);
    assert!(format!("{:?}", stage.take_calls()).contains("stop ticker 1"));
    stage.wake(Wake::Tick {
        ticker: TickerId(1),
        due: Nanos(99),
    });
    assert!(stage.take_calls().is_empty());
}

#[test]
fn a_tick_that_throws_or_rejects_fails_the_iteration() {
    for callback in [
        "() => { throw new Error('tick') }",
        "async () => { throw new Error('tick') }",
        "async () => { await null; throw new Error('tick') }",
    ] {
        let mut stage = connected(&format!("user.every(1000, {callback}); await user.stay();"));
        stage.wake(Wake::Tick {
            ticker: TickerId(1),
            due: Nanos(1),
        });
        let fault = stage.fault();
        assert_eq!(
            (fault.fault.kind, fault.fault.detail.as_str()),
            (FaultKind::Thrown, "Error: tick")
        );
        assert_eq!(fault.user.map(|user| user.0), Some(100));
    }
}
