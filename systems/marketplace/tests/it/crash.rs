//! The process is killed repeatedly under load. Acknowledged writes are kept. All other writes are applied either
//! completely or not at all.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::person::{REQUESTS, of};
use crate::served::{PASSWORD, Served};

/// Number of concurrent trades.
const TRADES: usize = 8;

/// The requests whose payment or completion was acknowledged.
#[derive(Default)]
struct Answered {
    paid: Vec<String>,
    completed: Vec<String>,
}

/// Set to stop the load. Otherwise, the load would continue forever if the store recovers before a request fails.
type Over = AtomicBool;

/// A user whose server may have been killed. The user's calls then return `None`.
struct Caller {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Caller {
    async fn login(url: &str, email: &str) -> Option<Self> {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut caller = Self {
            http,
            url: url.to_owned(),
            token: String::new(),
        };
        let session = caller
            .post(
                "/api/auth/login",
                json!({ "email": email, "password": PASSWORD }),
            )
            .await?;
        caller.token = session["accessToken"].as_str()?.to_owned();
        Some(caller)
    }

    async fn post(&self, path: &str, body: Value) -> Option<Value> {
        let request = self
            .http
            .post(format!("{}{path}", self.url))
            .bearer_auth(&self.token);
        let answer = request.json(&body).send().await.ok()?;
        let status = answer.status();
        if status == 503 {
            return None;
        }
        let body: Value = answer.json().await.ok()?;
        assert!(status.is_success(), "{path}: {body}");
        Some(body)
    }
}

/// Registers all users of the trades.
async fn register(served: &Served) {
    for n in 0..TRADES {
        for role in ["buyer", "seller"] {
            let email = format!("{role}{n}@x");
            let body = json!({ "email": email, "password": PASSWORD, "name": "x", "role": role });
            served
                .stranger()
                .post("/api/auth/register", body)
                .await
                .done();
        }
    }
}

/// Logs in all users. Returns pairs of a buyer and a seller.
async fn pairs(url: &str) -> Vec<(Caller, Caller)> {
    let mut pairs = Vec::new();
    for n in 0..TRADES {
        let buyer = Caller::login(url, &format!("buyer{n}@x")).await;
        let seller = Caller::login(url, &format!("seller{n}@x")).await;
        pairs.push((buyer.unwrap(), seller.unwrap()));
    }
    pairs
}

/// Trades until the server fails or `over` is set.
async fn trade_on(
    (buyer, seller): &(Caller, Caller),
    answered: &Mutex<Answered>,
    over: &Over,
) -> Option<()> {
    while !over.load(Ordering::Relaxed) {
        let request = buyer
            .post(REQUESTS, json!({ "title": "x", "currency": "EUR" }))
            .await?;
        let id = request["id"].as_str()?.to_owned();
        let price = json!({ "price": { "amount": 1_001, "currency": "EUR" } });
        let offer = seller.post(&of(&id, "offers"), price).await?;
        let offer = offer["id"].as_str()?;
        buyer
            .post(&of(&id, &format!("offers/{offer}/select")), json!({}))
            .await?;
        buyer.post(&of(&id, "status/payment"), json!({})).await?;
        answered.lock().unwrap().paid.push(id.clone());
        seller
            .post(&of(&id, "delivery"), json!({ "status": "delivered" }))
            .await?;
        buyer.post(&of(&id, "delivery/confirm"), json!({})).await?;
        answered.lock().unwrap().completed.push(id);
    }
    Some(())
}

/// Waits until this number of further trades is completed. On a machine of any speed, other trades are then in
/// progress.
async fn under_way(answered: &Mutex<Answered>, trades: usize) {
    let completed = || answered.lock().unwrap().completed.len();
    let (begun, deadline) = (completed(), Instant::now() + crate::served::PATIENCE);
    while completed() < begun + trades {
        assert!(
            Instant::now() < deadline,
            "only {} trades",
            completed() - begun
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Kills the server `rounds` times under load on one store.
pub(crate) async fn survives_kills(store: &str, rounds: usize) {
    let (answered, over) = (Mutex::new(Answered::default()), Over::default());
    let served = Served::on(store, &[]);
    register(&served).await;
    drop(served);
    for round in 0..rounds {
        let served = Served::on(store, &["--threads", "2"]);
        let pairs = pairs(&served.url).await;
        let load = join_all(pairs.iter().map(|pair| trade_on(pair, &answered, &over)));
        let kill = async {
            under_way(&answered, 3 + round).await;
            tokio::task::spawn_blocking(move || served.kill())
                .await
                .unwrap();
        };
        tokio::join!(load, kill);
    }
    check(store, &answered.into_inner().unwrap()).await;
}

/// Checks that no acknowledged write is missing, and that each was notified once.
async fn check(store: &str, answered: &Answered) {
    assert!(
        answered.completed.len() > TRADES,
        "only {} trades",
        answered.completed.len()
    );
    let served = Served::on(store, &[]);
    let ledger = served.admin().await.get("/api/admin/ledger").await.done();
    assert_eq!(ledger.body["balanced"], true, "{}", ledger.body);
    let mut paid = BTreeSet::new();
    let mut confirmed = BTreeSet::new();
    for n in 0..TRADES {
        let seller = served.login(&format!("seller{n}@x"), PASSWORD).await;
        let mut before = String::new();
        let mut sequences = Vec::new();
        loop {
            let page = seller
                .get(&format!("/api/notifications?limit=100{before}"))
                .await
                .done()
                .body;
            for item in page["items"].as_array().unwrap() {
                sequences.push(item["sequence"].as_i64().unwrap());
                let request = item["requestId"].as_str().unwrap().to_owned();
                match item["kind"].as_str().unwrap() {
                    "payment_received" => assert!(paid.insert(request), "told twice"),
                    "delivery_confirmed" => assert!(confirmed.insert(request), "told twice"),
                    _ => {}
                }
            }
            let Some(next) = page["next"].as_i64() else {
                break;
            };
            before = format!("&before={next}");
        }
        let all: Vec<i64> = (1..=i64::try_from(sequences.len()).unwrap())
            .rev()
            .collect();
        assert_eq!(sequences, all, "the list of seller {n} has a gap");
    }
    assert!(
        answered.paid.iter().all(|request| paid.contains(request)),
        "a payment was not told"
    );
    assert!(
        answered
            .completed
            .iter()
            .all(|request| confirmed.contains(request)),
        "a confirmation was not told"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_under_load_loses_no_money_and_no_notification_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("m.db").display());
    survives_kills(&store, 6).await;
}
/// Kills the database under load, while the server continues.
pub(crate) async fn survives_the_stores_kill(store: &str, crash: impl FnOnce() + Send + 'static) {
    let (answered, over) = (Mutex::new(Answered::default()), Over::default());
    let served = Served::on(store, &["--threads", "2"]);
    register(&served).await;
    let pairs = pairs(&served.url).await;
    let load = join_all(pairs.iter().map(|pair| trade_on(pair, &answered, &over)));
    let killer = async {
        under_way(&answered, 2 * TRADES).await;
        tokio::task::spawn_blocking(crash).await.unwrap();
        over.store(true, Ordering::Relaxed);
    };
    tokio::join!(load, killer);
    // The same server reconnects to its database without a restart.
    let deadline = Instant::now() + crate::served::PATIENCE;
    while Caller::login(&served.url, "buyer0@x").await.is_none() {
        assert!(Instant::now() < deadline, "the database is not found again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(served);
    check(store, &answered.into_inner().unwrap()).await;
}
