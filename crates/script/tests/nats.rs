//! NATS as scenarios use it.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, story};
use model::Nanos;
use script::host::{
    ConsumerCall, Message, NatsCall, NatsLogin, NatsMessage, NatsRequest, NatsServer,
    NatsSubscribeCall, NextCall, OpId, Payload, Publication, SocketId, Value, Wake,
};

const CONNECTION: SocketId = SocketId(5);
const SUBSCRIPTION: SocketId = SocketId(6);

fn connected(body: &str) -> Stage {
    let mut stage = story(&format!("const nats = await user.nats();\n{body}"));
    stage.start(1);
    stage.open(CONNECTION.0);
    stage
}

fn subscribed(body: &str) -> Stage {
    let mut stage = connected(&format!("const sub = await nats.subscribe('a.*');\n{body}"));
    let op = only_op(&mut stage);
    stage.done(op, Value::Socket(SUBSCRIPTION, Some("a.*".to_owned())));
    stage
}

fn only_op(stage: &mut Stage) -> OpId {
    let ops = stage.ops();
    assert_eq!(ops.len(), 1, "{ops:?}");
    ops[0].0
}

fn text(text: &str) -> Payload {
    Payload::Text(text.to_owned())
}

fn message(subject: &str, reply: Option<&str>, payload: Payload) -> NatsMessage {
    NatsMessage {
        subject: subject.to_owned(),
        reply: reply.map(str::to_owned),
        headers: Vec::new(),
        status: None,
        payload,
    }
}

fn nats(message: NatsMessage) -> Message {
    Message::Nats(Box::new(message))
}

fn connects(options: &str) -> Result<NatsCall, String> {
    let mut stage = story(&format!("await user.nats({options});"));
    stage.start(1);
    match stage.take_calls().as_slice() {
        [Call::OpenNats(_, _, call)] => Ok(call.clone()),
        _ => Err(stage.fault().fault.detail),
    }
}

#[test]
fn a_connection_has_one_login() {
    let plain = connects("").unwrap();
    assert_eq!((plain.url, plain.name.as_str()), (None, "nats"));
    assert_eq!((plain.login, plain.no_echo), (NatsLogin::Anonymous, false));
    let full = connects(
        "{ url: 'tls://h:1', user: 'a', password: 'b', echo: false, name: 'n', timeout: '2s' }",
    )
    .unwrap();
    assert_eq!(
        (full.url.as_deref(), full.name.as_str()),
        (Some("tls://h:1"), "n")
    );
    let (user, password) = ("a".to_owned(), "b".to_owned());
    assert_eq!(full.login, NatsLogin::Password { user, password });
    assert_eq!(
        (full.no_echo, full.timeout),
        (true, Some(Nanos::from_secs(2)))
    );
    for (options, login) in [
        ("{ token: 't' }", NatsLogin::Token("t".to_owned())),
        ("{ nkey: 's' }", NatsLogin::Seed("s".to_owned())),
        ("{ credentials: 'c' }", NatsLogin::File("c".to_owned())),
    ] {
        assert_eq!(connects(options).unwrap().login, login);
    }
    for (bad, complaint) in [
        ("{ user: 'a' }", "both `user` and `password`"),
        ("{ token: 't', nkey: 's' }", "only one of"),
        ("{ echo: 1 }", "must be true or false"),
        ("{ pasword: 'b' }", "did you mean `password`?"),
        ("'nats://h'", "the options must be an object"),
    ] {
        let refused = connects(bad).unwrap_err();
        assert!(refused.contains(complaint), "{bad}: {refused}");
    }
}

#[test]
fn a_publication_has_subject_payload_headers_and_reply() {
    let mut stage = connected(
        "nats.publish('a.b', { x: 1 }, { reply: 'back', headers: { One: '1', Many: ['2', '3'] } });
         nats.publish('a', new Uint8Array([0, 255]));
         nats.publish('a');
         console.log(nats.server === undefined);",
    );
    let published: Vec<Publication> = stage
        .take_calls()
        .into_iter()
        .filter_map(|call| match call {
            Call::Publish(CONNECTION, message) => Some(message),
            _ => None,
        })
        .collect();
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let first = Publication {
        subject: "a.b".to_owned(),
        reply: Some("back".to_owned()),
        headers: vec![header("One", "1"), header("Many", "2"), header("Many", "3")],
        payload: text(r#"{"x":1}"#),
    };
    let plain = |payload| Publication {
        subject: "a".to_owned(),
        reply: None,
        headers: Vec::new(),
        payload,
    };
    let expected = [first, plain(Payload::Binary(vec![0, 255])), plain(text(""))];
    assert_eq!(published, expected);
    assert_eq!(stage.logged(), ["true"]);
    stage.ends_well();
}

#[test]
fn the_server_is_described() {
    let mut stage = story(
        "const nats = await user.nats();
         const { id, version, maxPayload, jetstream } = nats.server;
         console.log(id, version, maxPayload, jetstream, nats.open);",
    );
    stage.host.borrow_mut().nats_server = Some(NatsServer {
        id: "x".to_owned(),
        version: "2.9".to_owned(),
        max_payload: 7,
        jetstream: true,
    });
    stage.start(1);
    stage.open(CONNECTION.0);
    assert_eq!(stage.logged(), ["x 2.9 7 true true"]);
}

#[test]
fn a_subscription_awaits_handles_and_answers_messages() {
    let mut stage = subscribed(
        "sub.on('message', (message) => { console.log('handler', message.text); message.respond({ ok: true }); });
         const next = await sub.next({ only: { '/x': 1 }, timeout: '1s' });
         console.log(next.subject, next.json.x, next.bytes.length, next.reply, next.status, JSON.stringify(next.headers), sub.subject);
         try { next.respond('x'); } catch (error) { console.log(error.message); }",
    );
    let calls = stage.take_calls();
    let next = calls.iter().find_map(|call| match call {
        Call::Next(op, SUBSCRIPTION, call) => Some((*op, call.clone())),
        _ => None,
    });
    let (op, call) = next.unwrap();
    let expected = NextCall {
        only: vec![("/x".to_owned(), "1".to_owned())],
        timeout: Some(Nanos::from_secs(1)),
        ..NextCall::default()
    };
    assert_eq!(call, expected);
    stage.wake(Wake::Message {
        socket: SUBSCRIPTION,
        message: nats(message("a.h", Some("back"), text("hi"))),
    });
    let answers = stage.take_calls();
    let [Call::Publish(CONNECTION, answer)] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    assert_eq!(
        (answer.subject.as_str(), &answer.payload),
        ("back", &text(r#"{"ok":true}"#))
    );
    let mut awaited = message("a.n", None, text(r#"{"x":1}"#));
    awaited.headers = [("A", "1"), ("B", "2"), ("A", "3"), ("A", "4")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    stage.done(op, Value::Message(nats(awaited)));
    assert_eq!(
        stage.logged(),
        [
            "handler hi",
            r#"a.n 1 7 undefined undefined {"A":["1","3","4"],"B":"2"} a.*"#,
            "message.respond(payload): the message has no subject for replies",
        ]
    );
}

#[test]
fn a_subscription_has_a_queue_and_a_limit() {
    let mut stage = connected("nats.subscribe('jobs', { queue: 'w', max: 3, timeout: '1s' });");
    let calls = stage.take_calls();
    let [Call::NatsSubscribe(_, call)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    let expected = NatsSubscribeCall {
        subject: "jobs".to_owned(),
        queue: Some("w".to_owned()),
        max: Some(3),
        consumer: None,
        timeout: Some(Nanos::from_secs(1)),
    };
    assert_eq!(*call, expected);
}

fn requests(stage: &mut Stage) -> Vec<(OpId, NatsRequest)> {
    let calls = stage.take_calls().into_iter();
    calls
        .filter_map(|call| match call {
            Call::NatsRequest(op, call) => Some((op, call)),
            _ => None,
        })
        .collect()
}

#[test]
fn a_request_is_named_by_its_subject_or_as_the_script_says() {
    let mut stage = connected(
        "const one = nats.request('a.7', 'x'), two = nats.request('b', {}, { name: 'n', timeout: '1s', headers: { A: 'b' } });
         console.log((await one).text, (await two).text);",
    );
    let all = requests(&mut stage);
    let names: Vec<_> = all.iter().map(|(_, call)| call.name.as_str()).collect();
    assert_eq!(names, ["a.7", "n"]);
    assert!(all.iter().all(|(_, call)| !call.is_jetstream));
    assert_eq!(all[1].1.timeout, Some(Nanos::from_secs(1)));
    for (op, call) in all {
        let reply = message("_INBOX.x", None, text(&call.name));
        stage.done(op, Value::Message(nats(reply)));
    }
    assert_eq!(stage.logged(), ["a.7 n"]);
    stage.ends_well();
}

#[test]
fn jetstream_publishes_with_an_id_and_reads_the_confirmation() {
    let mut stage = connected(
        "const js = nats.jetstream;
         const stored = await js.publish('o.new', 'x', { id: 'i', headers: { A: 'b' }, name: 'order' });
         console.log(stored.stream, stored.sequence, stored.duplicate);
         console.log((await js.api('CONSUMER.INFO.S.c')).config.name);",
    );
    let (op, call) = requests(&mut stage).remove(0);
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!((call.name.as_str(), call.is_jetstream), ("order", true));
    assert_eq!(
        call.message.headers,
        [header("A", "b"), header("Nats-Msg-Id", "i")]
    );
    let confirmation = message(
        "_INBOX.x",
        None,
        text(r#"{"stream":"S","seq":3,"duplicate":true}"#),
    );
    stage.done(op, Value::Message(nats(confirmation)));
    let (op, call) = requests(&mut stage).remove(0);
    assert_eq!(call.name, "$JS.API.CONSUMER.INFO");
    assert_eq!(call.message.subject, "$JS.API.CONSUMER.INFO.S.c");
    let info = message("_INBOX.x", None, text(r#"{"config":{"name":"c"}}"#));
    stage.done(op, Value::Message(nats(info)));
    assert_eq!(stage.logged(), ["S 3 true", "c"]);
    stage.ends_well();
}

#[test]
fn fetches_of_a_consumer_run_one_after_the_other_on_one_subscription() {
    let mut stage = connected(
        "const work = nats.jetstream.consumer('S', 'c');
         const [a, b] = await Promise.all([work.fetch(2), work.fetch(1, { timeout: '1s' })]);
         console.log(a.length, a[0].stream, a[0].sequence, a[0].delivered, b.length);
         a[0].ack(); a[0].nak(); a[0].nak({ delay: '2s' }); a[0].progress(); a[0].term();",
    );
    let (op, call) = requests(&mut stage).remove(0);
    assert_eq!(call.message.subject, "$JS.API.CONSUMER.INFO.S.c");
    stage.done(
        op,
        Value::Message(nats(message("_INBOX.x", None, text("{}")))),
    );
    let calls = stage.take_calls();
    let [Call::NatsSubscribe(op, call)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    let consumer = ConsumerCall {
        stream: "S".to_owned(),
        name: "c".to_owned(),
        batch: None,
        acknowledges: false,
    };
    assert_eq!(call.consumer, Some(consumer));
    stage.done(
        *op,
        Value::Socket(SUBSCRIPTION, Some("_INBOX.c".to_owned())),
    );
    let op = only_op(&mut stage);
    let reply = "$JS.ACK.hub.HASH.S.c.2.101.37.1700000000000000000.4";
    let messages = vec![nats(message("o.new", Some(reply), text("x")))];
    stage.done(op, Value::Messages(messages));
    let op = only_op(&mut stage);
    stage.done(op, Value::Messages(Vec::new()));
    assert_eq!(stage.logged(), ["1 S 101 2 0"]);
    let payloads: Vec<_> = stage
        .take_calls()
        .into_iter()
        .filter_map(|call| match call {
            Call::Publish(CONNECTION, answer) => {
                assert_eq!(answer.subject, reply);
                Some(answer.payload)
            }
            _ => None,
        })
        .collect();
    let expected = [
        "+ACK",
        "-NAK",
        r#"-NAK {"delay":2000000000}"#,
        "+WPI",
        "+TERM",
    ];
    assert_eq!(payloads, expected.map(text));
    stage.ends_well();
}
