use std::time::Duration;

use crate::client::{ask, now, receive, say, send, server, text};

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_split_response_waits_for_a_delayed_acknowledgement() {
    let server = server(&[]);
    let mut socket = server.connect();
    let mut slowest = Duration::ZERO;
    // A new connection acknowledges its first segments at once.
    for _ in 0..40 {
        let got = ask(&mut socket, "GET", "/split/1", b"");
        assert_eq!((got.status, got.body.len()), (200, 12));
        slowest = slowest.max(got.took);
    }
    assert!(slowest >= 35 * MS, "{slowest:?}");
}

#[test]
fn a_target_without_a_free_place_refuses_at_once() {
    let server = server(&[]);
    let mut first = server.connect();
    send(&mut first, "GET", "/refuse/1/300ms", b"");
    server.truth_once("/routes/~1refuse~11~1300ms/requests", |n| *n == 1);
    let refused = server.get("/refuse/1/300ms");
    assert_eq!(refused.status, 503);
    assert!(refused.took < 250 * MS, "{:?}", refused.took);
    assert_eq!(receive(&mut first).status, 200);
}

#[test]
fn an_upstream_is_a_pool_of_connections_to_the_own_port() {
    let server = server(&[]);
    for _ in 0..3 {
        assert_eq!(server.get("/upstream/4/1ms").status, 200);
    }
    // Four of the pool, and the one that asks.
    server.truth_once("/connections/open", |open| *open == 5);
}

#[test]
fn sessions_are_counted_until_they_end() {
    let server = server(&[]);
    for path in ["/session/open", "/session/open", "/session/end"] {
        assert_eq!(server.get(path).status, 200);
    }
    assert_eq!(server.truth()["sessions"], 1);
    server.delete("/truth");
    assert_eq!(server.truth()["sessions"], 0);
}

#[test]
fn members_join_one_after_the_other() {
    let server = server(&[]);
    let begin = now();
    let mut hearer = server.websocket("/room/a?join=50ms");
    let mut speaker = server.websocket("/room/a?join=50ms");
    assert!(begin.elapsed() >= 100 * MS, "{:?}", begin.elapsed());
    say(&mut speaker, "hello");
    assert_eq!(text(&mut hearer), "hello");
}

#[test]
fn work_takes_cpu_time_for_each_delivery_or_each_pair() {
    let server = server(&[]);
    for (query, least) in [("work=20ms", 60 * MS), ("pair-work=20ms", 180 * MS)] {
        let room = format!("/room/{query}?{query}");
        let mut hearers: Vec<_> = (0..3).map(|_| server.websocket(&room)).collect();
        let mut speaker = server.websocket(&room);
        say(&mut speaker, "hello");
        for hearer in &mut hearers {
            assert_eq!(text(hearer), "hello");
        }
        // The next request waits until the thread is free.
        let begin = now();
        say(&mut speaker, "again");
        for hearer in &mut hearers {
            assert_eq!(text(hearer), "again");
        }
        server.get("/healthz");
        assert!(begin.elapsed() >= least, "{query}: {:?}", begin.elapsed());
    }
}
