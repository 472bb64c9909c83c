//! Idempotency keys: a repeated write with the same key is executed once and gets the same response.

use futures_util::future::join_all;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::person::{REQUESTS, of};
use crate::served::{PASSWORD, Served, all_files};

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
async fn strangers_do_not_get_into_each_others_way_by_their_keys() {
    let served = Served::start(&[]);
    let body = |name: &str| json!({ "email": format!("{name}@x"), "password": PASSWORD, "name": name, "role": "buyer" });
    let stranger = served.stranger();
    let register = async |name: &str| {
        stranger
            .post_once("1", "/api/auth/register", body(name))
            .await
    };
    let (ada, bob) = (register("ada").await.done(), register("bob").await.done());
    assert_ne!(ada.body["id"], bob.body["id"]);
    assert_eq!(register("ada").await.done().body, ada.body);
}

#[tokio::test]
async fn nothing_is_kept_against_which_a_password_could_be_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("m.db").display());
    let served = Served::on(&store, &[]);
    let body = json!({ "email": "ada@x", "password": PASSWORD, "name": "Ada", "role": "buyer" });
    let (key, path) = ("a-key-that-nobody-guesses", "/api/auth/register");
    served
        .stranger()
        .post_once(key, path, body.clone())
        .await
        .done();
    assert!(served.terminate());
    let kept = all_files(folder.path());
    assert!(kept.contains("ada@x") && !kept.contains(key) && !kept.contains(PASSWORD));
    // An attacker who can read the database knows the operation and the path, and can guess the body. Their hash must
    // not be stored.
    for end in [&b"\0"[..], b""] {
        let mut hash = Sha256::new();
        for part in ["auth.register", path, &body.to_string()] {
            hash.update(part.as_bytes());
            hash.update(end);
        }
        assert!(!kept.contains(&format!("{:x}", hash.finalize())));
    }
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
