use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::served::Served;

/// The faults that one receiver saw, derived only from the message numbers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    lost: usize,
    duplicated: usize,
    reordered: usize,
    strayed: usize,
}

/// Compares events with `expected` messages in `room`, numbered from 0.
fn judge(events: &[Value], room: &str, expected: u64) -> Seen {
    let mut seen = Seen::default();
    let mut known = HashSet::new();
    let mut highest = None;
    for event in events.iter().filter(|event| event["type"] == "said") {
        let number: u64 = event["text"].as_str().unwrap().parse().unwrap();
        if event["room"] != room {
            seen.strayed += 1;
        } else if !known.insert(number) {
            seen.duplicated += 1;
        } else if highest > Some(number) {
            seen.reordered += 1;
        }
        if event["room"] == room {
            highest = highest.max(Some(number));
        }
    }
    seen.lost = (0..expected).filter(|n| !known.contains(n)).count();
    seen
}

/// One user speaks over HTTP, three listen in the same room, and one listens in another room. Returns the faults seen
/// and the bridge's counts.
async fn story(order: &str, messages: u64) -> (Seen, Value) {
    let bridge = Served::start(&["--faults", order]);
    let mut others = Vec::new();
    for n in 0..3 {
        others.push(bridge.join(&format!("user=user-{n}&room=Tower")).await);
    }
    let mut wrong = bridge.join("user=eve&room=Garden").await;
    for n in 0..messages {
        bridge.say("speaker", "Tower", &n.to_string()).await;
    }
    let mut sum = judge(&wrong.rest().await, "Garden", 0);
    for other in &mut others {
        let seen = judge(&other.rest().await, "Tower", messages);
        sum.lost += seen.lost;
        sum.duplicated += seen.duplicated;
        sum.reordered += seen.reordered;
        sum.strayed += seen.strayed;
    }
    (sum, bridge.get("/faults").await["counts"].clone())
}

#[tokio::test]
async fn each_fault_is_seen_exactly_as_often_as_it_is_counted() {
    for order in ["drop=7", "duplicate=7", "swap=7", "stray=7"] {
        let (seen, counts) = story(order, 200).await;
        let all = [seen.lost, seen.duplicated, seen.reordered, seen.strayed];
        let counted = ["dropped", "duplicated", "reordered", "strayed"].map(|n| &counts[n]);
        assert_eq!(counted, all.map(|n| json!(n)).each_ref(), "{order}");
        assert_eq!(counts["deliveries"], 600);
        assert!(all.iter().sum::<usize>() >= 80, "{order}: {seen:?}");
    }
}

#[tokio::test]
async fn all_faults_together_are_seen_exactly_as_counted() {
    let (seen, counts) = story("drop=11,duplicate=13,swap=5,stray=17", 300).await;
    assert_eq!(counts["dropped"], seen.lost);
    assert_eq!(counts["duplicated"], seen.duplicated);
    assert_eq!(counts["reordered"], seen.reordered);
    assert_eq!(counts["strayed"], seen.strayed);
    assert!(seen.lost > 0 && seen.duplicated > 0 && seen.reordered > 0 && seen.strayed > 0);
}

#[tokio::test]
async fn without_a_wrong_room_that_is_listened_in_nothing_strays() {
    let bridge = Served::start(&["--faults", "stray=1"]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    bridge.say("bob", "Tower", "0").await;
    ada.event().await;
    assert_eq!(bridge.get("/faults").await["counts"]["strayed"], 0);
}

#[tokio::test]
async fn a_held_message_without_successor_comes_late_and_uncounted() {
    let bridge = Served::start(&["--faults", "swap=1"]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let begin = Instant::now();
    bridge.say("bob", "Tower", "alone").await;
    assert_eq!(ada.event().await["text"], "alone");
    assert!(begin.elapsed() >= Duration::from_millis(450));
    assert_eq!(bridge.get("/faults").await["counts"]["reordered"], 0);
}

#[tokio::test]
async fn a_delay_holds_up_each_message_and_each_answer_once_and_not_one_behind_the_other() {
    let bridge = Served::start(&["--faults", "delay=200ms"]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let begin = Instant::now();
    for n in 0..20 {
        ada.send(&json!({ "type": "say", "text": n.to_string() }))
            .await;
    }
    for _ in 0..40 {
        ada.event().await;
    }
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(200), "{took:?}");
    assert!(took < Duration::from_secs(1), "{took:?}");
    let begin = Instant::now();
    bridge.say("bob", "Garden", "by http").await;
    assert!(begin.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn in_a_stall_nothing_leaves_and_at_its_end_everything_does() {
    let bridge = Served::start(&["--faults", "stall=400ms/1s"]);
    let mut slowest = Duration::ZERO;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(1600) {
        let asked = Instant::now();
        bridge.say("bob", "Garden", "hello").await;
        slowest = slowest.max(asked.elapsed());
    }
    assert!(slowest >= Duration::from_millis(300), "{slowest:?}");
    let counts = bridge.get("/faults").await["counts"].clone();
    assert!(counts["stalled"].as_u64().unwrap() >= 1);
}

#[tokio::test]
async fn faults_are_told_by_health_and_leaks_are_counted() {
    let bridge = Served::start(&["--faults", "leak=4096,drop=1000"]);
    assert_eq!(
        bridge.get("/healthz").await["faults"],
        json!(["drop=1000", "leak=4096"])
    );
    for _ in 0..5 {
        bridge.say("bob", "Garden", "hello").await;
    }
    assert_eq!(bridge.metric("faults_leaked_bytes_total").await, 5 * 4096);
}
