//! A running registry.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kit::testing::{Nats, Redis};
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// Time limit for every wait in a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A running registry, killed when dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
    pub(crate) http: Client,
    _folder: Option<TempDir>,
}

/// Redis and NATS for instances that share them.
pub(crate) struct Backends {
    pub(crate) redis: Redis,
    pub(crate) nats: Nats,
}

impl Backends {
    pub(crate) fn start() -> Self {
        Self {
            redis: Redis::start(),
            nats: Nats::start(),
        }
    }

    /// Starts an instance.
    pub(crate) fn instance(&self, arguments: &[&str]) -> Served {
        let (redis, nats) = (self.redis.url(), self.nats.url());
        Served::run(
            &with(&["--redis", &redis, "--nats", &nats], arguments),
            None,
        )
    }
}

impl Served {
    /// Starts a registry with the embedded backend on a new file.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = format!("sqlite:{}/registry.db", folder.path().display());
        Self::run(&with(&["--store", &store], arguments), Some(folder))
    }

    /// Starts a registry with the embedded backend on an existing store.
    pub(crate) fn on(store: &str, arguments: &[&str]) -> Self {
        Self::run(&with(&["--store", store], arguments), None)
    }

    fn run(arguments: &[&str], folder: Option<TempDir>) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_headcount-registry"))
            // Flags of a test take precedence over these variables.
            .envs([
                ("HEADCOUNT_LISTEN", "127.0.0.1:0"),
                ("HEADCOUNT_LOG", "warn"),
            ])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ");
        let url = url.expect("the registry does not listen").to_owned();
        let http = Client::builder()
            .no_proxy()
            .timeout(PATIENCE)
            .build()
            .unwrap();
        Self {
            child,
            url,
            http,
            _folder: folder,
        }
    }

    /// The id of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process, as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    /// Asks the process to stop, and waits until it has ended.
    pub(crate) async fn stop(mut self) {
        let pid = i32::try_from(self.child.id()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let ended = tokio::task::spawn_blocking(move || self.child.wait().unwrap());
        assert!(ended.await.unwrap().success());
    }

    fn end(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Calls an operation of a namespace with a token.
    pub(crate) async fn call(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let request = self.http.post(format!("{}/v1/{path}", self.url));
        let request = request.bearer_auth(token).json(body);
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap())
    }

    /// Calls an operation of the default namespace.
    pub(crate) async fn post(&self, operation: &str, body: Value) -> (u16, Value) {
        self.call(&format!("default/{operation}"), "", &body).await
    }

    /// Calls an operation of the default namespace, which must succeed.
    pub(crate) async fn done(&self, operation: &str, body: Value) -> Value {
        let (status, answer) = self.post(operation, body).await;
        assert_eq!(status, 200, "{operation}: {answer}");
        answer
    }

    /// Calls an operation of the default namespace, which must fail. Returns the status and the code.
    pub(crate) async fn refused(&self, operation: &str, body: Value) -> (u16, String) {
        let (status, answer) = self.post(operation, body).await;
        let code = answer["error"]["code"].as_str().unwrap_or_default();
        (status, code.to_owned())
    }

    /// Registers an identity without a time to live.
    pub(crate) async fn register(&self, identity: &str, metadata: Value) {
        let body = json!({ "identity": identity, "metadata": metadata });
        self.done("register", body).await;
    }

    /// The identities that a filter finds.
    pub(crate) async fn found(&self, filter: Value) -> Vec<String> {
        let answer = self.done("enumerate", json!({ "filter": filter })).await;
        names(&answer)
    }

    /// Waits until the registry has exactly these identities.
    pub(crate) async fn shows(&self, expected: &[&str]) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.found(json!({})).await;
            if found == expected {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{found:?} instead of {expected:?}"
            );
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// The value of a metric, or the sum over its labels.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let text = self.http.get(format!("{}/metrics", self.url)).send();
        let text = text.await.unwrap().text().await.unwrap();
        let lines = text.lines().filter(|line| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with([' ', '{']))
        });
        lines
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap())
            .sum()
    }
}

fn with<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

/// The identities in a response.
pub(crate) fn names(answer: &Value) -> Vec<String> {
    let listed = answer["identities"].as_array().unwrap().iter();
    listed
        .map(|found| found["identity"].as_str().unwrap().to_owned())
        .collect()
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}
