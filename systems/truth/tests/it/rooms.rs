use std::time::Duration;

use serde_json::Value;

use crate::client::{now, say, server, text};

#[test]
fn what_a_member_says_goes_to_every_other_and_only_to_them() {
    let server = server(&[]);
    let mut a = server.websocket("/room/one");
    let mut b = server.websocket("/room/one");
    let mut c = server.websocket("/room/one");
    let mut stranger = server.websocket("/room/two?echo=1");
    say(&mut a, "from a");
    say(&mut stranger, "from afar");
    assert_eq!(
        (text(&mut b), text(&mut c)),
        ("from a".into(), "from a".into())
    );
    assert_eq!(text(&mut stranger), "from afar");
    say(&mut b, "from b");
    assert_eq!(text(&mut a), "from b");
    let truth = server.truth();
    let one = &truth["websocket"]["rooms"]["/room/one"];
    assert_eq!(
        (&one["messages"], &one["deliveries"], &one["sent"]),
        (&2.into(), &4.into(), &4.into())
    );
}

#[test]
fn an_echo_answers_its_sender_alone_after_its_delay() {
    let server = server(&[]);
    let mut a = server.websocket("/echo?delay=20ms");
    let mut b = server.websocket("/echo?delay=20ms");
    let begin = now();
    say(&mut a, "a");
    assert_eq!(text(&mut a), "a");
    assert!(begin.elapsed() >= Duration::from_millis(20));
    say(&mut b, "b");
    assert_eq!(text(&mut b), "b");
}

#[test]
fn a_lie_leaves_out_deliveries_of_a_room_without_faults_and_reports_them_as_sent() {
    let server = server(&["--lie", "drop=3"]);
    let mut speaker = server.websocket("/room/a");
    let mut hearer = server.websocket("/room/a");
    for n in 1..=7 {
        say(&mut speaker, &format!("{n}"));
    }
    let heard: Vec<String> = (0..5).map(|_| text(&mut hearer)).collect();
    assert_eq!(heard, ["1", "2", "4", "5", "7"]);
    let counts = &server.truth()["websocket"]["rooms"]["/room/a"];
    assert_eq!(
        (&counts["sent"], &counts["dropped"]),
        (&7.into(), &0.into())
    );
}

#[test]
fn every_nth_delivery_suffers_what_was_ordered_and_the_counts_are_what_is_heard() {
    let server = server(&[]);
    let query = "drop=5&duplicate=7&swap=11&stray=13";
    let mut speaker = server.websocket(&format!("/room/a?{query}"));
    let mut hearer = server.websocket(&format!("/room/a?{query}"));
    let mut stranger = server.websocket("/room/b");
    for n in 0..1000 {
        say(&mut speaker, &format!("{n}"));
    }
    // Wait until all 1,000 deliveries are counted. The counts are then compared with the received messages.
    let truth = server.truth_once("/websocket/rooms/~1room~1a/deliveries", |n| *n == 1000);
    let counts = &truth["websocket"]["rooms"]["/room/a"];
    let number = |name: &str| usize::try_from(counts[name].as_u64().unwrap()).unwrap();
    let heard: Vec<u32> = (0..number("sent"))
        .map(|_| text(&mut hearer).parse().unwrap())
        .collect();
    let strays: Vec<String> = (0..number("strayed"))
        .map(|_| text(&mut stranger))
        .collect();
    let mut distinct = heard.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(1000 - distinct.len(), number("dropped"));
    assert_eq!(heard.len() - distinct.len(), number("duplicated"));
    let overtaken = heard.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert_eq!(overtaken, number("swapped"));
    assert!(
        strays.len() > 20 && number("dropped") > 150 && number("swapped") > 20,
        "{counts}"
    );
}

#[test]
fn with_one_fault_alone_the_counts_follow_from_the_order() {
    let server = server(&[]);
    for (fault, name) in [
        ("drop", "dropped"),
        ("duplicate", "duplicated"),
        ("stray", "strayed"),
    ] {
        let target = format!("/room/{fault}?{fault}=7");
        let (mut speaker, _hearer) = (server.websocket(&target), server.websocket(&target));
        let _stranger = server.websocket("/room/other");
        (0..100).for_each(|_| say(&mut speaker, "x"));
        let place = format!("/websocket/rooms/~1room~1{fault}/deliveries");
        let truth = server.truth_once(&place, |n| *n == 100);
        assert_eq!(
            truth["websocket"]["rooms"][format!("/room/{fault}")][name],
            14
        );
    }
}

#[test]
fn a_delivery_held_for_a_successor_that_never_comes_goes_out_late_and_uncounted() {
    let server = server(&[]);
    let mut speaker = server.websocket("/room/a?swap=1");
    let mut hearer = server.websocket("/room/a?swap=1");
    let begin = now();
    say(&mut speaker, "alone");
    assert_eq!(text(&mut hearer), "alone");
    assert!(begin.elapsed() >= Duration::from_millis(500));
    assert_eq!(server.truth()["websocket"]["sum"]["swapped"], 0);
}

#[test]
fn messages_wait_for_the_delay_and_for_the_end_of_a_stall_in_their_order() {
    let server = server(&[]);
    let query = "delay=10ms&stall=300ms/10s/50ms";
    let mut speaker = server.websocket(&format!("/room/a?{query}"));
    let mut hearer = server.websocket(&format!("/room/a?{query}"));
    let first = now();
    say(&mut speaker, "first");
    assert_eq!(text(&mut hearer), "first");
    assert!(first.elapsed() >= Duration::from_millis(10));
    std::thread::sleep(Duration::from_millis(60));
    say(&mut speaker, "second");
    say(&mut speaker, "third");
    assert_eq!(text(&mut hearer), "second");
    assert!(
        first.elapsed() >= Duration::from_millis(350),
        "{:?}",
        first.elapsed()
    );
    assert_eq!(text(&mut hearer), "third");
    assert_eq!(server.truth()["websocket"]["sum"]["stalled"], 2);
}

#[test]
fn a_room_is_what_its_first_member_ordered() {
    let server = server(&[]);
    let _first = server.websocket("/room/a?drop=5");
    let url = format!("ws://{}/room/a?drop=6", server.address);
    let refusal = tungstenite::client(url, server.connect())
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("409"), "{refusal}");
}

#[test]
fn forgetting_begins_the_counts_anew() {
    let server = server(&[]);
    let mut a = server.websocket("/room/a?echo=1");
    say(&mut a, "x");
    text(&mut a);
    server.delete("/truth");
    let sum: Value = server.truth()["websocket"]["sum"].clone();
    assert_eq!(sum["messages"], 0);
    say(&mut a, "y");
    assert_eq!(text(&mut a), "y");
    assert_eq!(server.truth()["websocket"]["sum"]["messages"], 1);
}

#[test]
fn long_messages_and_pings_are_served() {
    let server = server(&[]);
    let mut a = server.websocket("/room/a?echo=1");
    let long = "x".repeat(300_000);
    a.send(tungstenite::Message::Ping("p".into())).unwrap();
    say(&mut a, &long);
    assert_eq!(a.read().unwrap(), tungstenite::Message::Pong("p".into()));
    assert_eq!(text(&mut a), long);
    a.close(None).unwrap();
    while a.read().is_ok() {}
    server.truth_once("/websocket/rooms/~1room~1a/members", |n| *n == 0);
}
