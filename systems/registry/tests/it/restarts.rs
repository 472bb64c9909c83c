//! What was acknowledged outlasts `kill -9`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::receiver::{Closed, Receiver};
use crate::served::{Backends, PATIENCE, Served};

/// Registers identities and keeps messages for one of them until the registry is killed. Appends what was acknowledged.
async fn load(
    served: &Served,
    round: usize,
    known: &mut BTreeSet<String>,
    kept: &mut BTreeSet<String>,
) {
    for n in 0..40 {
        let identity = format!("i{round}-{n}");
        served.register(&identity, json!({ "round": round })).await;
        known.insert(identity);
        let body = json!({
            "identities": ["keeper"], "payload": n, "delivery": "at_least_once", "timeout_ms": 0,
        });
        let answer = served.done("multicast", body).await;
        kept.insert(answer["message_id"].as_str().unwrap().to_owned());
    }
}

/// Checks that everything is there, and acknowledges the messages.
async fn check(served: &Served, known: &BTreeSet<String>, kept: &BTreeSet<String>) {
    let answer = served
        .done(
            "enumerate",
            json!({ "filter": { "metadata.exists": "round" } }),
        )
        .await;
    let found: BTreeSet<String> = crate::served::names(&answer).into_iter().collect();
    assert_eq!(&found, known);
    let receiver = Receiver::open(served, "keeper").await;
    assert!(
        receiver.queued >= kept.len() as u64,
        "{} of {}",
        receiver.queued,
        kept.len()
    );
    let ids = receiver.acknowledging(kept.len()).await.unwrap();
    assert_eq!(&ids.into_iter().collect::<BTreeSet<_>>(), kept);
}

#[tokio::test]
async fn a_killed_registry_has_lost_nothing_that_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}/registry.db", folder.path().display());
    let (mut known, mut kept) = (BTreeSet::new(), BTreeSet::new());
    let served = Served::on(&store, &[]);
    served.register("keeper", json!({})).await;
    served.kill();
    for round in 0..3 {
        let served = Served::on(&store, &[]);
        load(&served, round, &mut known, &mut kept).await;
        served.kill();
    }
    let served = Served::on(&store, &[]);
    check(&served, &known, &kept).await;
}

#[tokio::test]
async fn an_ended_time_to_live_ends_while_the_registry_is_down() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}/registry.db", folder.path().display());
    let served = Served::on(&store, &[]);
    served
        .done("register", json!({ "identity": "short", "ttl_seconds": 1 }))
        .await;
    served
        .done(
            "register",
            json!({ "identity": "long", "ttl_seconds": 100 }),
        )
        .await;
    let ends = Instant::now() + Duration::from_secs(1);
    served.kill();
    sleep(ends.saturating_duration_since(Instant::now())).await;
    let served = Served::on(&store, &[]);
    served.shows(&["long"]).await;
}

#[tokio::test]
async fn two_registries_cannot_use_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}/registry.db", folder.path().display());
    let _served = Served::on(&store, &[]);
    let program = env!("CARGO_BIN_EXE_headcount-registry");
    let output = std::process::Command::new(program)
        .args(["--store", &store, "--listen", "127.0.0.1:0"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("another registry uses"), "{said}");
}

#[tokio::test]
async fn redis_nats_and_the_registry_may_all_be_killed() {
    let mut backends = Backends::start();
    let served = backends.instance(&[]);
    served.register("keeper", json!({})).await;
    let (mut known, mut kept) = (BTreeSet::new(), BTreeSet::new());
    load(&served, 0, &mut known, &mut kept).await;
    served.kill();
    let served = backends.instance(&[]);
    load(&served, 1, &mut known, &mut kept).await;
    backends.redis.kill();
    let body = json!({ "identity": "refused" });
    let (status, answer) = served.post("register", body).await;
    assert_eq!(
        (status, &answer["error"]["code"]),
        (503, &Value::from("backend_unavailable"))
    );
    backends.redis.restart();
    backends.nats.kill();
    backends.nats.restart();
    recovered(&served).await;
    load(&served, 2, &mut known, &mut kept).await;
    check(&served, &known, &kept).await;
}

/// Waits until the registry reports that both backends respond, and accepts a registration.
async fn recovered(served: &Served) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (status, answer) = served
            .post("register", json!({ "identity": "probe", "replace": true }))
            .await;
        let health = served
            .http
            .get(format!("{}/healthz", served.url))
            .send()
            .await
            .unwrap();
        let health: Value = health.json().await.unwrap();
        if status == 200 && health["status"] == "ok" {
            return;
        }
        assert!(Instant::now() < deadline, "{answer} {health}");
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_stop_delivers_what_was_accepted_and_tells_the_receivers() {
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    let mut receiver = Receiver::open(&served, "a").await;
    for n in 0..20 {
        let body = json!({ "filter": {}, "payload": n, "timeout_ms": 0 });
        served.done("multicast", body).await;
    }
    let stopped = tokio::spawn(served.stop());
    for n in 0..20 {
        receiver.gets(&json!(n)).await;
    }
    assert_eq!(receiver.next().await, Err(Closed(1001)));
    stopped.await.unwrap();
}
