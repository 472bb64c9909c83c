use serde_json::Value;
use wire::nats::jetstream::{
    Acknowledgement, Api, Delivery, MESSAGE_ID, PublishAck, Pull, reply_of,
};

use super::*;

fn server() -> Server {
    Server::start("jetstream: enabled")
}

fn asked(client: &mut Client, subject: &str, payload: &str) -> Result<Value, Fault> {
    let reply = client.request(subject, payload.as_bytes());
    reply_of(&reply.payload)
}

/// Creates a stream of the subjects `orders.>`, and a consumer that must acknowledge.
fn stream(client: &mut Client) -> Api {
    let api = Api::default();
    let stream = r#"{"name":"ORDERS","subjects":["orders.>"],"storage":"memory"}"#;
    asked(client, &api.create_stream("ORDERS").unwrap(), stream).unwrap();
    let consumer = r#"{"stream_name":"ORDERS","config":{"durable_name":"new","ack_policy":"explicit","ack_wait":60000000000}}"#;
    asked(
        client,
        &api.create_consumer("ORDERS", "new").unwrap(),
        consumer,
    )
    .unwrap();
    api
}

fn stored(client: &mut Client, id: &str, payload: &[u8]) -> PublishAck {
    client.subscribe("_INBOX.ack", None, 50);
    let headers = [(MESSAGE_ID, id)];
    let subjects = ("orders.1", Some("_INBOX.ack"));
    client
        .connection
        .publish(&mut client.out, subjects, &headers, payload)
        .unwrap();
    let reply = client.take(1).remove(0);
    wire::nats::encode_unsubscribe(&mut client.out, 50, None);
    PublishAck::parse(&reply.payload).unwrap()
}

/// Responds to a message, and waits until the server has processed that.
fn respond(client: &mut Client, heard: &Heard, acknowledgement: Acknowledgement) {
    let mut payload = Vec::new();
    acknowledgement.encode(&mut payload);
    client.publish(heard.reply.as_deref().unwrap(), None, &payload);
    client.settle();
}

/// The text of a message, and the number of times that it was delivered.
fn delivered(heard: &Heard) -> (&str, u64) {
    let delivery = Delivery::parse(heard.reply.as_deref().unwrap());
    (heard.text(), delivery.unwrap().delivered)
}

fn pull(client: &mut Client, api: &Api, batch: u64, expires_ns: u64) {
    let json = Pull {
        batch,
        expires_ns,
        heartbeat_ns: 0,
    }
    .json();
    client.publish(
        &api.next("ORDERS", "new").unwrap(),
        Some("_INBOX.next"),
        json.as_bytes(),
    );
}

#[test]
fn a_stored_message_is_confirmed_once_and_recognised_again() {
    let server = server();
    let mut client = server.client();
    assert!(client.connection.info().jetstream);
    stream(&mut client);
    let first = stored(&mut client, "a", b"x");
    assert_eq!(
        (first.stream.as_str(), first.sequence, first.is_duplicate),
        ("ORDERS", 1, false)
    );
    let again = stored(&mut client, "a", b"x");
    assert_eq!((again.sequence, again.is_duplicate), (1, true));
    assert_eq!(stored(&mut client, "b", b"y").sequence, 2);
    let info = asked(
        &mut client,
        &Api::default().stream_info("ORDERS").unwrap(),
        "",
    )
    .unwrap();
    assert_eq!(info["state"]["messages"], 2);
    let fault = asked(
        &mut client,
        &Api::default().stream_info("NONE").unwrap(),
        "",
    )
    .unwrap_err();
    assert_eq!(fault.detail, "JetStream error 10059: stream not found");
    assert_eq!(client.request("no.stream", b"").status, Some(503));
}

#[test]
fn a_consumer_gets_each_message_until_it_is_acknowledged() {
    let server = server();
    let mut client = server.client();
    let api = stream(&mut client);
    for number in 0..3 {
        stored(
            &mut client,
            &number.to_string(),
            format!("order {number}").as_bytes(),
        );
    }
    client.subscribe("_INBOX.next", None, 7);
    pull(&mut client, &api, 2, 5_000_000_000);
    let heard = client.take(2);
    assert_eq!(
        [&heard[0], &heard[1]].map(delivered),
        [("order 0", 1), ("order 1", 1)]
    );
    assert_eq!(heard[0].subject, "orders.1");
    let delivery = Delivery::parse(heard[1].reply.as_deref().unwrap()).unwrap();
    assert_eq!(
        (delivery.stream, delivery.consumer, delivery.pending),
        ("ORDERS", "new", 1)
    );
    assert_eq!(
        (delivery.stream_sequence, delivery.consumer_sequence),
        (2, 2)
    );
    assert!(delivery.stored_ns > 1_700_000_000_000_000_000);

    respond(&mut client, &heard[0], Acknowledgement::Ack);
    respond(&mut client, &heard[1], Acknowledgement::InProgress);
    respond(&mut client, &heard[1], Acknowledgement::Nak { delay_ns: 0 });
    pull(&mut client, &api, 2, 5_000_000_000);
    let mut heard = client.take(2);
    heard.sort_by_key(|heard| heard.payload.clone());
    assert_eq!(
        [&heard[0], &heard[1]].map(delivered),
        [("order 1", 2), ("order 2", 1)]
    );
    respond(&mut client, &heard[0], Acknowledgement::Term);
    respond(&mut client, &heard[1], Acknowledgement::Ack);
    let info = asked(
        &mut client,
        &api.consumer_info("ORDERS", "new").unwrap(),
        "",
    )
    .unwrap();
    assert_eq!(
        (&info["num_ack_pending"], &info["num_pending"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn an_empty_consumer_says_so_at_once_or_after_the_wait() {
    let server = server();
    let mut client = server.client();
    let api = stream(&mut client);
    client.subscribe("_INBOX.next", None, 7);
    pull(&mut client, &api, 1, 0);
    assert_eq!(client.take(1)[0].status, Some(404));
    pull(&mut client, &api, 1, 200_000_000);
    assert_eq!(client.take(1)[0].status, Some(408));
}
