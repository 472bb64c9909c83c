//! Several instances on the same Redis and NATS are one registry.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::receiver::{Events, Receiver};
use crate::served::{Backends, PATIENCE};

#[tokio::test]
async fn what_one_instance_registers_the_other_shows_watches_and_reaches() {
    let backends = Backends::start();
    let (here, there) = (backends.instance(&[]), backends.instance(&[]));
    let mut watch = Events::open(&there, "default/watch").await;
    here.register("a", json!({ "room": 1 })).await;
    assert_eq!(watch.next().await.unwrap().data["identity"], "a");
    there.shows(&["a"]).await;
    let again = json!({ "identity": "a" });
    assert_eq!(
        there.refused("register", again.clone()).await.1,
        "already_exists"
    );

    let receiver = Receiver::open(&there, "a").await.acknowledging(1);
    let body = json!({ "filter": { "room": 1 }, "payload": "x", "timeout_ms": 20_000 });
    let answer = here.done("multicast", body).await;
    assert_eq!(answer["received_count"], 1, "{answer}");
    assert_eq!(receiver.await.unwrap().len(), 1);

    here.done("unregister", again).await;
    assert_eq!(watch.next().await.unwrap().name, "unregistered");
    there.shows(&[]).await;
}

#[tokio::test]
async fn a_time_to_live_in_redis_ends_in_time_everywhere_and_spares_newer_registrations() {
    let backends = Backends::start();
    let (here, there) = (backends.instance(&[]), backends.instance(&[]));
    let mut watch = Events::open(&there, "default/watch").await;
    let begin = Instant::now();
    for identity in ["short", "replaced"] {
        let body = json!({ "identity": identity, "ttl_seconds": 1 });
        here.done("register", body).await;
    }
    let longer = json!({ "identity": "replaced", "ttl_seconds": 100, "replace": true });
    there.done("register", longer).await;
    loop {
        let event = watch.next().await.unwrap();
        if event.name == "expired" {
            assert_eq!(event.data["identity"], "short");
            break;
        }
    }
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
    for instance in [&here, &there] {
        instance.shows(&["replaced"]).await;
        let shared = json!({ "consistency": "shared" });
        let answer = instance.done("enumerate", shared).await;
        assert_eq!(crate::served::names(&answer), ["replaced"]);
    }
    // The identity is free at once.
    here.register("short", json!({})).await;
}

/// The official client subscribes on the subject of an identity, without the registry.
#[tokio::test]
async fn a_receiver_directly_on_nats_gets_the_payload_as_it_is_and_acknowledges_by_reply() {
    use futures_util::StreamExt;

    let backends = Backends::start();
    let served = backends.instance(&["--ack-timeout", "300ms"]);
    served.register("device-1", json!({})).await;
    let kept = json!({ "filter": {}, "payload": { "n": 1 }, "delivery": "at_least_once", "timeout_ms": 2000 });
    let answer = served.done("multicast", kept.clone()).await;
    assert_eq!(answer["queued_count"], 1, "{answer}");

    let client = async_nats::connect(backends.nats.url()).await.unwrap();
    let mut messages = client
        .subscribe("prism.multicast.default/device-1")
        .await
        .unwrap();
    client.flush().await.unwrap();
    // The kept message is sent again without another request.
    let message = timeout(PATIENCE, messages.next()).await.unwrap().unwrap();
    assert_eq!(message.payload, "{\"n\":1}");
    let headers = message.headers.unwrap();
    let header = |name: &str| headers.get(name).map(async_nats::HeaderValue::as_str);
    assert_eq!(header("Nats-Msg-Id"), answer["message_id"].as_str());
    assert_eq!(
        (header("Content-Type"), header("Redelivered")),
        (Some("application/json"), Some("true"))
    );
    client
        .publish(message.reply.unwrap(), "".into())
        .await
        .unwrap();

    let acknowledge = async {
        loop {
            let message = timeout(PATIENCE, messages.next()).await.unwrap().unwrap();
            client
                .publish(message.reply.unwrap(), "".into())
                .await
                .unwrap();
            if message.headers.unwrap().get("Redelivered").is_none() {
                return;
            }
        }
    };
    let (answer, ()) = tokio::join!(served.done("multicast", kept), acknowledge);
    assert_eq!(answer["received_count"], 1, "{answer}");
}

#[tokio::test]
async fn an_acknowledgement_reaches_the_inbox_at_another_instance() {
    let backends = Backends::start();
    let (here, there) = (backends.instance(&[]), backends.instance(&[]));
    here.register("a", json!({})).await;
    there.shows(&["a"]).await;
    let mut events = Events::open(&there, "default/inbox/events?identity=a").await;
    let body =
        json!({ "filter": {}, "payload": "x", "delivery": "at_least_once", "timeout_ms": 0 });
    here.done("multicast", body).await;
    let event = events.next().await.unwrap();
    here.done("acknowledge", json!({ "identity": "a", "ids": [event.id] }))
        .await;
    drop(events);
    let deadline = Instant::now() + PATIENCE;
    while Receiver::open(&there, "a").await.queued > 0 {
        assert!(Instant::now() < deadline, "the message is still kept");
    }
}
