//! Offers and counter-offers.

use serde_json::{Value, json};

use crate::person::{Person, of};
use crate::served::Served;

fn price(amount: i64) -> Value {
    json!({ "price": { "amount": amount, "currency": "EUR" } })
}

async fn act(
    person: &Person<'_>,
    request: &str,
    offer: &str,
    action: &str,
    body: Value,
) -> crate::person::Answer {
    person
        .post(&of(request, &format!("offers/{offer}/{action}")), body)
        .await
}

#[tokio::test]
async fn both_sides_counter_in_turn_and_the_last_price_is_paid() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let offer = seller.offers(&request, 1_000).await;
    act(&seller, &request, &offer, "counter", price(900))
        .await
        .refused(403, "forbidden");
    act(&buyer, &request, &offer, "counter", price(700))
        .await
        .done();
    act(&buyer, &request, &offer, "counter", price(600))
        .await
        .refused(403, "forbidden");
    buyer
        .selects(&request, &offer)
        .await
        .refused(409, "illegal_step");
    act(&seller, &request, &offer, "counter", price(850))
        .await
        .done();
    act(&buyer, &request, &offer, "counter", price(800))
        .await
        .done();
    let accepted = act(&seller, &request, &offer, "accept", json!({}))
        .await
        .done();
    assert_eq!(accepted.body["selectedOfferId"], offer.as_str());
    let payment = buyer.pays(&request).await.done();
    assert_eq!(payment.body["price"]["amount"], 800);

    let whole = buyer
        .get(&of(&request, &format!("offers/{offer}")))
        .await
        .done()
        .body;
    let rounds: Vec<_> = whole["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|round| {
            (
                round["by"].as_str().unwrap(),
                round["amount"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rounds,
        [
            ("seller", 1_000),
            ("buyer", 700),
            ("seller", 850),
            ("buyer", 800)
        ]
    );
    assert_eq!(
        buyer.told().await,
        ["offer_received", "offer_countered", "offer_accepted"]
    );
    assert_eq!(
        seller.told().await,
        ["offer_countered", "offer_countered", "payment_received"]
    );
}

#[tokio::test]
async fn an_offer_that_was_rejected_or_withdrawn_is_over_and_another_may_come() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let first = seller.offers(&request, 1_000).await;
    seller
        .post(&of(&request, "offers"), price(1))
        .await
        .refused_in("already_offered", "open", &["select"]);
    act(&buyer, &request, &first, "reject", json!({}))
        .await
        .done();
    act(&buyer, &request, &first, "select", json!({}))
        .await
        .refused(409, "illegal_step");
    let second = seller.offers(&request, 900).await;
    act(&seller, &request, &second, "withdraw", json!({}))
        .await
        .done();
    act(&buyer, &request, &second, "counter", price(1))
        .await
        .refused(409, "illegal_step");
    let third = seller.offers(&request, 800).await;
    act(&buyer, &request, &third, "select", json!({}))
        .await
        .done();
}

#[tokio::test]
async fn an_offer_is_in_the_currency_of_its_request_and_of_a_good_amount() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let path = of(&request, "offers");
    let dollars = json!({ "price": { "amount": 1, "currency": "USD" } });
    seller
        .post(&path, dollars)
        .await
        .refused(400, "invalid_field");
    for amount in [
        json!(0),
        json!(-5),
        json!(1.5),
        json!("5"),
        json!(1e30),
        json!(i64::MAX),
    ] {
        let body = json!({ "price": { "amount": amount, "currency": "EUR" } });
        seller.post(&path, body).await.refused(400, "invalid_json");
    }
}

#[tokio::test]
async fn a_seller_sees_no_offer_but_the_own_and_the_buyer_sees_all() {
    let served = Served::start(&[]);
    let (buyer, one, other) = (
        served.buyer().await,
        served.seller().await,
        served.seller().await,
    );
    let request = buyer.asks().await;
    let secret = one.offers(&request, 1_000).await;
    other.offers(&request, 2_000).await;
    let count = async |person: &Person<'_>| {
        person
            .get(&of(&request, "offers"))
            .await
            .done()
            .body
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(
        (count(&buyer).await, count(&one).await, count(&other).await),
        (2, 1, 1)
    );
    other
        .get(&of(&request, &format!("offers/{secret}")))
        .await
        .refused(404, "not_found");
}
