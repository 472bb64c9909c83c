//! Streams of server-sent events as scenarios use them.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, story};
use model::{Nanos, Side};
use script::host::{
    ChannelId, EventsCall, Message, NextCall, ServerEvent, SocketId, StampAt, StampPlace,
    StreamState, Value, Wake,
};

const STREAM: SocketId = SocketId(5);

fn opened(body: &str) -> Stage {
    let mut stage = story(&format!("const feed = await user.events('/feed');\n{body}"));
    stage.start(1);
    stage.open(STREAM.0);
    stage
}

fn event(name: &str, id: &str, data: &str) -> Message {
    Message::Event(ServerEvent {
        event: name.to_owned(),
        id: id.to_owned(),
        data: data.to_owned(),
    })
}

fn opens(arguments: &str) -> Result<EventsCall, String> {
    let mut stage = story(&format!("await user.events({arguments});"));
    stage.start(1);
    match stage.take_calls().as_slice() {
        [Call::OpenEvents(_, _, call)] => Ok(call.clone()),
        _ => Err(stage.fault().fault.detail),
    }
}

#[test]
fn a_stream_is_named_by_its_path_and_reconnects_unless_the_script_says_otherwise() {
    let plain = opens("'/rooms/:id/feed', { params: { id: 7 } }").unwrap();
    assert_eq!(plain.url, "/rooms/7/feed");
    assert_eq!(plain.name, "/rooms/:id/feed");
    assert_eq!((plain.last_event_id.as_str(), plain.reconnects), ("", true));
    let full = opens(
        "'/feed', { query: { a: 1 }, headers: { x: 'y' }, lastEventId: '9', reconnect: false, name: 'n', timeout: '2s' }",
    )
    .unwrap();
    assert_eq!((full.url.as_str(), full.name.as_str()), ("/feed?a=1", "n"));
    assert_eq!(full.headers, [("x".to_owned(), "y".to_owned())]);
    assert_eq!((full.last_event_id.as_str(), full.reconnects), ("9", false));
    assert_eq!(full.timeout, Some(Nanos::from_secs(2)));
}

#[test]
fn wrong_options_are_refused_with_the_right_ones() {
    for (bad, complaint) in [
        (
            "'/feed', { lastEventID: '1' }",
            "did you mean `lastEventId`?",
        ),
        ("'/feed', { reconnect: 'yes' }", "must be true or false"),
        ("'/feed', { lastEventId: 7 }", "`lastEventId`"),
        ("undefined", "user.events(url, options): the URL"),
    ] {
        let refused = opens(bad).unwrap_err();
        assert!(refused.contains(complaint), "{bad}: {refused}");
    }
}

#[test]
fn the_next_event_is_awaited_by_name_and_has_its_parts() {
    let mut stage = opened(
        "const next = await feed.next({ event: 'post', only: { '/a': 1 }, timeout: '1s' });
         console.log(next.event, next.id, next.data, next.json.a);",
    );
    let calls = stage.take_calls();
    let [Call::Next(op, STREAM, call)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    let expected = NextCall {
        event: Some("post".to_owned()),
        only: vec![("/a".to_owned(), "1".to_owned())],
        timeout: Some(Nanos::from_secs(1)),
    };
    assert_eq!(*call, expected);
    stage.done(*op, Value::Message(event("post", "3", r#"{"a":1}"#)));
    assert_eq!(stage.logged(), [r#"post 3 {"a":1} 1"#]);
    stage.ends_well();
}

#[test]
fn an_event_that_is_not_json_is_a_failure_of_the_target() {
    for data in ["{", &"[".repeat(100_000)] {
        let mut stage = opened("const next = await feed.next();\nnext.json;");
        let calls = stage.take_calls();
        let [Call::Next(op, STREAM, _)] = calls.as_slice() else {
            panic!("{calls:?}");
        };
        stage.done(*op, Value::Message(event("post", "3", data)));
        let fault = stage.fault();
        assert_eq!(fault.fault.side, Side::Target, "{fault}");
        assert!(fault.fault.detail.contains("cannot be parsed"), "{fault}");
        assert_eq!(fault.location.map(|place| place.line), Some(4));
    }
}

#[test]
fn handlers_get_every_event_and_the_reason_of_the_end() {
    let mut stage = opened(
        "feed.on('event', (event) => console.log(event.event, event.data));
         feed.on('close', (reason) => console.log('closed:', reason, feed.open, feed.reconnects));",
    );
    for data in ["one", "two"] {
        let message = event("message", "", data);
        stage.wake(Wake::Message {
            socket: STREAM,
            message,
        });
    }
    stage.wake(Wake::Closed {
        socket: STREAM,
        code: None,
        reason: "it ended".to_owned(),
    });
    let lines = [
        "message one",
        "message two",
        "closed: it ended false undefined",
    ];
    assert_eq!(stage.logged(), lines);
    stage.ends_well();
}

#[test]
fn a_channel_is_followed_in_one_event_or_in_all() {
    let mut stage = opened(
        "const channel = group.channel('posts', { to: 'others' });
         feed.receives(channel, { event: 'post', at: '/text', keep: true });
         feed.receives(channel, { at: 3 })();
         feed.close();",
    );
    let mut places = Vec::new();
    for call in stage.take_calls() {
        if let Call::Receives(STREAM, ChannelId(_), place) = call {
            places.push(place);
        }
    }
    let expected = [
        StampPlace {
            at: Some(StampAt::Pointer("/text".to_owned())),
            event: Some("post".to_owned()),
            keep: true,
            ..StampPlace::default()
        },
        StampPlace {
            at: Some(StampAt::Byte(3)),
            ..StampPlace::default()
        },
    ];
    assert_eq!(places, expected);
}

#[test]
fn the_stream_says_where_it_is() {
    let mut stage = story(
        "const feed = await user.events('/feed');
         console.log(feed.open, feed.lastEventId, feed.reconnects);",
    );
    stage.host.borrow_mut().stream = Some(StreamState {
        last_event_id: "41".to_owned(),
        reconnects: 2,
    });
    stage.start(1);
    stage.open(STREAM.0);
    assert_eq!(stage.logged(), ["true 41 2"]);
    stage.ends_well();
}

#[test]
fn the_browsers_class_names_the_call() {
    let mut stage = story("new EventSource('/feed');");
    stage.start(1);
    let detail = stage.fault().fault.detail;
    assert!(detail.contains("user.events(url)"), "{detail}");
}
