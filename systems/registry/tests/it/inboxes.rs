//! Inboxes over WebSocket and as server-sent events.

use serde_json::{Value, json};

use crate::receiver::{Closed, Events, Receiver};
use crate::served::Served;

fn multicast(text: &str, delivery: &str) -> Value {
    json!({ "filter": {}, "payload": { "text": text }, "delivery": delivery, "timeout_ms": 20_000 })
}

#[tokio::test]
async fn both_protocols_get_the_same_message_and_an_acknowledgement_ends_the_wait() {
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    served.register("b", json!({})).await;
    let mut socket = Receiver::open(&served, "a").await;
    let mut events = Events::open(&served, "default/inbox/events?identity=b").await;
    let receive = async {
        let message = socket.next().await.unwrap();
        socket.acknowledge(message["id"].as_str().unwrap()).await;
        let event = events.next().await.unwrap();
        assert_eq!(event.name, "message");
        assert_eq!(event.data, message);
        let ack = json!({ "identity": "b", "ids": [event.id] });
        served.done("acknowledge", ack).await;
        message
    };
    let (answer, message) = tokio::join!(
        served.done("multicast", multicast("hi", "at_most_once")),
        receive
    );
    assert_eq!(answer["received_count"], 2, "{answer}");
    assert_eq!(answer["message_id"], message["id"]);
    assert_eq!(message["payload"], json!({ "text": "hi" }));
    assert_eq!(message["redelivered"], false);
}

#[tokio::test]
async fn kept_messages_wait_for_an_offline_receiver_in_order_until_they_are_acknowledged() {
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    for text in ["one", "two", "three"] {
        let answer = served
            .done("multicast", multicast(text, "at_least_once"))
            .await;
        assert_eq!(answer["queued_count"], 1, "{answer}");
    }
    let mut receiver = Receiver::open(&served, "a").await;
    assert_eq!(receiver.queued, 3);
    let first = receiver.gets(&json!({ "text": "one" })).await;
    receiver.acknowledge(&first).await;
    receiver.gets(&json!({ "text": "two" })).await;
    receiver.gets(&json!({ "text": "three" })).await;
    // The answer to this complaint shows that the acknowledgement was read.
    receiver.say("{}").await;
    assert_eq!(receiver.next().await.unwrap()["code"], "invalid_message");
    drop(receiver);
    let mut receiver = Receiver::open(&served, "a").await;
    assert_eq!(receiver.queued, 2);
    receiver.gets(&json!({ "text": "two" })).await;
    let third = receiver.next().await.unwrap();
    assert_eq!(third["redelivered"], true);
}

#[tokio::test]
async fn a_message_without_acknowledgement_is_sent_again_on_the_same_connection() {
    let served = Served::start(&["--ack-timeout", "200ms"]);
    served.register("a", json!({})).await;
    let mut receiver = Receiver::open(&served, "a").await;
    let mut body = multicast("hi", "at_least_once");
    body["timeout_ms"] = 0.into();
    let answer = served.done("multicast", body).await;
    assert_eq!(answer["published_count"], 1);
    let first = receiver.next().await.unwrap();
    let second = receiver.next().await.unwrap();
    assert_eq!(first["id"], second["id"]);
    assert_eq!(
        (&first["redelivered"], &second["redelivered"]),
        (&false.into(), &true.into())
    );
    assert!(served.metric("multicast_registry_redeliveries_total").await >= 1);
}

#[tokio::test]
async fn a_repeated_multicast_with_the_same_id_is_sent_exactly_once() {
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    let receiver = Receiver::open(&served, "a").await.acknowledging(2);
    for (n, (id, repeated)) in [("m1", false), ("m1", true), ("m2", false)]
        .into_iter()
        .enumerate()
    {
        let mut body = multicast(&n.to_string(), "exactly_once");
        body["message_id"] = id.into();
        let answer = served.done("multicast", body).await;
        assert_eq!(answer["repeated"], repeated, "{answer}");
        assert_eq!(answer["received_count"], u64::from(!repeated));
    }
    assert_eq!(receiver.await.unwrap(), ["m1", "m2"]);
}

#[tokio::test]
async fn the_end_of_a_registration_closes_its_inboxes_and_forgets_its_messages() {
    let served = Served::start(&[]);
    let refused = served
        .http
        .get(format!("{}/v1/default/inbox/events?identity=a", served.url))
        .send()
        .await;
    assert_eq!(refused.unwrap().status(), 404);
    served.register("a", json!({})).await;
    served
        .done("multicast", multicast("lost", "at_least_once"))
        .await;
    let mut receiver = Receiver::open(&served, "a").await;
    receiver.gets(&json!({ "text": "lost" })).await;
    served.done("unregister", json!({ "identity": "a" })).await;
    assert_eq!(receiver.next().await, Err(Closed(4004)));
    served.register("a", json!({})).await;
    assert_eq!(Receiver::open(&served, "a").await.queued, 0);
}

#[tokio::test]
async fn text_and_bytes_arrive_as_they_were_sent() {
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    let mut receiver = Receiver::open(&served, "a").await;
    let text = json!({ "identities": ["a"], "content_type": "text/plain", "payload": "{\"a\"\n", "timeout_ms": 0 });
    served.done("multicast", text).await;
    receiver.gets(&"{\"a\"\n".into()).await;
    let bytes = json!({ "identities": ["a"], "content_type": "image/png", "payload_base64": "/wA=", "timeout_ms": 0 });
    served.done("multicast", bytes).await;
    assert_eq!(receiver.next().await.unwrap()["payload_base64"], "/wA=");
    let null = json!({ "identities": ["a"], "payload": null, "timeout_ms": 0 });
    served.done("multicast", null).await;
    assert_eq!(receiver.next().await.unwrap()["payload"], Value::Null);
    for wrong in [
        json!({ "identities": ["a"] }),
        json!({ "payload": 1 }),
        json!({ "filter": {}, "identities": ["a"], "payload": 1 }),
        json!({ "identities": ["a"], "content_type": "text/plain", "payload": 1 }),
        json!({ "identities": ["a"], "payload_base64": "e30", "payload": 1 }),
        json!({ "identities": ["a"], "payload": 1, "message_id": "a b" }),
        json!({ "identities": ["a"], "payload": 1, "timeout_ms": 60_001 }),
    ] {
        assert_eq!(
            served.refused("multicast", wrong.clone()).await.0,
            400,
            "{wrong}"
        );
    }
}
