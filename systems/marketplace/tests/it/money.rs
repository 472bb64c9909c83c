//! Disputes and refunds, and the accounts to which their money goes.

use serde_json::json;

use crate::person::{balances, of, paid};
use crate::served::Served;

fn amounts(list: &[(&str, i64)]) -> Vec<(String, i64)> {
    list.iter()
        .map(|(account, amount)| ((*account).to_owned(), *amount))
        .collect()
}

#[tokio::test]
async fn a_refund_gives_everything_back_once() {
    let served = Served::start(&[]);
    let (buyer, seller, request) = paid(&served, 1_000).await;
    buyer
        .post(&of(&request, "refund"), json!({}))
        .await
        .refused(403, "forbidden");
    seller.post(&of(&request, "refund"), json!({})).await.done();
    seller
        .post(&of(&request, "refund"), json!({}))
        .await
        .refused(409, "illegal_step");
    assert_eq!(
        balances(&served).await,
        amounts(&[("buyer", 0), ("escrow", 0)])
    );
    assert_eq!(buyer.sees(&request).await["payment"]["state"], "refunded");
    assert_eq!(buyer.sees(&request).await["delivery"]["state"], "stopped");
}

#[tokio::test]
async fn an_admin_decides_a_dispute_in_each_of_three_ways() {
    let served = Served::start(&["--fee", "1000"]);
    let admin = served.admin().await;
    let ways = [
        (json!({ "resolution": "release" }), "completed", "released"),
        (json!({ "resolution": "refund" }), "refunded", "refunded"),
        (
            json!({ "resolution": "split", "refundAmount": 400 }),
            "completed",
            "split",
        ),
    ];
    for (decision, request_state, payment_state) in ways {
        let (buyer, seller, request) = paid(&served, 1_000).await;
        let resolve = of(&request, "dispute/resolve");
        admin
            .post(&resolve, decision.clone())
            .await
            .refused(409, "illegal_step");
        let reason = json!({ "reason": "It is red" });
        buyer.post(&of(&request, "dispute"), reason).await.done();
        seller.ships(&request).await.refused(409, "illegal_step");
        seller
            .post(&resolve, decision.clone())
            .await
            .refused(403, "forbidden");
        admin.post(&resolve, decision).await.done();
        let seen = buyer.sees(&request).await;
        assert_eq!(seen["request"]["state"], request_state);
        assert_eq!(seen["payment"]["state"], payment_state);
        assert_eq!(seller.told().await.last().unwrap(), "dispute_resolved");
    }
    let all = [
        ("buyer", -1_600),
        ("escrow", 0),
        ("fee", 160),
        ("seller", 1_440),
    ];
    assert_eq!(balances(&served).await, amounts(&all));
}

#[tokio::test]
async fn a_refund_ends_the_dispute_and_both_sides_hear_of_it() {
    let served = Served::start(&[]);
    let admin = served.admin().await;
    for by_admin in [true, false] {
        let (buyer, seller, request) = paid(&served, 1_000).await;
        let reason = json!({ "reason": "It is red" });
        buyer.post(&of(&request, "dispute"), reason).await.done();
        let who = if by_admin { &admin } else { &seller };
        who.post(&of(&request, "refund"), json!({})).await.done();
        let dispute = buyer.sees(&request).await["dispute"].clone();
        assert_eq!(dispute["resolution"], "refund");
        assert_eq!(dispute["refunded"], 1_000);
        assert!(dispute["resolvedAt"].is_string(), "{dispute}");
        assert_eq!(buyer.told().await.last().unwrap(), "payment_refunded");
        let told = seller.told().await.last().unwrap() == "payment_refunded";
        assert_eq!(told, by_admin, "who did it needs not be told");
    }
}

#[tokio::test]
async fn the_fee_is_the_one_of_when_it_was_paid() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("m.db").display());
    let served = Served::on(&store, &["--fee", "1000"]);
    let (buyer, seller, request) = paid(&served, 1_000).await;
    seller.ships(&request).await.done();
    let token = buyer.token.clone();
    assert!(served.terminate());
    let served = Served::on(&store, &["--fee", "5000"]);
    let mut buyer = served.stranger();
    buyer.token = token;
    buyer.confirms(&request).await.done();
    let all = [
        ("buyer", -1_000),
        ("escrow", 0),
        ("fee", 100),
        ("seller", 900),
    ];
    assert_eq!(balances(&served).await, amounts(&all));
}

#[tokio::test]
async fn a_split_is_less_than_the_whole() {
    let served = Served::start(&[]);
    let admin = served.admin().await;
    let (_, seller, request) = paid(&served, 1_000).await;
    seller
        .post(&of(&request, "dispute"), json!({ "reason": "Not paid?" }))
        .await
        .done();
    for wrong in [
        json!({ "resolution": "split" }),
        json!({ "resolution": "split", "refundAmount": 1_000 }),
        json!({ "resolution": "refund", "refundAmount": 10 }),
    ] {
        admin
            .post(&of(&request, "dispute/resolve"), wrong)
            .await
            .refused(400, "invalid_field");
    }
}
