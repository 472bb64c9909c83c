//! The complete flow of the field report, and related cases that its users would expect.

use serde_json::{Value, json};

use crate::person::{REQUESTS, balances, of, paid};
use crate::served::Served;

#[tokio::test]
async fn a_trade_of_the_report_goes_from_users_to_money() {
    let served = Served::start(&[]);
    the_flow_of_the_report(&served).await;
}

/// Runs the flow: the admin creates users; then follow a request, three offers, selection, payment, delivery and
/// confirmation.
pub(crate) async fn the_flow_of_the_report(served: &Served) {
    let admin = served.admin().await;
    for (email, role) in [
        ("b@x", "buyer"),
        ("s1@x", "seller"),
        ("s2@x", "seller"),
        ("s3@x", "seller"),
    ] {
        let body = json!({ "email": email, "password": "a password", "name": email, "role": role });
        admin.post("/api/users/admin", body).await.done();
    }
    let buyer = served.login("b@x", "a password").await;
    let mut sellers = Vec::new();
    for email in ["s1@x", "s2@x", "s3@x"] {
        sellers.push(served.login(email, "a password").await);
    }
    let request = buyer.asks().await;
    let mut offers = Vec::new();
    for (seller, amount) in sellers.iter().zip([10_000, 9_000, 11_000]) {
        offers.push(seller.offers(&request, amount).await);
    }
    let selected = buyer.selects(&request, &offers[1]).await.done();
    assert_eq!(selected.body["state"], "selected");
    let payment = buyer.pays(&request).await.done();
    assert_eq!(
        payment.body["price"],
        json!({ "amount": 9_000, "currency": "EUR" })
    );
    assert_eq!(payment.body["state"], "held");
    assert_eq!(
        balances(served).await,
        [("buyer".into(), -9_000), ("escrow".into(), 9_000)]
    );
    let delivery = sellers[1].ships(&request).await.done();
    assert_eq!(delivery.body["state"], "shipped");
    assert_eq!(
        buyer.confirms(&request).await.done().body["state"],
        "completed"
    );

    let all = [
        ("buyer", -9_000),
        ("escrow", 0),
        ("fee", 225),
        ("seller", 8_775),
    ];
    assert_eq!(
        balances(served).await,
        all.map(|(account, amount)| (account.to_owned(), amount))
    );
    let offered = [
        "offer_received",
        "offer_received",
        "offer_received",
        "delivery_updated",
    ];
    assert_eq!(buyer.told().await, offered);
    let won = ["offer_accepted", "payment_received", "delivery_confirmed"];
    assert_eq!(sellers[1].told().await, won);
    assert_eq!(sellers[0].told().await, ["offer_lost"]);
    assert_eq!(sellers[2].told().await, ["offer_lost"]);
}

#[tokio::test]
async fn the_lost_notification_of_the_report_is_lost_on_order_and_nothing_else() {
    let served = Served::start(&["--lose-accepted"]);
    assert_eq!(served.health().await["loses_accepted"], true);
    let (_, seller, _) = paid(&served, 1_000).await;
    assert_eq!(seller.told().await, ["payment_received"]);
    let metrics = served.raw("GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let counted = "marketplace_notifications_lost_on_order_total 1\n";
    assert!(metrics.contains(counted), "{metrics}");
}

#[tokio::test]
async fn requests_are_found_by_word_state_and_page() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    for title in ["Red lamp", "Green LAMP", "100% wool", "Lämpchen"] {
        let body = json!({ "title": title, "currency": "EUR" });
        buyer.post(REQUESTS, body).await.done();
    }
    let seller = served.seller().await;
    let found = async |query: &str| {
        let list = seller.get(&format!("{REQUESTS}?{query}")).await.done().body;
        let titles = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["title"].clone());
        (titles.collect::<Vec<Value>>(), list["next"].clone())
    };
    assert_eq!(found("search=lamp").await.0, ["Green LAMP", "Red lamp"]);
    assert_eq!(found("search=0%25").await.0, ["100% wool"]);
    assert_eq!(found("search=L%C3%84MP").await.0, ["Lämpchen"]);
    assert_eq!(found("state=completed").await.0, Vec::<Value>::new());
    assert_eq!(found("whose=mine").await.0, Vec::<Value>::new());
    let (first, next) = found("limit=3").await;
    let (rest, end) = found(&format!("limit=3&after={}", next.as_str().unwrap())).await;
    assert_eq!((first.len(), rest), (3, vec![json!("Red lamp")]));
    assert!(end.is_null());
    for wrong in [
        "limit=0",
        "limit=101",
        "limit=x",
        "state=nothing",
        "after=x",
        "search=",
    ] {
        seller
            .get(&format!("{REQUESTS}?{wrong}"))
            .await
            .refused(400, "invalid_query");
    }
}

#[tokio::test]
async fn an_illegal_step_is_a_conflict_that_tells_the_state_and_what_is_allowed() {
    let served = Served::start(&[]);
    let (buyer, seller, request) = paid(&served, 1_000).await;
    let early = buyer.confirms(&request).await;
    early.refused(409, "illegal_step");
    assert_eq!(early.body["error"]["state"], "paid");
    assert_eq!(early.body["error"]["allowed"], json!(["dispute"]));
    assert_eq!(buyer.sees(&request).await["allowed"], json!(["dispute"]));
    assert_eq!(
        seller.sees(&request).await["allowed"],
        json!(["deliver", "dispute", "refund"])
    );
    buyer.pays(&request).await.refused(409, "illegal_step");
    buyer
        .post(&of(&request, "cancel"), json!({}))
        .await
        .refused(409, "illegal_step");
    seller.ships(&request).await.done();
    seller.ships(&request).await.refused(409, "illegal_step");
    buyer.confirms(&request).await.done();
    buyer.confirms(&request).await.refused(409, "illegal_step");
}

#[tokio::test]
async fn a_request_is_called_off_until_it_is_paid_and_everybody_is_told() {
    let served = Served::start(&[]);
    let (buyer, one, other) = (
        served.buyer().await,
        served.seller().await,
        served.seller().await,
    );
    let request = buyer.asks().await;
    let offer = one.offers(&request, 500).await;
    buyer.post(&of(&request, "cancel"), json!({})).await.done();
    assert_eq!(one.told().await, ["request_cancelled"]);
    one.post(
        &of(&request, &format!("offers/{offer}/withdraw")),
        json!({}),
    )
    .await
    .refused(409, "illegal_step");
    other
        .post(
            &of(&request, "offers"),
            json!({ "price": { "amount": 1, "currency": "EUR" } }),
        )
        .await
        .refused(404, "not_found");

    let second = buyer.asks().await;
    let offer = one.offers(&second, 500).await;
    buyer.selects(&second, &offer).await.done();
    one.post(&of(&second, "cancel"), json!({})).await.done();
    assert_eq!(buyer.told().await.last().unwrap(), "request_cancelled");
}

#[tokio::test]
async fn each_side_rates_the_other_once_when_a_trade_is_over() {
    let served = Served::start(&[]);
    let (buyer, seller, request) = paid(&served, 1_000).await;
    let rating = |stars: i64| json!({ "stars": stars, "comment": "quick" });
    buyer
        .post(&of(&request, "ratings"), rating(5))
        .await
        .refused(409, "illegal_step");
    seller.ships(&request).await.done();
    buyer.confirms(&request).await.done();
    buyer
        .post(&of(&request, "ratings"), rating(6))
        .await
        .refused(400, "invalid_json");
    buyer.post(&of(&request, "ratings"), rating(4)).await.done();
    buyer
        .post(&of(&request, "ratings"), rating(4))
        .await
        .refused_in("already_rated", "completed", &[]);
    seller
        .post(&of(&request, "ratings"), rating(5))
        .await
        .done();
    let standing = buyer
        .get(&format!("/api/users/{}/ratings", seller.id))
        .await
        .done()
        .body;
    assert_eq!(
        (&standing["count"], &standing["average"]),
        (&json!(1), &json!(4.0))
    );
    assert_eq!(seller.told().await.last().unwrap(), "rated");
}
