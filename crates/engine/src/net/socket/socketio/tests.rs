use super::*;

fn polling(wants_websocket: bool) -> Polling {
    let url = Url::parse("http://127.0.0.1:1/socket.io/").unwrap();
    Polling::new(Arc::new(url), Vec::new(), Nanos::ZERO, wants_websocket)
}

fn session(upgrades: bool) -> Open {
    let upgrades = if upgrades { r#"["websocket"]"# } else { "[]" };
    let json = format!(
        r#"{{"sid":"s","upgrades":{upgrades},"pingInterval":1,"pingTimeout":1,"maxPayload":9}}"#
    );
    Open::parse(&json).unwrap()
}

fn say(polling: &mut Polling, text: &str) {
    polling.queue(Queued::Text(text.to_owned())).unwrap();
}

fn start(post: Option<&str>, get: bool, websocket: bool) -> Next {
    Next::Start {
        post: post.map(|text| text.as_bytes().to_vec()),
        get,
        websocket,
    }
}

const NOTHING: Next = Next::Start {
    post: None,
    get: false,
    websocket: false,
};

#[test]
fn a_session_opens_with_one_get_and_posts_only_then() {
    let mut polling = polling(false);
    say(&mut polling, "4a");
    assert_eq!(polling.next(None, false), start(None, true, false));
    assert_eq!(polling.next(None, false), NOTHING);
    polling.ended(Method::Get);
    let open = session(true);
    assert_eq!(
        polling.next(Some(&open), false),
        start(Some("4a"), true, false)
    );
    assert_eq!(polling.state, Carrier::Polling);
}

#[test]
fn one_post_at_a_time_carries_as_much_as_the_server_allows() {
    let (mut polling, open) = (polling(false), session(false));
    for text in ["4abc", "4def", "4ghi"] {
        say(&mut polling, text);
    }
    let first = "4abc\u{1e}4def"; // 9 bytes, the server's limit
    assert_eq!(
        polling.next(Some(&open), false),
        start(Some(first), true, false)
    );
    assert_eq!(polling.next(Some(&open), false), NOTHING);
    polling.ended(Method::Post);
    assert_eq!(
        polling.next(Some(&open), false),
        start(Some("4ghi"), false, false)
    );
}

#[test]
fn a_websocket_is_tried_once_if_it_is_wanted_and_offered() {
    for (wanted, offered, closing) in [
        (true, true, false),
        (true, false, false),
        (false, true, false),
        (true, true, true),
    ] {
        let (mut polling, open) = (polling(wanted), session(offered));
        say(&mut polling, "1");
        let Next::Start { websocket, .. } = polling.next(Some(&open), closing) else {
            panic!("the session is open");
        };
        assert_eq!(websocket, wanted && offered && !closing);
        assert_eq!(polling.state == Carrier::Connecting, websocket);
        polling.state = Carrier::Polling; // the attempt has failed
        assert_eq!(
            polling.next(Some(&open), false),
            start(None, closing, false)
        );
    }
}

#[test]
fn the_websocket_takes_over_when_no_request_is_in_flight() {
    let (mut polling, open) = (polling(true), session(true));
    say(&mut polling, "4a");
    assert_eq!(
        polling.next(Some(&open), false),
        start(Some("4a"), true, true)
    );
    polling.state = Carrier::Probing { probe: 7 };
    polling.ended(Method::Get);
    assert_eq!(polling.next(Some(&open), false), start(None, true, false));
    polling.state = Carrier::Pausing { probe: 7 };
    say(&mut polling, "4b");
    for method in [Method::Get, Method::Post] {
        assert_eq!(polling.next(Some(&open), false), Next::Wait);
        polling.ended(method);
    }
    let over = Next::TakeOver { probe: 7 };
    assert_eq!(polling.next(Some(&open), false), over);
    assert_eq!(polling.queued().len(), 1, "the WebSocket sends the rest");
}

#[test]
fn a_closing_session_ends_when_its_last_post_has_ended() {
    let (mut polling, open) = (polling(false), session(false));
    assert_eq!(polling.next(Some(&open), false), start(None, true, false));
    say(&mut polling, "1");
    assert_eq!(
        polling.next(Some(&open), true),
        start(Some("1"), false, false)
    );
    polling.ended(Method::Get);
    assert_eq!(polling.next(Some(&open), true), NOTHING);
    polling.ended(Method::Post);
    assert_eq!(polling.next(Some(&open), true), Next::End);
}
