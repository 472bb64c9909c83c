//! States that end by a deadline.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::person::{Person, REQUESTS, balances, of};
use crate::served::{PATIENCE, Served};

/// Polls until a request is in this state.
async fn until(person: &Person<'_>, request: &str, state: &str) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let seen = person.sees(request).await;
        if seen["request"]["state"] == state {
            return seen;
        }
        assert!(
            Instant::now() < deadline,
            "still {}",
            seen["request"]["state"]
        );
        sleep(Duration::from_millis(10)).await;
    }
}

fn now() -> i64 {
    let now = std::time::SystemTime::now();
    let since = now.duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

fn soon() -> String {
    jiff::Timestamp::from_millisecond(now() + 2_500)
        .unwrap()
        .to_string()
}

#[tokio::test]
async fn an_offer_whose_time_is_over_is_not_taken_even_before_it_is_ended() {
    let served = Served::start(&["--sweep", "1h"]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let until = soon();
    let body = json!({ "price": { "amount": 5, "currency": "EUR" }, "validUntil": until });
    let offer = seller.post(&of(&request, "offers"), body).await.id();
    let until: jiff::Timestamp = until.parse().unwrap();
    let left = until.as_millisecond() - now();
    sleep(Duration::from_millis(u64::try_from(left).unwrap_or(0) + 1)).await;
    let late = buyer.selects(&request, &offer).await;
    late.refused_in("offer_over", "awaiting_buyer", &["counter", "reject"]);
}

#[tokio::test]
async fn an_open_request_expires_with_its_offers() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let body = json!({ "title": "x", "currency": "EUR", "expiresAt": soon() });
    let request = buyer.post(REQUESTS, body).await.id();
    seller.offers(&request, 5).await;
    until(&buyer, &request, "expired").await;
    let told = seller.told().await;
    assert!(
        told == ["request_expired"] || told == ["offer_expired"],
        "{told:?}"
    );
    let past = json!({ "title": "x", "currency": "EUR", "expiresAt": "2020-01-01T00:00:00Z" });
    buyer
        .post(REQUESTS, past)
        .await
        .refused(400, "invalid_field");
}

#[tokio::test]
async fn who_does_not_pay_in_time_loses_the_trade() {
    let served = Served::start(&["--pay-time", "1ms"]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let offer = seller.offers(&request, 5).await;
    buyer.selects(&request, &offer).await.done();
    until(&buyer, &request, "expired").await;
    buyer.pays(&request).await.refused(409, "illegal_step");
    assert_eq!(seller.told().await, ["offer_accepted", "request_expired"]);
}

#[tokio::test]
async fn who_does_not_complain_has_got_it() {
    let served = Served::start(&["--confirm-time", "1ms"]);
    let (buyer, seller, request) = crate::person::paid(&served, 1_000).await;
    seller.ships(&request).await.done();
    until(&buyer, &request, "completed").await;
    assert_eq!(
        balances(&served).await.last(),
        Some(&("seller".to_owned(), 975))
    );
    for person in [&buyer, &seller] {
        assert_eq!(person.told().await.last().unwrap(), "delivery_confirmed");
    }
}

#[tokio::test]
async fn an_offer_that_is_not_valid_any_longer_cannot_be_selected() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let price = json!({ "amount": 5, "currency": "EUR" });
    let body = json!({ "price": price, "validUntil": soon() });
    let offer = seller
        .post(&crate::person::of(&request, "offers"), body)
        .await
        .id();
    let deadline = Instant::now() + PATIENCE;
    while buyer.told().await.last().unwrap() != "offer_expired" {
        assert!(Instant::now() < deadline);
        sleep(Duration::from_millis(10)).await;
    }
    buyer
        .selects(&request, &offer)
        .await
        .refused(409, "illegal_step");
    seller.offers(&request, 6).await;
}
