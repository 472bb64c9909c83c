//! Idempotency keys: the same write with the same key is done once and answered alike.

use futures_util::future::join_all;
use serde_json::json;

use crate::person::{REQUESTS, of};
use crate::served::Served;

#[tokio::test]
async fn the_same_key_answers_alike_and_does_nothing_more() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    let body = json!({ "title": "A chair", "currency": "EUR" });
    let first = buyer.post_once("k1", REQUESTS, body.clone()).await.done();
    let again = buyer.post_once("k1", REQUESTS, body.clone()).await.done();
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert!(!first.headers.contains_key("idempotency-replayed"));
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let list = buyer.get(&format!("{REQUESTS}?whose=mine")).await.done();
    assert_eq!(list.body["items"].as_array().unwrap().len(), 1);

    let other = json!({ "title": "A table", "currency": "EUR" });
    buyer
        .post_once("k1", REQUESTS, other)
        .await
        .refused(422, "key_reused");
    let another = served.buyer().await;
    another.post_once("k1", REQUESTS, body).await.done();
    buyer
        .post_once("a key", REQUESTS, json!({}))
        .await
        .refused(400, "invalid_json");
}

#[tokio::test]
async fn a_step_that_came_twice_at_once_under_one_key_is_answered_twice_alike() {
    let served = Served::start(&["--threads", "2"]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let offer = seller.offers(&request, 700).await;
    buyer.selects(&request, &offer).await.done();
    let path = of(&request, "status/payment");
    let answers = join_all((0..8).map(|_| buyer.post_once("pay", &path, json!({})))).await;
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 201 && answer.body == answers[0].body),
        "{answers:?}"
    );
    assert_eq!(seller.told().await, ["offer_accepted", "payment_received"]);
}

#[tokio::test]
async fn what_was_refused_keeps_no_key() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let path = of(&request, "status/payment");
    buyer
        .post_once("pay", &path, json!({}))
        .await
        .refused(409, "illegal_step");
    let offer = seller.offers(&request, 700).await;
    buyer.selects(&request, &offer).await.done();
    buyer.post_once("pay", &path, json!({})).await.done();
}
