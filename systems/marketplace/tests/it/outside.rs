//! Outgoing notifications, by signed webhooks and Telegram. Sending is repeated until a notification arrives.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::person::paid;
use crate::served::Served;
use crate::stub::Stub;

const SECRET: &str = "a secret of the operator";

#[tokio::test]
async fn every_notification_is_posted_signed_and_again_until_it_arrives() {
    let mut stub = Stub::start(&[500]).await;
    let served = Served::start(&["--notify-webhook", &stub.url, "--notify-secret", SECRET]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    seller.offers(&request, 1_000).await;
    let (first, again) = (stub.next().await, stub.next().await);
    let id = &first.headers["x-marketplace-delivery"];
    assert_eq!(id, again.headers["x-marketplace-delivery"]);
    assert_eq!(first.body, again.body);
    let told: Value = serde_json::from_slice(&again.body).unwrap();
    assert_eq!(told["kind"], "offer_received");
    assert_eq!(
        (&told["user"], &told["sequence"]),
        (&json!(buyer.id), &json!(1))
    );
    let signature = again.headers["x-marketplace-signature"].to_str().unwrap();
    let (seconds, code) = signature.split_once(",v1=").unwrap();
    let seconds = seconds.strip_prefix("t=").unwrap();
    assert_eq!(code, crate::provider::hmac(SECRET, seconds, &again.body));
}

#[tokio::test]
async fn a_chat_is_told_in_words_with_a_link_to_the_first_front_end() {
    let mut stub = Stub::start(&[]).await;
    let served = Served::start(&[
        "--telegram-token",
        "12:secret",
        "--telegram-api",
        &stub.url,
        "--cors-origins",
        "https://shop.example.org,https://admin.example.org",
    ]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let put = buyer
        .put("/api/users/me/telegram", json!({ "chat": "4711" }))
        .await
        .done();
    assert_eq!(put.body["telegramChat"], "4711");
    let request = buyer.asks().await;
    seller.offers(&request, 1_000).await;
    let came = stub.next().await;
    assert_eq!(came.path, "/bot12:secret/sendMessage");
    let message: Value = serde_json::from_slice(&came.body).unwrap();
    assert_eq!(message["chat_id"], "4711");
    let link = format!("A bicycle: offer received\nhttps://shop.example.org/requests/{request}");
    assert_eq!(message["text"], link);
}

#[tokio::test]
async fn what_was_not_sent_when_the_process_died_is_sent_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("m.db").display());
    let nobody = [
        "--notify-webhook",
        "http://127.0.0.1:1/",
        "--notify-secret",
        SECRET,
    ];
    let served = Served::on(&store, &nobody);
    paid(&served, 1_000).await;
    served.kill();
    let mut stub = Stub::start(&[]).await;
    let _served = Served::on(
        &store,
        &["--notify-webhook", &stub.url, "--notify-secret", SECRET],
    );
    let mut kinds = Vec::new();
    for _ in 0..3 {
        let told: Value = serde_json::from_slice(&stub.next().await.body).unwrap();
        kinds.push(told["kind"].as_str().unwrap().to_owned());
    }
    kinds.sort();
    assert_eq!(
        kinds,
        ["offer_accepted", "offer_received", "payment_received"]
    );
}

#[tokio::test]
async fn a_webhook_that_never_answers_holds_up_no_chat() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let webhook = format!("http://{}", silent.local_addr().unwrap());
    let mut stub = Stub::start(&[]).await;
    let served = Served::start(&[
        "--notify-webhook",
        &webhook,
        "--notify-secret",
        SECRET,
        "--telegram-token",
        "12:secret",
        "--telegram-api",
        &stub.url,
    ]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let chat = json!({ "chat": "4711" });
    buyer.put("/api/users/me/telegram", chat).await.done();
    // If the channels waited for each other, each notification would take 5 s.
    let begun = Instant::now();
    for _ in 0..5 {
        seller.offers(&buyer.asks().await, 1_000).await;
    }
    for _ in 0..5 {
        stub.next().await;
    }
    assert!(begun.elapsed() < Duration::from_secs(15));
    drop(silent);
}
