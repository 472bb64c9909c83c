use std::time::Duration;

use crate::client::{ask, now, receive, send, server};

const MS: Duration = Duration::from_millis(1);

#[test]
fn an_answer_leaves_exactly_after_its_delay() {
    let server = server(&[]);
    let mut socket = server.connect();
    for _ in 0..20 {
        let got = ask(&mut socket, "POST", "/delay/20ms", b"body");
        assert_eq!(got.status, 200);
        assert!((20 * MS..500 * MS).contains(&got.took), "{:?}", got.took);
    }
    let truth = server.truth();
    let route = &truth["routes"]["/delay/20ms"];
    assert_eq!(
        (&route["requests"], &route["answers"]["200"]),
        (&20.into(), &20.into())
    );
    // The time from receipt to writing, as measured by the server. Even on a busy machine, the median is exact.
    let median = route["time"]["p50_ns"].as_u64().unwrap();
    assert!((20_000_000..25_000_000).contains(&median), "{median}");
}

#[test]
fn nothing_is_answered_within_a_stall_and_what_was_held_leaves_at_its_end() {
    let server = server(&[]);
    let path = "/stall/1ms/200ms/10s/100ms";
    let mut sockets: Vec<_> = (0..4).map(|_| server.connect()).collect();
    assert!(
        ask(&mut sockets[0], "GET", path, b"").took < 90 * MS,
        "too busy to measure"
    );
    let first = now();
    std::thread::sleep(120 * MS);
    for socket in &mut sockets {
        send(socket, "GET", path, b"");
    }
    for socket in &mut sockets {
        assert_eq!(receive(socket).status, 200);
        assert!(first.elapsed() >= 290 * MS, "{:?}", first.elapsed());
    }
    let truth = server.truth();
    let route = &truth["routes"][path];
    let stall = &route["stalls"][0];
    assert_eq!(stall["held"], 4);
    let at =
        |name: &str| stall[name].as_u64().unwrap() - route["first_request_ns"].as_u64().unwrap();
    assert_eq!((at("begin_ns"), at("end_ns")), (100_000_000, 300_000_000));
}

#[test]
fn a_schedule_begins_anew_after_delete() {
    let server = server(&[]);
    let path = "/stall/0ms/10s/20s/50ms";
    let mut socket = server.connect();
    ask(&mut socket, "GET", path, b"");
    std::thread::sleep(60 * MS);
    // Without the `DELETE`, the next response would take ten seconds.
    assert_eq!(server.delete(path).status, 200);
    assert!(ask(&mut socket, "GET", path, b"").took < 5000 * MS);
}

#[test]
fn a_queue_of_k_servers_serves_k_at_a_time() {
    let server = server(&[]);
    let path = "/queue/2/50ms";
    let mut sockets: Vec<_> = (0..6).map(|_| server.connect()).collect();
    let begin = now();
    for socket in &mut sockets {
        send(socket, "GET", path, b"");
    }
    let ends: Vec<Duration> = sockets
        .iter_mut()
        .map(|socket| {
            receive(socket);
            begin.elapsed()
        })
        .collect();
    for (place, end) in ends.iter().enumerate() {
        let least = 50 * MS * u32::try_from(place / 2 + 1).unwrap();
        assert!(*end >= least && *end < least + 500 * MS, "{ends:?}");
    }
    let waited = &server.truth()["routes"][path]["waited"];
    assert_eq!(waited["count"], 6);
    let longest = waited["max_ns"].as_u64().unwrap();
    assert!((50_000_000..=100_000_000).contains(&longest), "{longest}");
}

#[test]
fn many_at_the_same_time_cost_each_other_nothing() {
    let server = server(&[]);
    let mut sockets: Vec<_> = (0..200).map(|_| server.connect()).collect();
    for socket in &mut sockets {
        send(socket, "GET", "/delay/300ms", b"");
    }
    let begin = now();
    for socket in &mut sockets {
        assert_eq!(receive(socket).status, 200);
    }
    assert!(begin.elapsed() < 2000 * MS, "{:?}", begin.elapsed());
}
