//! What a multicast says about each of its targets.

use serde_json::{Value, json};

use crate::receiver::{Closed, Receiver};
use crate::served::Served;

/// The status and the cause of each target.
fn results(answer: &Value) -> Vec<(&str, &str, &str)> {
    let results = answer["results"].as_array().unwrap().iter();
    let mut all: Vec<_> = results
        .map(|result| {
            let field = |name: &str| result[name].as_str().unwrap_or_default();
            (field("identity"), field("status"), field("cause"))
        })
        .collect();
    all.sort_unstable();
    all
}

#[tokio::test]
async fn every_target_gets_the_status_that_is_known() {
    let served = Served::start(&[]);
    for identity in ["acks", "silent", "offline"] {
        served.register(identity, json!({})).await;
    }
    let acks = Receiver::open(&served, "acks").await.acknowledging(2);
    let mut silent = Receiver::open(&served, "silent").await;
    let to = ["acks", "silent", "offline", "unknown", "acks"];
    let body = |delivery: &str| json!({ "identities": to, "payload": 1, "delivery": delivery, "timeout_ms": 300 });

    let answer = served.done("multicast", body("at_most_once")).await;
    let expected = [
        ("acks", "received", ""),
        ("offline", "failed", "no_receiver"),
        ("silent", "timed_out", ""),
        ("unknown", "failed", "not_registered"),
    ];
    assert_eq!(results(&answer), expected);
    assert_eq!(
        (&answer["target_count"], &answer["failed_count"]),
        (&4.into(), &2.into())
    );

    let answer = served.done("multicast", body("at_least_once")).await;
    let kept = [
        ("acks", "received", ""),
        ("offline", "queued", ""),
        ("silent", "timed_out", ""),
        ("unknown", "failed", "not_registered"),
    ];
    assert_eq!(results(&answer), kept);
    assert_eq!(acks.await.unwrap().len(), 2);
    silent.gets(&json!(1)).await;
    silent.gets(&json!(1)).await;
    let failures = served
        .metric("multicast_registry_delivery_failures_total")
        .await;
    assert_eq!(failures, 3);
}

/// A receiver that reads nothing fills only its own queue.
#[tokio::test]
async fn a_slow_receiver_is_closed_and_delays_nobody() {
    let served = Served::start(&["--queue", "4"]);
    served.register("slow", json!({})).await;
    served.register("fast", json!({})).await;
    let mut slow = Receiver::open(&served, "slow").await;
    let multicasts = 60;
    let fast = Receiver::open(&served, "fast")
        .await
        .acknowledging(multicasts);
    let payload = "x".repeat(200_000);
    let mut causes = Vec::new();
    for _ in 0..multicasts {
        // The slow receiver never acknowledges, so a multicast that waits for it takes longer than its time limit.
        let body = json!({ "filter": {}, "payload": payload, "timeout_ms": 200, "results": "not_received" });
        let answer = served.done("multicast", body).await;
        causes.extend(results(&answer).iter().map(|result| result.2.to_owned()));
    }
    assert_eq!(fast.await.unwrap().len(), multicasts);
    assert!(
        causes.iter().any(|cause| cause == "slow_receiver"),
        "{causes:?}"
    );
    let closed = loop {
        if let Err(closed) = slow.next().await {
            break closed;
        }
    };
    assert!([Closed(1008), Closed(0)].contains(&closed), "{closed:?}");
    assert_eq!(
        served
            .metric("multicast_registry_slow_receivers_total")
            .await,
        1
    );
}

#[tokio::test]
async fn a_multicast_to_many_receivers_reaches_each_once() {
    let served = Served::start(&[]);
    let count = 200;
    let mut receivers = Vec::new();
    for n in 0..count {
        let identity = format!("r{n}");
        served.register(&identity, json!({ "room": n % 2 })).await;
        receivers.push(
            Receiver::open(&served, &identity)
                .await
                .acknowledging(1 + n % 2),
        );
    }
    let body = |filter: Value| json!({ "filter": filter, "payload": "x", "timeout_ms": 20_000, "results": "none" });
    let all = served.done("multicast", body(json!({}))).await;
    assert_eq!(all["received_count"], count);
    let odd = served.done("multicast", body(json!({ "room": 1 }))).await;
    assert_eq!(
        (&odd["target_count"], &odd["received_count"]),
        (&100.into(), &100.into())
    );
    assert_eq!(odd["results"], json!([]));
    for (n, receiver) in receivers.into_iter().enumerate() {
        assert_eq!(receiver.await.unwrap().len(), 1 + n % 2);
    }
}
