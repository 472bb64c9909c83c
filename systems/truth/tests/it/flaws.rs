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
fn a_target_that_worsens_takes_longer_for_each_request() {
    let server = server(&[]);
    let took: Vec<Duration> = (0..3)
        .map(|_| server.get("/worsen/5ms/40ms").took)
        .collect();
    for (took, least) in took.iter().zip([5, 45, 85]) {
        assert!(*took >= least * MS, "{took:?}");
    }
}

#[test]
fn a_target_that_lingers_keeps_a_connection_for_each_request() {
    let server = server(&[]);
    for _ in 0..3 {
        assert_eq!(server.get("/linger").status, 200);
    }
    // Three that linger, and the one that asks.
    server.truth_once("/connections/open", |open| *open == 4);
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

/// The time in which a member gets 12 MB of messages, in a room with a further member that reads 2 MB/s.
fn time_beside_a_slow_member(query: &str) -> Duration {
    const MESSAGES: usize = 400;
    let server = server(&[]);
    let room = format!("/room/a?slow=2000000{query}");
    let mut speaker = server.websocket(&room);
    let mut hearer = server.websocket(&room);
    server.truth_once("/websocket/rooms/~1room~1a/members", |members| {
        *members == 3
    });
    let begin = now();
    let long = "x".repeat(30_000);
    (0..MESSAGES).for_each(|_| say(&mut speaker, &long));
    for _ in 0..MESSAGES {
        assert_eq!(text(&mut hearer), long);
    }
    begin.elapsed()
}

#[test]
fn a_slow_member_delays_the_others_if_the_room_waits_for_it() {
    let (alone, waiting) = (
        time_beside_a_slow_member(""),
        time_beside_a_slow_member("&wait=100000"),
    );
    // The buffers of the kernel hold at most half of the messages.
    assert!(waiting >= 1500 * MS, "{waiting:?}");
    assert!(alone < waiting, "{alone:?}");
}
