//! Connections to Redis servers as scenarios use them.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, story};
use model::{Fault, FaultKind, Nanos};
use script::host::{
    ChannelId, CommandsCall, Message, OpId, RedisCall, RedisError, RedisMessage, RedisPublished,
    RedisServer, RedisValue, SocketId, StampAt, StampPlace, SubscribeCall, SubscriptionKind, Value,
    Wake,
};

const REDIS: SocketId = SocketId(5);
const SUBSCRIPTION: SocketId = SocketId(6);

fn opened(body: &str) -> Stage {
    let mut stage = story(&format!("const redis = await user.redis();\n{body}"));
    stage.start(1);
    let calls = stage.take_calls();
    let [Call::OpenRedis(op, ..)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    stage.done(*op, Value::Socket(REDIS, None));
    stage
}

fn opens(options: &str) -> Result<RedisCall, String> {
    let mut stage = story(&format!("await user.redis({options});"));
    stage.start(1);
    match stage.take_calls().as_slice() {
        [Call::OpenRedis(_, _, call)] => Ok(call.clone()),
        _ => Err(stage.fault().fault.detail),
    }
}

fn sent(stage: &mut Stage) -> (OpId, CommandsCall) {
    match stage.take_calls().as_slice() {
        [Call::Commands(op, REDIS, call)] => (*op, call.clone()),
        other => panic!("{other:?}"),
    }
}

fn calls(call: &str) -> Result<CommandsCall, String> {
    let mut stage = opened(&format!("await redis.{call};"));
    match stage.take_calls().as_slice() {
        [Call::Commands(_, REDIS, call)] => Ok(call.clone()),
        _ => Err(stage.fault().fault.detail),
    }
}

fn text(value: &str) -> RedisValue {
    RedisValue::Bytes(value.as_bytes().to_vec())
}

fn wrong_type() -> RedisError {
    RedisError {
        code: "WRONGTYPE".to_owned(),
        fault: Fault::target(FaultKind::Content, "Redis error: WRONGTYPE not a list"),
    }
}

#[test]
fn a_connection_goes_to_the_target_unless_the_script_says_otherwise() {
    let plain = opens("").unwrap();
    assert_eq!((plain.url, plain.password, plain.name), (None, None, None));
    let full = opens(
        "{ url: 'rediss://h:1/2', user: 'u', password: 'p', database: 3, cluster: true, name: 'n', timeout: '2s' }",
    )
    .unwrap();
    assert_eq!(full.url.as_deref(), Some("rediss://h:1/2"));
    assert_eq!(full.user.as_deref(), Some("u"));
    assert_eq!(full.password.as_deref(), Some("p"));
    assert_eq!(full.name.as_deref(), Some("n"));
    assert!(full.cluster);
    assert_eq!(
        (full.database, full.timeout),
        (Some(3), Some(Nanos::from_secs(2)))
    );
    for (bad, complaint) in [
        ("{ pasword: 'x' }", "did you mean `password`?"),
        ("{ database: -1 }", "must be a whole number"),
        ("{ url: 7 }", "`url`"),
    ] {
        let refused = opens(bad).unwrap_err();
        assert!(refused.contains(complaint), "{bad}: {refused}");
    }
}

#[test]
fn a_command_is_sent_with_its_arguments_as_bytes() {
    let call = calls("call('set', 'käse', 1.5, 2n ** 60n, new Uint8Array([0, 255]))").unwrap();
    let [command] = call.commands.as_slice() else {
        panic!("{call:?}");
    };
    assert_eq!(command.name, "SET");
    let number = (1_u64 << 60).to_string();
    let words: [&[u8]; 5] = [
        b"set",
        "käse".as_bytes(),
        b"1.5",
        number.as_bytes(),
        &[0, 255],
    ];
    assert_eq!(command.words, words);
    assert!(!call.is_pipeline && call.expect.is_empty());
}

#[test]
fn a_command_is_named_with_its_subcommand() {
    let name = |call: &str| calls(call).unwrap().commands[0].name.clone();
    assert_eq!(
        name("call('XGROUP', 'create', 's', 'g', '$')"),
        "XGROUP CREATE"
    );
    assert_eq!(name("call('GET', 'create')"), "GET");
    assert_eq!(
        name("call({ command: 'GET', name: 'my read' }, 'a')"),
        "my read"
    );
    let call = calls("call({ command: 'GET', timeout: '1s', expect: 'ERR' }, 'a')").unwrap();
    assert_eq!(call.timeout, Some(Nanos::from_secs(1)));
    assert_eq!(call.expect, ["ERR"]);
}

#[test]
fn wrong_commands_are_refused_with_advice() {
    for (bad, complaint) in [
        ("call('XGROUP CREATE', 's')", "is not one word"),
        ("call('')", "is not one word"),
        ("call(7)", "the command must be a string"),
        ("call('SUBSCRIBE', 'a')", "use `redis.subscribe(channels)`"),
        ("call('SET', 'a', { b: 1 })", "JSON.stringify"),
        ("call('SET', 'a', ['b'])", "...list"),
        ("call('SET', 'a', undefined)", "argument 2 of SET"),
        ("call({ command: 'GET', nam: 'x' })", "did you mean `name`?"),
        ("pipeline([])", "there is no command"),
        ("pipeline(['GET', 'a'])", "a list of lists"),
        ("subscribe([])", "empty list"),
        (
            "subscribe('a', { pattern: true, shard: true })",
            "only one of",
        ),
    ] {
        let refused = calls(bad).unwrap_err();
        assert!(refused.contains(complaint), "{bad}: {refused}");
    }
}

#[test]
fn replies_become_values_of_the_script() {
    let reply = RedisValue::List(vec![
        RedisValue::Null,
        RedisValue::Boolean(true),
        RedisValue::Integer(-7),
        RedisValue::Integer(i64::MAX),
        RedisValue::Double(0.5),
        RedisValue::BigNumber("-123456789012345678901234567890".to_owned()),
        text("käse"),
        RedisValue::Bytes(vec![255]),
        RedisValue::Set(vec![text("x")]),
        RedisValue::Map(vec![(text("k"), RedisValue::List(vec![text("v")]))]),
    ]);
    let mut stage = opened(
        "const [none, yes, small, large, half, big, cheese, bytes, set, map] = await redis.call('X');
         console.log(none, yes, small, large === 2n ** 63n - 1n, half, big === -123456789012345678901234567890n, cheese);
         console.log(bytes instanceof ArrayBuffer, set instanceof Set && set.has('x'), map instanceof Map && map.get('k')[0]);",
    );
    let (op, _) = sent(&mut stage);
    stage.done(op, Value::from(reply));
    assert_eq!(
        stage.logged(),
        ["null true -7 true 0.5 true käse", "true true v"]
    );
    stage.ends_well();
}

#[test]
fn binary_replies_are_buffers_on_every_level() {
    let mut stage = opened(
        "const [one, [two]] = await redis.call({ command: 'X', binary: true });
         console.log(one instanceof ArrayBuffer, two.byteLength);",
    );
    let (op, _) = sent(&mut stage);
    let nested = RedisValue::List(vec![text("ab")]);
    stage.done(op, Value::from(RedisValue::List(vec![text("x"), nested])));
    assert_eq!(stage.logged(), ["true 2"]);
}

#[test]
fn an_error_reply_rejects_with_its_code_and_the_place_of_the_call() {
    let mut stage = opened(
        "try { await redis.call('LPUSH', 'a', 1); }
         catch (error) { console.log(error.name, error.code, error.side, error.kind, error instanceof Error); }
         await redis.call('LPUSH', 'a', 1);",
    );
    let (op, _) = sent(&mut stage);
    stage.done(op, Value::from(wrong_type()));
    assert_eq!(stage.logged(), ["RedisError WRONGTYPE target content true"]);
    let (op, _) = sent(&mut stage);
    stage.done(op, Value::from(wrong_type()));
    let fault = stage.fault();
    assert_eq!(fault.fault, wrong_type().fault);
    assert!(fault.location.is_some(), "{fault:?}");
}

#[test]
fn a_pipeline_resolves_to_a_list_in_which_errors_are_values() {
    let mut stage = opened(
        "const [ok, error] = await redis.pipeline([['SET', 'a', 1], ['LPUSH', 'a', 1]], { timeout: '1s' });
         console.log(ok, error.code);",
    );
    let (op, call) = sent(&mut stage);
    assert!(call.is_pipeline);
    let names: Vec<_> = call.commands.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["SET", "LPUSH"]);
    let replies = vec![text("OK"), RedisValue::Error(wrong_type())];
    stage.done(op, Value::from(RedisValue::List(replies)));
    assert_eq!(stage.logged(), ["OK WRONGTYPE"]);
    stage.ends_well();
}

#[test]
fn a_subscription_is_followed_read_and_ended() {
    let mut stage = opened(
        "const texts = group.channel('texts', { to: 'everyone' });
         const subscription = await redis.subscribe(['a.*', 'b', 'b'], { pattern: true });
         subscription.receives(texts, { at: '/text' });
         subscription.on('message', (message) => console.log('heard', message.channel, message.pattern, message.text));
         const next = await subscription.next({ only: { '/x': 1 } });
         console.log(next.json.x, next.bytes.byteLength, next.pattern);
         await subscription.unsubscribe();",
    );
    let calls = stage.take_calls();
    let [Call::Channel(..), Call::Subscribe(op, REDIS, call)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    let expected = SubscribeCall {
        kind: SubscriptionKind::Pattern,
        names: vec![b"a.*".to_vec(), b"b".to_vec()],
        ..SubscribeCall::default()
    };
    assert_eq!(*call, expected);
    stage.done(*op, Value::Socket(SUBSCRIPTION, None));
    let calls = stage.take_calls();
    let [
        Call::Receives(SUBSCRIPTION, ChannelId(7), place),
        Call::Other(listens),
        Call::Next(op, ..),
    ] = calls.as_slice()
    else {
        panic!("{calls:?}");
    };
    let expected = StampPlace {
        at: Some(StampAt::Pointer("/text".to_owned())),
        ..StampPlace::default()
    };
    assert_eq!((place, listens.as_str()), (&expected, "listen 6 true"));
    let message = |pattern: Option<&str>, payload: &str| {
        RedisMessage::Published(RedisPublished {
            channel: "a.b".to_owned(),
            pattern: pattern.map(str::to_owned),
            payload: payload.as_bytes().to_vec(),
        })
    };
    stage.wake(Wake::Message {
        socket: SUBSCRIPTION,
        message: Message::Redis(message(Some("a.*"), "hi")),
    });
    stage.done(
        *op,
        Value::Message(Message::Redis(message(None, r#"{"x":1}"#))),
    );
    assert_eq!(stage.logged(), ["heard a.b a.* hi", "1 7 undefined"]);
    assert_eq!(stage.ops().len(), 1);
}

#[test]
fn the_server_describes_itself_while_the_connection_is_open() {
    let server = RedisServer {
        version: "7.0.15".to_owned(),
        mode: "standalone".to_owned(),
        role: "master".to_owned(),
    };
    let mut stage = story(
        "const redis = await user.redis();
         console.log(redis.open, redis.server.version, redis.server.mode);
         redis.on('close', (reason) => console.log(reason, redis.open));
         await user.stay();",
    );
    stage.host.borrow_mut().server = Some(server);
    stage.start(1);
    let calls = stage.take_calls();
    let [Call::OpenRedis(op, ..)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    stage.done(*op, Value::Socket(REDIS, None));
    stage.wake(Wake::Closed {
        socket: REDIS,
        code: None,
        reason: "gone".to_owned(),
    });
    assert_eq!(stage.logged(), ["true 7.0.15 standalone", "gone false"]);
}
