//! Passwords: hashing is slow by design, and must not slow down other requests.

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::Instant;

use crate::person::Answer;
use crate::served::{PASSWORD, Served};

/// Logs in many times concurrently.
async fn logins(served: &Served, count: usize) -> Vec<Answer> {
    let body = json!({ "email": "admin@market.test", "password": PASSWORD });
    let stranger = served.stranger();
    join_all((0..count).map(|_| stranger.post("/api/auth/login", body.clone()))).await
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_and_says_when_to_come_again() {
    let served = Served::start(&[
        "--hash",
        "bcrypt",
        "--bcrypt-cost",
        "11",
        "--hash-threads",
        "1",
        "--hash-queue",
        "4",
    ]);
    let answers = logins(&served, 40).await;
    let (done, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert!((4..40).contains(&done.len()), "{} were done", done.len());
    for answer in refused {
        answer.refused(503, "hashing_full");
        let seconds: u64 = answer.headers["retry-after"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!((1..=60).contains(&seconds));
    }
}

#[tokio::test]
async fn while_all_threads_hash_other_requests_go_on() {
    let served = Served::start(&[
        "--hash",
        "bcrypt",
        "--bcrypt-cost",
        "11",
        "--hash-threads",
        "2",
    ]);
    let buyer = served.buyer().await;
    let begun = Instant::now();
    let others = async {
        for _ in 0..30 {
            buyer.get("/api/users/me").await.done();
        }
        begun.elapsed()
    };
    let hashes = async { (logins(&served, 24).await, begun.elapsed()) };
    let ((answers, hashed), others) = tokio::join!(hashes, others);
    assert!(answers.iter().all(|answer| answer.status == 200));
    // Thirty sequential requests during 24 hashes. The study measures how long each request takes.
    assert!(others * 2 < hashed, "{others:?} beside {hashed:?}");
}

#[tokio::test]
async fn the_queue_holds_what_is_hashed_within_the_bearable_time() {
    let served = Served::start(&[
        "--hash-queue",
        "0",
        "--hash",
        "bcrypt",
        "--bcrypt-cost",
        "10",
        "--hash-threads",
        "2",
        "--hash-wait",
        "1s",
    ]);
    let hashing = served.health().await["hashing"].clone();
    assert_eq!(hashing["threads"], 2);
    assert_eq!(hashing["scheme"], "bcrypt cost 10");
    let (cost, queue) = (
        hashing["cost_ms"].as_f64().unwrap().max(1.0),
        hashing["queue"].as_f64().unwrap(),
    );
    let cores = std::thread::available_parallelism().unwrap().get().min(2);
    let most = 1_000.0 / cost * cores as f64 + 4.0;
    assert!(queue <= most, "{hashing}");
}

#[tokio::test]
async fn nobody_waits_much_longer_than_the_bearable_time_when_hashing_has_become_slower() {
    let wait = [
        "--hash-queue",
        "0",
        "--hash-wait",
        "1s",
        "--hash-threads",
        "1",
    ];
    let hash = ["--hash", "bcrypt", "--bcrypt-cost", "4"];
    // The queue length follows from a hash of cost 4, but the stored passwords have cost 12, which takes about 200
    // times as long.
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}/m.db", folder.path().display());
    let dear = Served::on(&store, &["--hash", "bcrypt", "--bcrypt-cost", "12"]);
    assert!(dear.terminate());
    let served = Served::on(&store, &[wait.as_slice(), &hash].concat());
    let begun = Instant::now();
    let answers = logins(&served, 40).await;
    let took = begun.elapsed();
    let refused: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status != 200)
        .collect();
    assert!(!refused.is_empty(), "40 logins of cost 12 in {took:?}");
    for answer in refused {
        answer.refused(503, "hashing_full");
        assert!(answer.headers.contains_key("retry-after"));
    }
    // The limit is 1.25 s, plus the delay of a busy machine. Hashing all passwords would take about ten seconds.
    assert!(took < std::time::Duration::from_secs(5), "{took:?}");
}

#[tokio::test]
async fn an_old_hash_is_accepted_and_renewed_at_the_next_login() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.db");
    let store = format!("sqlite:{}", file.display());
    let kept = || crate::served::all_files(folder.path());
    let served = Served::on(&store, &["--hash", "bcrypt"]);
    assert!(served.terminate());
    assert!(kept().contains("$2b$04$"));
    let served = Served::on(&store, &[]);
    served.admin().await;
    assert!(served.terminate());
    assert!(kept().contains("$argon2id$v=19$m=64,t=1,p=1$"));
    let served = Served::on(&store, &["--hash", "bcrypt"]);
    served.admin().await;
}
