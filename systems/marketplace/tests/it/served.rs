//! A running marketplace.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::description::Description;
use crate::person::{Answer, Person};

/// Time limit for every wait in a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
pub(crate) const PASSWORD: &str = "correct horse";
const ADMIN: &str = "admin@market.test";

/// Numbers all users, because several servers may use one database.
static NAMES: AtomicU32 = AtomicU32::new(0);

/// A running marketplace. When dropped, its ledger is checked, and it is killed.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
    pub(crate) http: Client,
    description: OnceLock<Description>,
    folder: Option<TempDir>,
}

impl Served {
    /// Starts a marketplace on a new `SQLite` file.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = format!("sqlite:{}/market.db", folder.path().display());
        let mut served = Self::on(&store, arguments);
        served.folder = Some(folder);
        served
    }

    /// Starts a marketplace on an existing store.
    pub(crate) fn on(store: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_headcount-marketplace"))
            // Flags of a test take precedence over these variables.
            .envs([
                ("HEADCOUNT_LISTEN", "127.0.0.1:0"),
                ("HEADCOUNT_LOG", "warn"),
            ])
            .envs([("MARKETPLACE_STORE", store), ("MARKETPLACE_SYNC", "false")])
            .envs([
                ("MARKETPLACE_ARGON_MEMORY", "64"),
                ("MARKETPLACE_ARGON_PASSES", "1"),
            ])
            .envs([
                ("MARKETPLACE_BCRYPT_COST", "4"),
                ("MARKETPLACE_HASH_QUEUE", "10000"),
            ])
            .envs([
                ("MARKETPLACE_ADMIN_EMAIL", ADMIN),
                ("MARKETPLACE_ADMIN_PASSWORD", PASSWORD),
            ])
            .envs([
                ("MARKETPLACE_SWEEP", "50ms"),
                ("MARKETPLACE_RATE_LIMITS", "*=1000000/1m"),
            ])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ");
        let url = url.expect("the marketplace does not listen").to_owned();
        let http = Client::builder()
            .no_proxy()
            .timeout(PATIENCE)
            .build()
            .unwrap();
        Self {
            child,
            url,
            http,
            description: OnceLock::new(),
            folder: None,
        }
    }

    /// Returns the marketplace's own description.
    pub(crate) async fn description(&self) -> &Description {
        if self.description.get().is_none() {
            let request = self.http.get(format!("{}/openapi.json", self.url));
            let read = request.send().await.unwrap().json().await.unwrap();
            let _ = self.description.set(Description::new(read));
        }
        self.description.get().unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A user who has not logged in.
    pub(crate) fn stranger(&self) -> Person<'_> {
        Person::new(self, String::new(), String::new())
    }

    pub(crate) async fn admin(&self) -> Person<'_> {
        self.login(ADMIN, PASSWORD).await
    }

    pub(crate) async fn buyer(&self) -> Person<'_> {
        self.member("buyer").await
    }

    pub(crate) async fn seller(&self) -> Person<'_> {
        self.member("seller").await
    }

    /// Registers a new user and logs in.
    pub(crate) async fn member(&self, role: &str) -> Person<'_> {
        let number = NAMES.fetch_add(1, Ordering::Relaxed);
        let id = std::process::id();
        let email = format!("{role}-{number}-{id}@market.test");
        let body = json!({ "email": email, "password": PASSWORD, "name": role, "role": role });
        let made = self.stranger().post("/api/auth/register", body).await;
        assert_eq!(made.status, 201, "{made:?}");
        self.login(&email, PASSWORD).await
    }

    pub(crate) async fn login(&self, email: &str, password: &str) -> Person<'_> {
        let body = json!({ "email": email, "password": password });
        let session = self.stranger().post("/api/auth/login", body).await;
        assert_eq!(session.status, 200, "{session:?}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut person = Person::new(
            self,
            text(&session.body["accessToken"]),
            text(&session.body["user"]["id"]),
        );
        person.refresh = text(&session.body["refreshToken"]);
        person
    }

    pub(crate) async fn health(&self) -> Value {
        let request = self.http.get(format!("{}/healthz", self.url));
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Kills the process as a power failure would. The stored data remains.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM to the process and waits for its end. Returns whether it succeeded.
    pub(crate) fn terminate(mut self) -> bool {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().success()
    }

    /// Fetches the ledger over a plain socket, because the runtime and its connections may already be gone.
    fn ledger(&self) -> Value {
        let body = json!({ "email": ADMIN, "password": PASSWORD }).to_string();
        let session = self.plainly("POST /api/auth/login", "", &body);
        let token = session["accessToken"].as_str().unwrap();
        self.plainly("GET /api/admin/ledger", token, "")
    }

    fn plainly(&self, what: &str, token: &str, body: &str) -> Value {
        let bearer = if token.is_empty() {
            String::new()
        } else {
            format!("authorization: Bearer {token}\r\n")
        };
        let request = format!(
            "{what} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{bearer}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = self.raw(&request);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
    }

    /// Sends these bytes and returns the response.
    pub(crate) fn raw(&self, request: &str) -> String {
        let address = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // If the request is refused early, the connection may close before everything is written.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let runs = matches!(self.child.try_wait(), Ok(None));
        let ledger = (runs && !std::thread::panicking()).then(|| self.ledger());
        let _ = self.child.kill();
        let _ = self.child.wait();
        drop(self.folder.take());
        if let Some(ledger) = ledger {
            assert_eq!(ledger["balanced"], true, "{ledger}");
        }
    }
}

/// Checks a response against the description of its operation.
pub(crate) async fn described(served: &Served, method: &str, path: &str, answer: &Answer) {
    served.description().await.check(method, path, answer);
}

/// Returns the contents of all files of a database, including its log.
pub(crate) fn all_files(folder: &std::path::Path) -> String {
    let mut kept = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        kept.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    String::from_utf8_lossy(&kept).into_owned()
}
