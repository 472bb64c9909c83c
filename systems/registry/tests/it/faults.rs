//! Injected faults happen as often as `/faults` says.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::receiver::Receiver;
use crate::served::{PATIENCE, Served};

const RECEIVERS: usize = 4;
const MULTICASTS: usize = 30;

/// Reads everything that a receiver gets until it gets the message `last`, which is sent without faults.
async fn read(mut receiver: Receiver) -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        let message = receiver.next().await.unwrap();
        let text = message["payload"].as_str().unwrap().to_owned();
        if text == "last" {
            return texts;
        }
        texts.push(text);
    }
}

async fn counts(served: &Served) -> Value {
    let answer = served
        .http
        .get(format!("{}/faults", served.url))
        .send()
        .await;
    answer.unwrap().json::<Value>().await.unwrap()["counts"].clone()
}

/// Waits until the registry has counted all deliveries.
async fn counted(served: &Served, deliveries: usize) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let counts = counts(served).await;
        if counts["deliveries"] == deliveries {
            return counts;
        }
        assert!(Instant::now() < deadline, "{counts}");
        sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn receivers_see_exactly_the_faults_that_are_counted() {
    let served = Served::start(&["--faults", "drop=7,duplicate=5,stray=11"]);
    let mut receivers = Vec::new();
    for n in 0..RECEIVERS {
        let identity = format!("r{n}");
        served.register(&identity, json!({})).await;
        receivers.push(Receiver::open(&served, &identity).await);
    }
    for n in 0..MULTICASTS {
        let identity = format!("r{}", n % RECEIVERS);
        let payload = format!("{identity} {n}");
        let body = json!({ "identities": [identity], "payload": payload, "timeout_ms": 0 });
        served.done("multicast", body).await;
    }
    counted(&served, MULTICASTS).await;
    // A message may be dropped, so several mark the end.
    for _ in 0..6 {
        let body = json!({ "filter": {}, "payload": "last", "timeout_ms": 0 });
        served.done("multicast", body).await;
    }
    let counts = counted(&served, MULTICASTS + 6 * RECEIVERS).await;
    let (mut dropped, mut duplicated, mut strayed) = (0, 0, 0);
    for (n, receiver) in receivers.into_iter().enumerate() {
        let own = format!("r{n} ");
        let mut seen: HashMap<String, usize> = HashMap::new();
        for text in read(receiver).await {
            *seen.entry(text).or_default() += 1;
        }
        strayed += seen.keys().filter(|text| !text.starts_with(&own)).count();
        duplicated += seen.values().filter(|times| **times > 1).count();
        let expected = (0..MULTICASTS).filter(|m| m % RECEIVERS == n);
        dropped += expected
            .filter(|m| !seen.contains_key(&format!("{own}{m}")))
            .count();
    }
    let order = |every: usize| (1..=MULTICASTS).filter(move |n| n % every == 0);
    assert_eq!(dropped, order(7).count());
    assert_eq!(duplicated, order(5).filter(|n| n % 7 != 0).count());
    assert_eq!(
        strayed,
        order(11).filter(|n| n % 7 != 0 && n % 5 != 0).count()
    );
    assert!(counts["dropped"].as_u64().unwrap() >= dropped as u64);
}

#[tokio::test]
async fn a_swap_reverses_two_messages_and_a_delay_delays_all() {
    let served = Served::start(&["--faults", "swap=2,delay=30ms"]);
    served.register("a", json!({})).await;
    let mut receiver = Receiver::open(&served, "a").await;
    let begin = Instant::now();
    for n in 1..=3 {
        let body = json!({ "filter": {}, "payload": n, "timeout_ms": 0 });
        served.done("multicast", body).await;
    }
    for expected in [1, 3, 2] {
        receiver.gets(&json!(expected)).await;
    }
    assert!(begin.elapsed() >= std::time::Duration::from_millis(30));
    let counts = counted(&served, 3).await;
    assert_eq!(counts["reordered"], 1, "{counts}");
}
