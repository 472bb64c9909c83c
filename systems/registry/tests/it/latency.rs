//! The time until the last of many receivers has a message. Ignored, because it needs an idle machine and `--release`:
//! `cargo test --release -p registry -- --ignored --nocapture latency`

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::receiver::Receiver;
use crate::served::{Backends, Served};

const RECEIVERS: usize = 3000;
const MULTICASTS: usize = 40;
const LIMIT: Duration = Duration::from_millis(100);

async fn measure(served: &Served) -> Duration {
    let mut receivers = Vec::new();
    for n in 0..RECEIVERS {
        let identity = format!("r{n}");
        served.register(&identity, json!({ "room": n % 10 })).await;
        receivers.push(Receiver::open(served, &identity).await);
    }
    let tasks: Vec<_> = receivers
        .into_iter()
        .map(|mut receiver| {
            tokio::spawn(async move {
                let mut times = Vec::new();
                for _ in 0..MULTICASTS {
                    let message = receiver.next().await.unwrap();
                    times.push(Instant::now());
                    receiver.acknowledge(message["id"].as_str().unwrap()).await;
                }
                times
            })
        })
        .collect();
    let mut begins = Vec::new();
    for n in 0..MULTICASTS {
        begins.push(Instant::now());
        let body = json!({ "filter": {}, "payload": n, "timeout_ms": 10_000, "results": "none" });
        let answer = served.done("multicast", body).await;
        assert_eq!(answer["received_count"], RECEIVERS);
    }
    let mut last = begins.clone();
    for task in tasks {
        for (last, time) in last.iter_mut().zip(task.await.unwrap()) {
            *last = time.max(*last);
        }
    }
    let mut latencies: Vec<_> = begins
        .iter()
        .zip(last)
        .map(|(begin, end)| end - *begin)
        .collect();
    latencies.sort();
    println!(
        "p50 {:?}, max {:?}",
        latencies[MULTICASTS / 2],
        latencies[MULTICASTS - 1]
    );
    latencies[MULTICASTS * 95 / 100 - 1]
}

#[tokio::test]
#[ignore = "a measurement, for an idle machine"]
async fn latency_to_the_last_of_3000_receivers_with_the_embedded_backend() {
    let p95 = measure(&Served::start(&[])).await;
    assert!(p95 < LIMIT, "p95 {p95:?}");
}

#[tokio::test]
#[ignore = "a measurement, for an idle machine"]
async fn latency_to_the_last_of_3000_receivers_with_redis_and_nats() {
    let backends = Backends::start();
    let p95 = measure(&backends.instance(&[])).await;
    assert!(p95 < LIMIT, "p95 {p95:?}");
}

#[tokio::test]
#[ignore = "a measurement, for an idle machine"]
async fn latency_of_registrations_and_filters() {
    let served = Served::start(&[]);
    let mut registered = Vec::new();
    for n in 0..1000 {
        let begin = Instant::now();
        served
            .register(&format!("r{n}"), json!({ "room": n % 10 }))
            .await;
        registered.push(begin.elapsed());
    }
    let mut enumerated = Vec::new();
    for _ in 0..200 {
        let begin = Instant::now();
        served.found(json!({ "room.lt": 10 })).await;
        enumerated.push(begin.elapsed());
    }
    for times in [&mut registered, &mut enumerated] {
        times.sort();
        let p95 = times[times.len() * 95 / 100 - 1];
        println!("p95 {p95:?}");
        assert!(p95 < Duration::from_millis(5), "p95 {p95:?}");
    }
}
