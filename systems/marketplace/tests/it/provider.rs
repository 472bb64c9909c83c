//! Payments by a provider. A stub sends signed events, repeats them, forges them and changes their order.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::time::Instant;

use crate::person::{Answer, Person, balances, of};
use crate::served::{PATIENCE, Served};

const SECRET: &str = "a secret of the provider";
const HOOK: &str = "/api/payments/webhook";

pub(crate) fn hmac(secret: &str, seconds: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body);
    format!("{:x}", mac.finalize().into_bytes())
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

fn served() -> Served {
    Served::start(&["--payment-mode", "provider", "--payment-secret", SECRET])
}

/// Sends an event, signed with this secret at this time.
async fn tell(served: &Served, secret: &str, seconds: u64, body: &Value) -> Answer {
    let text = body.to_string();
    let signature = format!(
        "t={seconds},v1={}",
        hmac(secret, &seconds.to_string(), text.as_bytes())
    );
    let request = served.http.post(format!("{}{HOOK}", served.url));
    let request = request
        .header("x-payment-signature", signature)
        .header("content-type", "application/json");
    let response = request.body(text).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let answer = Answer {
        status,
        headers,
        body: response.json().await.unwrap(),
    };
    crate::served::described(served, "POST", HOOK, &answer).await;
    answer
}

fn event(id: &str, payment: &str, sequence: i64, kind: &str) -> Value {
    json!({
        "id": id, "paymentId": payment, "sequence": sequence, "type": kind,
        "price": { "amount": 1_000, "currency": "EUR" },
    })
}

/// Creates a trade with a pending payment. Returns buyer, seller, request and payment.
async fn pending(served: &Served) -> (Person<'_>, Person<'_>, String, String) {
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let offer = seller.offers(&request, 1_000).await;
    buyer.selects(&request, &offer).await.done();
    let payment = buyer.pays(&request).await;
    assert_eq!(payment.body["state"], "pending");
    let id = payment.id();
    (buyer, seller, request, id)
}

#[tokio::test]
async fn the_money_is_there_when_the_provider_says_so_once() {
    let served = served();
    let (buyer, seller, request, payment) = pending(&served).await;
    let twice = buyer.pays(&request).await;
    twice.refused_in("already_paid", "selected", &["cancel"]);
    seller.ships(&request).await.refused(409, "illegal_step");
    tell(
        &served,
        SECRET,
        now(),
        &event("e1", &payment, 1, "payment.processing"),
    )
    .await
    .done();
    let succeeded = event("e2", &payment, 2, "payment.succeeded");
    for duplicate in [false, true, true] {
        let taken = tell(&served, SECRET, now(), &succeeded).await.done();
        assert_eq!(
            taken.body,
            json!({ "duplicate": duplicate, "unmatched": false, "state": "held" })
        );
    }
    assert_eq!(seller.told().await, ["offer_accepted", "payment_received"]);
    seller.ships(&request).await.done();
    buyer.confirms(&request).await.done();
    let fees = balances(&served)
        .await
        .into_iter()
        .find(|(account, _)| account == "fee");
    assert_eq!(fees, Some(("fee".to_owned(), 25)));
}

#[tokio::test]
async fn what_is_forged_old_or_changed_is_refused() {
    let served = served();
    let (buyer, _, request, payment) = pending(&served).await;
    let good = event("e1", &payment, 1, "payment.succeeded");
    tell(&served, "another secret, as long", now(), &good)
        .await
        .refused(401, "wrong_signature");
    tell(&served, SECRET, now() - 600, &good)
        .await
        .refused(401, "wrong_signature");
    tell(&served, SECRET, now() + 600, &good)
        .await
        .refused(401, "wrong_signature");
    let unsigned = served.stranger().post(HOOK, good.clone()).await;
    unsigned.refused(401, "wrong_signature");
    let mut cheap = good.clone();
    cheap["price"]["amount"] = json!(1);
    tell(&served, SECRET, now(), &cheap)
        .await
        .refused(400, "invalid_field");
    let unknown = event("e9", &"0".repeat(32), 1, "payment.succeeded");
    tell(&served, SECRET, now(), &unknown)
        .await
        .refused(404, "not_found");
    assert_eq!(buyer.sees(&request).await["payment"]["state"], "pending");
}

#[tokio::test]
async fn events_count_in_their_order_alone() {
    let served = served();
    let (buyer, _, request, payment) = pending(&served).await;
    let late = event("e2", &payment, 2, "payment.succeeded");
    tell(&served, SECRET, now(), &late)
        .await
        .refused(409, "out_of_order");
    tell(
        &served,
        SECRET,
        now(),
        &event("e1", &payment, 1, "payment.processing"),
    )
    .await
    .done();
    tell(&served, SECRET, now(), &late).await.done();
    // An event must be refused if its sequence number is already taken, or if its id is known but its content differs.
    // Acknowledging such an event would lose it.
    let old = event("e0", &payment, 1, "payment.failed");
    let refused = tell(&served, SECRET, now(), &old).await;
    refused.refused(409, "out_of_order");
    for other in [
        event("e1", &payment, 1, "payment.failed"),
        event("e1", &payment, 3, "payment.processing"),
    ] {
        let refused = tell(&served, SECRET, now(), &other).await;
        refused.refused(409, "event_reused");
    }
    assert_eq!(buyer.sees(&request).await["payment"]["state"], "held");
}

#[tokio::test]
async fn what_contradicts_what_is_known_is_kept_for_an_admin_and_changes_nothing() {
    let served = served();
    let (buyer, _, request, payment) = pending(&served).await;
    let events = [
        ("e1", "payment.succeeded", false),
        ("e2", "payment.failed", true),
        ("e3", "payment.succeeded", true),
    ];
    for (sequence, (id, kind, unmatched)) in (1..).zip(events) {
        let event = event(id, &payment, sequence, kind);
        let taken = tell(&served, SECRET, now(), &event).await.done();
        let expected = json!({ "duplicate": false, "unmatched": unmatched, "state": "held" });
        assert_eq!(taken.body, expected);
    }
    assert_eq!(buyer.sees(&request).await["payment"]["state"], "held");
    let ledger = served.admin().await.get("/api/admin/ledger").await.done();
    let kept = ledger.body["unmatched"].as_array().unwrap();
    let mut kept: Vec<_> = kept.iter().map(|event| event["id"].as_str()).collect();
    kept.sort_unstable();
    assert_eq!(kept, [Some("e2"), Some("e3")]);
    let deadline = Instant::now() + PATIENCE;
    while served.health().await["unmatched_events"] != 2 {
        assert!(Instant::now() < deadline, "health does not tell");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Reports that a payment failed, and then that it succeeded. Returns its final state.
async fn fails_and_succeeds(served: &Served, payment: &str, between: impl Future) -> String {
    let name = |n| format!("{payment}-{n}");
    let failed = event(&name(1), payment, 1, "payment.failed");
    tell(served, SECRET, now(), &failed).await.done();
    between.await;
    let succeeded = event(&name(2), payment, 2, "payment.succeeded");
    let taken = tell(served, SECRET, now(), &succeeded).await.done();
    taken.body["state"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn money_of_a_payment_that_had_failed_is_taken_while_the_trade_waits_for_it() {
    let served = served();
    let (buyer, seller, request, payment) = pending(&served).await;
    // A second payment also fails, and stays failed. The trade uses the payment that succeeded.
    let second = async {
        let second = buyer.pays(&request).await.id();
        let failed = event("second", &second, 1, "payment.failed");
        tell(&served, SECRET, now(), &failed).await.done();
    };
    let state = fails_and_succeeds(&served, &payment, second).await;
    assert_eq!(state, "held");
    let seen = buyer.sees(&request).await;
    assert_eq!(
        (&seen["payment"]["id"], &seen["request"]["state"]),
        (&json!(payment), &json!("paid"))
    );
    seller.ships(&request).await.done();
    buyer.confirms(&request).await.done();
}

#[tokio::test]
async fn money_of_a_payment_that_had_failed_goes_back_when_the_trade_waits_no_longer() {
    let served = served();
    // A second payment is pending in the first round, and has succeeded in the second.
    for paid in [false, true] {
        let (buyer, _, request, payment) = pending(&served).await;
        let again = async {
            let second = buyer.pays(&request).await.id();
            let succeeded = event(&format!("{second}-1"), &second, 1, "payment.succeeded");
            if paid {
                tell(&served, SECRET, now(), &succeeded).await.done();
            }
        };
        let state = fails_and_succeeds(&served, &payment, again).await;
        assert_eq!(state, "returned");
        assert_eq!(buyer.told().await.last().unwrap(), "payment_refunded");
    }
    // The trade was cancelled.
    let (buyer, _, request, payment) = pending(&served).await;
    let cancel = async { buyer.post(&of(&request, "cancel"), json!({})).await.done() };
    let state = fails_and_succeeds(&served, &payment, cancel).await;
    assert_eq!(state, "returned");
    let escrow = balances(&served).await.into_iter();
    let escrow: Vec<_> = escrow.filter(|(account, _)| account == "escrow").collect();
    assert_eq!(escrow, [("escrow".to_owned(), 1_000)]);
}

#[tokio::test]
async fn a_payment_that_failed_may_be_tried_again() {
    let served = served();
    let (buyer, _, request, payment) = pending(&served).await;
    tell(
        &served,
        SECRET,
        now(),
        &event("e1", &payment, 1, "payment.failed"),
    )
    .await
    .done();
    assert_eq!(buyer.told().await.last().unwrap(), "payment_failed");
    let second = buyer.pays(&request).await.id();
    tell(
        &served,
        SECRET,
        now(),
        &event("e2", &second, 1, "payment.succeeded"),
    )
    .await
    .done();
    assert_eq!(buyer.sees(&request).await["request"]["state"], "paid");
}

#[tokio::test]
async fn money_that_comes_after_the_trade_was_called_off_goes_back() {
    let served = served();
    let (buyer, _, request, payment) = pending(&served).await;
    buyer.post(&of(&request, "cancel"), json!({})).await.done();
    let taken = tell(
        &served,
        SECRET,
        now(),
        &event("e1", &payment, 1, "payment.succeeded"),
    )
    .await
    .done();
    assert_eq!(taken.body["state"], "refunded");
    assert_eq!(buyer.told().await.last().unwrap(), "payment_refunded");
    assert_eq!(
        balances(&served).await,
        [("buyer".to_owned(), 0), ("escrow".to_owned(), 0)]
    );
}

#[tokio::test]
async fn without_a_provider_there_is_no_webhook() {
    let served = Served::start(&[]);
    served
        .stranger()
        .post(HOOK, json!({}))
        .await
        .refused(404, "not_found");
}
