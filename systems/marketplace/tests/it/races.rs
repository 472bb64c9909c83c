//! Actions that may succeed only once, tried by many users at the same time.

use futures_util::future::join_all;
use serde_json::json;

use crate::person::{Answer, balances, of, paid};
use crate::served::Served;

/// Asserts that exactly one request succeeded and the others were refused as conflicts.
fn one_won(answers: &[Answer]) {
    let done = answers.iter().filter(|answer| answer.status < 300).count();
    let conflicts = answers.iter().filter(|answer| answer.status == 409).count();
    assert_eq!((done, conflicts), (1, answers.len() - 1), "{answers:?}");
}

/// Tries selection, payment and confirmation many times concurrently.
pub(crate) async fn nothing_happens_twice(served: &Served) {
    let buyer = served.buyer().await;
    let mut sellers = Vec::new();
    for _ in 0..4 {
        sellers.push(served.seller().await);
    }
    for _ in 0..3 {
        let request = buyer.asks().await;
        let offers = join_all(sellers.iter().map(|seller| seller.offers(&request, 1_000))).await;
        // The buyer selects two of the offers while two sellers accept counter-offers.
        for offer in &offers[2..] {
            let counter = json!({ "price": { "amount": 900, "currency": "EUR" } });
            buyer
                .post(&of(&request, &format!("offers/{offer}/counter")), counter)
                .await
                .done();
        }
        let accept = |n: usize| {
            let path = of(&request, &format!("offers/{}/accept", offers[n]));
            let seller = &sellers[n];
            async move { seller.post(&path, json!({})).await }
        };
        let (mut answers, accepted) = tokio::join!(
            join_all([0, 1, 0, 1].map(|n: usize| buyer.selects(&request, &offers[n]))),
            join_all([2, 3, 2, 3].map(accept)),
        );
        answers.extend(accepted);
        one_won(&answers);

        one_won(&join_all((0..8).map(|_| buyer.pays(&request))).await);
        let seen = buyer.sees(&request).await;
        let selected = seen["request"]["selectedOfferId"].as_str().unwrap();
        let winner = &sellers[offers.iter().position(|offer| offer == selected).unwrap()];
        one_won(&join_all((0..8).map(|_| winner.ships(&request))).await);
        one_won(&join_all((0..8).map(|_| buyer.confirms(&request))).await);
    }
}

#[tokio::test]
async fn two_sellers_a_second_payment_and_a_second_confirmation_lose() {
    let served = Served::start(&["--threads", "2"]);
    nothing_happens_twice(&served).await;
}

#[tokio::test]
async fn of_confirmation_and_refund_at_once_one_moves_the_money() {
    let served = Served::start(&["--threads", "2"]);
    for _ in 0..5 {
        let (buyer, seller, request) = paid(&served, 1_000).await;
        seller.ships(&request).await.done();
        let refund = of(&request, "refund");
        let (confirmed, refunded) =
            tokio::join!(buyer.confirms(&request), seller.post(&refund, json!({})));
        one_won(&[confirmed, refunded]);
    }
    let escrow = balances(&served)
        .await
        .into_iter()
        .find(|(account, _)| account == "escrow");
    assert_eq!(escrow, Some(("escrow".to_owned(), 0)));
}

#[tokio::test]
async fn many_at_once_with_one_address_make_one_account() {
    let served = Served::start(&["--threads", "2"]);
    let body =
        json!({ "email": "one@x.test", "password": "a password", "name": "One", "role": "buyer" });
    let stranger = served.stranger();
    let tried = (0..16).map(|_| stranger.post("/api/auth/register", body.clone()));
    one_won(&join_all(tried).await);
}

#[tokio::test]
async fn of_many_refreshes_with_one_token_at_most_one_gets_new_ones() {
    let served = Served::start(&["--threads", "2"]);
    let buyer = served.buyer().await;
    let body = json!({ "refreshToken": buyer.refresh });
    let stranger = served.stranger();
    let tried = join_all((0..8).map(|_| stranger.post("/api/auth/refresh", body.clone()))).await;
    assert_eq!(
        tried.iter().filter(|answer| answer.status == 200).count(),
        1,
        "{tried:?}"
    );
}

#[tokio::test]
async fn thirty_two_trades_at_once_all_succeed() {
    let served = Served::start(&["--threads", "2"]);
    let trade = async || {
        let (buyer, seller, request) = paid(&served, 1_000).await;
        seller.ships(&request).await.done();
        buyer.confirms(&request).await.done();
        assert_eq!(
            seller.told().await,
            ["offer_accepted", "payment_received", "delivery_confirmed"]
        );
    };
    join_all((0..32).map(|_| trade())).await;
    let all = [
        ("buyer", -32_000),
        ("escrow", 0),
        ("fee", 800),
        ("seller", 31_200),
    ];
    assert_eq!(
        balances(&served).await,
        all.map(|(account, amount)| (account.to_owned(), amount))
    );
}
