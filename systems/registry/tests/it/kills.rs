//! Redis, NATS and the registry are killed and restarted under load: nothing that was acknowledged is lost, and the
//! registry recovers by itself. `REGISTRY_KILLS` is the number of kills of each.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use crate::served::{Backends, PATIENCE, Served};

const KEEPERS: [&str; 3] = ["keeper-0", "keeper-1", "keeper-2"];
/// Number of senders that call the registry at the same time.
const SENDERS: usize = 4;
/// Time for which a server is down.
const DOWN: Duration = Duration::from_millis(150);
/// Number of acknowledged multicasts before the first kill, and after each.
const PROGRESS: usize = 40;
/// A kept message is sent again soon.
const SOON: [&str; 2] = ["--ack-timeout", "300ms"];

fn kills() -> usize {
    std::env::var("REGISTRY_KILLS").map_or(2, |count| count.parse().unwrap())
}

/// What the registry has acknowledged to the senders, and what the receivers have.
#[derive(Default)]
struct Known {
    identities: BTreeSet<String>,
    messages: BTreeSet<String>,
    /// Requests that failed. They may have had an effect.
    failed: usize,
    received: [BTreeSet<String>; KEEPERS.len()],
}

/// The load on a registry whose URL changes when it restarts.
#[derive(Clone)]
struct Load {
    http: Client,
    url: watch::Receiver<String>,
    known: Arc<Mutex<Known>>,
}

impl Load {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }

    fn url(&self) -> String {
        self.url.borrow().clone()
    }

    /// Calls an operation. `None` if it fails.
    async fn call(&self, operation: &str, body: Value) -> Option<Value> {
        let url = format!("{}/v1/default/{operation}", self.url());
        let answer = self.http.post(url).json(&body).send().await.ok()?;
        let answer = answer.error_for_status().ok()?;
        answer.json().await.ok()
    }

    /// Registers identities and sends messages to all keepers.
    async fn send(self, sender: usize) {
        for n in 0.. {
            let identity = format!("i{sender}-{n}");
            let registered = self.call("register", json!({ "identity": identity }));
            if registered.await.is_some() {
                self.known().identities.insert(identity);
            } else {
                self.known().failed += 1;
            }
            let body = json!({
                "identities": KEEPERS, "payload": n, "delivery": "at_least_once", "timeout_ms": 0,
            });
            match self.call("multicast", body).await {
                Some(answer) => {
                    assert_eq!(answer["failed_count"], 0, "{answer}");
                    let id = answer["message_id"].as_str().unwrap().to_owned();
                    self.known().messages.insert(id);
                }
                None => self.known().failed += 1,
            }
            sleep(Duration::from_millis(2)).await;
        }
    }

    /// Acknowledges all messages to one keeper. Connects again whenever its connection ends.
    async fn receive(self, keeper: usize) {
        loop {
            let address = self.url().replace("http://", "ws://");
            let identity = KEEPERS[keeper];
            let url = format!("{address}/v1/default/inbox/ws?identity={identity}");
            if let Ok((mut socket, _)) = connect_async(url).await {
                while let Some(Ok(message)) = socket.next().await {
                    let Message::Text(text) = message else {
                        continue;
                    };
                    let message: Value = serde_json::from_str(&text).unwrap();
                    let Some(id) = message["id"].as_str() else {
                        continue;
                    };
                    self.known().received[keeper].insert(id.to_owned());
                    let ack = json!({ "type": "ack", "ids": [id] }).to_string();
                    // If it is lost, the message comes again.
                    let _ = socket.send(Message::text(ack)).await;
                }
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a number has grown to `wanted`.
    async fn until(&self, what: &str, wanted: usize, number: impl Fn(&Known) -> usize) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = number(&self.known());
            if found >= wanted {
                return;
            }
            assert!(Instant::now() < deadline, "{found} of {wanted} {what}");
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until more multicasts are acknowledged.
    async fn goes_on(&self) {
        let wanted = self.known().messages.len() + PROGRESS;
        let messages = |known: &Known| known.messages.len();
        self.until("multicasts are acknowledged", wanted, messages)
            .await;
    }

    /// Checks that every keeper gets all acknowledged messages, and that all identities are registered.
    async fn has_lost_nothing(&self) {
        let messages = self.known().messages.clone();
        for keeper in 0..KEEPERS.len() {
            let received = |known: &Known| messages.intersection(&known.received[keeper]).count();
            self.until("messages are received", messages.len(), received)
                .await;
        }
        let all = json!({ "limit": 10_000, "include_metadata": false });
        let answer = self.call("enumerate", all).await.unwrap();
        let found: BTreeSet<String> = crate::served::names(&answer).into_iter().collect();
        let known = self.known();
        let lost: Vec<_> = known.identities.difference(&found).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}

/// Loads the registry at `url` while `restart` kills and restarts a server, and returns the registry's URL.
async fn nothing_is_lost(url: String, mut restart: impl FnMut() -> String) {
    let http = Client::builder()
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .unwrap();
    let (url, seen) = watch::channel(url);
    let load = Load {
        http,
        url: seen,
        known: Arc::default(),
    };
    for keeper in KEEPERS {
        let body = json!({ "identity": keeper });
        load.call("register", body).await.unwrap();
    }
    let receivers = 0..KEEPERS.len();
    let receivers: Vec<_> = receivers
        .map(|keeper| tokio::spawn(load.clone().receive(keeper)))
        .collect();
    let senders: Vec<JoinHandle<()>> = (0..SENDERS)
        .map(|sender| tokio::spawn(load.clone().send(sender)))
        .collect();
    for _ in 0..kills() {
        load.goes_on().await;
        url.send_replace(restart());
    }
    load.goes_on().await;
    for sender in senders {
        sender.abort();
        assert!(sender.await.unwrap_err().is_cancelled(), "a sender failed");
    }
    load.has_lost_nothing().await;
    for receiver in receivers {
        receiver.abort();
    }
    let known = load.known();
    let (messages, failed) = (known.messages.len(), known.failed);
    println!("{messages} acknowledged messages, {failed} failed requests");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedded_registry_is_killed_under_load() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}/registry.db", folder.path().display());
    let start = || Served::on(&store, &SOON);
    let mut served = Some(start());
    let url = served.as_ref().unwrap().url.clone();
    let restart = || {
        served.take().unwrap().kill();
        thread::sleep(DOWN);
        served.insert(start()).url.clone()
    };
    nothing_is_lost(url, restart).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_registry_on_redis_and_nats_is_killed_under_load() {
    let backends = Backends::start();
    let mut served = Some(backends.instance(&SOON));
    let url = served.as_ref().unwrap().url.clone();
    let restart = || {
        served.take().unwrap().kill();
        thread::sleep(DOWN);
        served.insert(backends.instance(&SOON)).url.clone()
    };
    nothing_is_lost(url, restart).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_is_killed_under_load() {
    let mut backends = Backends::start();
    let served = backends.instance(&SOON);
    let restart = || {
        backends.redis.kill();
        thread::sleep(DOWN);
        backends.redis.restart();
        served.url.clone()
    };
    nothing_is_lost(served.url.clone(), restart).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nats_is_killed_under_load() {
    let mut backends = Backends::start();
    let served = backends.instance(&SOON);
    let restart = || {
        backends.nats.kill();
        thread::sleep(DOWN);
        backends.nats.restart();
        served.url.clone()
    };
    nothing_is_lost(served.url.clone(), restart).await;
}
