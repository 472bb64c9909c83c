//! Clients that try to use up the registry's memory or time.

use std::collections::HashSet;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use kit::testing::hostile::{resident, send_pings};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::receiver::Receiver;
use crate::served::{PATIENCE, Served, names};

/// Memory that the budgets allow, with what the allocator keeps, in bytes.
const MOST: usize = 450 << 20;

fn address(served: &Served) -> SocketAddr {
    let address = served.url.strip_prefix("http://").unwrap();
    address.parse().unwrap()
}

/// Begins a request on a new connection, which never reads.
fn send(served: &Served, path: &str, body: &str, sent: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address(served)).unwrap();
    stream
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    let length = body.len();
    let request = format!(
        "POST /v1/default/{path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let end = request.len() - length + sent;
    // The registry may refuse to read all of it.
    let _ = stream.write_all(&request.as_bytes()[..end]);
    stream
}

/// The most memory that the registry takes within two seconds.
async fn peak(served: &Served) -> usize {
    let (mut most, begin) = (0, Instant::now());
    while begin.elapsed() < Duration::from_secs(2) {
        most = most.max(resident(served.pid()));
        sleep(Duration::from_millis(20)).await;
    }
    most
}

#[tokio::test]
async fn responses_that_nobody_reads_take_bounded_memory() {
    let served = Served::start(&[]);
    let metadata = json!({ "text": "x".repeat(16_000) });
    for n in 0..1500 {
        served
            .register(&format!("id{n:04}"), metadata.clone())
            .await;
    }
    let page = served.done("enumerate", json!({ "limit": 10_000 })).await;
    let (found, total) = (names(&page).len(), page["total"].as_u64());
    assert!(
        (200..300).contains(&found) && total == Some(1500),
        "{found}"
    );
    assert_eq!(page["next_cursor"], format!("0.id{:04}", found - 1));
    let without = json!({ "limit": 10_000, "include_metadata": false });
    assert_eq!(names(&served.done("enumerate", without).await).len(), 1500);

    let body = r#"{"limit":10000}"#;
    let unread: Vec<_> = (0..20)
        .map(|_| send(&served, "enumerate", body, body.len()))
        .collect();
    // The registry serves in order, so this one comes last. Without a limit, each page has 24 MB.
    served.register("honest", json!({})).await;
    let most = peak(&served).await;
    assert!(most < 300 << 20, "{} MB", most >> 20);
    drop(unread);
}

#[tokio::test]
async fn bodies_that_never_end_take_bounded_memory() {
    let served = Served::start(&[]);
    let body = "x".repeat(4_000_000);
    let halves: Vec<_> = (0..120)
        .map(|_| send(&served, "register", &body, body.len() - 1))
        .collect();
    let most = peak(&served).await;
    assert!(most < MOST, "{} MB", most >> 20);
    served.register("honest", json!({})).await;
    let large = json!({ "identity": "large", "metadata": { "a": "x".repeat(2_000_000) } });
    assert_eq!(
        served.refused("register", large.clone()).await,
        (503, "crowded".to_owned())
    );
    drop(halves);
    let deadline = Instant::now() + PATIENCE;
    while served.refused("register", large.clone()).await.1 != "invalid_metadata" {
        assert!(Instant::now() < deadline);
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn metadata_take_bounded_memory() {
    let served = Served::start(&["--max-stored", "1000000"]);
    let nested = json!({ "identity": "a", "metadata": { "a": vec![json!([[0]]); 2500] } });
    assert_eq!(
        served.refused("register", nested).await,
        (400, "invalid_metadata".to_owned())
    );
    let of = |identity: &str, values: usize| json!({ "identity": identity, "metadata": { "a": vec![0; values] }, "replace": true });
    let mut count = 0;
    let full = loop {
        let (status, answer) = served.post("register", of(&count.to_string(), 1000)).await;
        if status != 200 {
            break answer;
        }
        count += 1;
        assert!(count < 100);
    };
    assert_eq!(full["error"]["code"], "quota_exceeded", "{full}");
    assert!(count > 5, "{count}");
    served.done("register", of("0", 10)).await;
    served.done("register", of("another", 900)).await;
    served.done("unregister", json!({ "identity": "1" })).await;
    served.done("register", of("one-more", 1000)).await;
}

/// Sends messages of 200 KB until one is refused. Returns the number that was accepted.
async fn fill(served: &Served, to: &str, delivery: &str) -> (usize, Value) {
    for count in 0..2000 {
        let message = json!({ "identities": [to], "payload": "x".repeat(200_000), "delivery": delivery, "timeout_ms": 0 });
        let (status, answer) = served.post("multicast", message).await;
        if status != 200 || answer["failed_count"] != 0 || answer["queued_count"] != 0 {
            return (count, answer);
        }
    }
    panic!("everything was accepted");
}

#[tokio::test]
async fn a_receiver_that_reads_nothing_is_too_slow_before_it_fills_the_memory() {
    let served = Served::start(&[]);
    served.register("slow", json!({})).await;
    let path = "/v1/default/inbox/ws?identity=slow";
    let slow = kit::testing::hostile::websocket(address(&served), path);
    let (accepted, answer) = fill(&served, "slow", "at_most_once").await;
    assert_eq!(answer["results"][0]["cause"], "slow_receiver", "{answer}");
    assert!(accepted < 300, "{accepted}");
    assert!(resident(served.pid()) < 250 << 20);
    drop(slow);
}

#[tokio::test]
async fn messages_that_nobody_acknowledges_stay_out_of_memory_and_come_again() {
    const KEPT: usize = 40;
    let most = KEPT.to_string();
    let served = Served::start(&["--ack-timeout", "6s", "--max-queued", &most]);
    served.register("deaf", json!({})).await;
    assert_eq!(fill_offline(&served).await, KEPT);
    let mut deaf = Receiver::open(&served, "deaf").await;
    assert!(deaf.queued < 35, "a queue has 16 MiB: {}", deaf.queued);
    let first = deaf.next().await.unwrap()["id"].clone();
    for _ in 1..deaf.queued {
        deaf.next().await.unwrap();
    }
    // It acknowledged nothing, so everything comes again.
    let again = deaf.next().await.unwrap();
    assert_eq!(
        (&again["id"], &again["redelivered"]),
        (&first, &true.into())
    );
    drop(deaf);
    // One that acknowledges gets all of them, part by part.
    let mut receiver = Receiver::open(&served, "deaf").await;
    let mut all = HashSet::new();
    while all.len() < KEPT {
        let id = receiver.next().await.unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned();
        receiver.acknowledge(&id).await;
        all.insert(id);
    }
}

/// Keeps messages of 200 KB for an identity that is offline, until one is refused.
async fn fill_offline(served: &Served) -> usize {
    for count in 0..2000 {
        let message = json!({ "identities": ["deaf"], "payload": "x".repeat(200_000), "delivery": "at_least_once", "timeout_ms": 0 });
        let answer = served.done("multicast", message).await;
        if answer["queued_count"] != 1 {
            assert_eq!(answer["results"][0]["cause"], "queue_full", "{answer}");
            return count;
        }
    }
    panic!("everything was accepted");
}

#[tokio::test]
async fn acknowledgements_and_filters_are_bounded() {
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    let ids: Vec<String> = (0..4097).map(|n| format!("m{n}")).collect();
    let many = json!({ "identity": "a", "ids": ids });
    assert_eq!(
        served.refused("acknowledge", many).await,
        (400, "invalid_field".to_owned())
    );
    let fine = json!({ "identity": "a", "ids": ids[1..] });
    assert_eq!(served.done("acknowledge", fine).await["acknowledged"], 4096);
    let empty = json!({ "filter": { "$and": vec![json!({}); 1_000_000] } });
    assert_eq!(
        served.refused("enumerate", empty).await,
        (400, "invalid_filter".to_owned())
    );
}

#[tokio::test]
async fn pings_whose_pongs_nobody_reads_take_bounded_memory() {
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    let address = address(&served);
    let begin = resident(served.pid());
    let sent =
        tokio::task::spawn_blocking(move || send_pings(address, "/v1/default/inbox/ws?identity=a"));
    assert!(sent.await.unwrap() > 0);
    let grown = resident(served.pid()).saturating_sub(begin);
    assert!(grown < 20 << 20, "{} MB", grown >> 20);
}
