//! The editor as a separate process.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Time limit for a script, in seconds.
const PATIENCE: &str = "90";

/// A running editor. Killed when dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_headcount-editor"))
            .args(["--listen", "127.0.0.1:0", "--log", "warn"])
            .env("EDITOR_STORE", "sqlite::memory:")
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap();
        Self {
            child,
            url: url.to_owned(),
        }
    }

    /// Returns one metric of `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let answer = self.read("/metrics");
        let line = answer.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse().unwrap()
    }

    /// Resident memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        kit::testing::hostile::resident(self.pid())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the JSON at a path.
    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = self.read(path);
        serde_json::from_str(answer.lines().last().unwrap()).unwrap()
    }

    fn read(&self, path: &str) -> String {
        self.ask("GET", path)
    }

    /// Sends a request and returns the response with its head.
    pub(crate) fn ask(&self, method: &str, path: &str) -> String {
        self.tell(method, path, "")
    }

    /// Sends a request with a body and returns the response with its head.
    pub(crate) fn tell(&self, method: &str, path: &str, body: &str) -> String {
        self.begin(method, path, body).answer()
    }

    /// Sends the request without waiting for the response.
    pub(crate) fn begin(&self, method: &str, path: &str, body: &str) -> Asked {
        let address = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        // If the request is refused early, the connection may be closed already.
        let _ = stream.write_all(request.as_bytes());
        Asked(stream)
    }

    /// Kills the editor with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the editor. It must exit with success.
    pub(crate) fn stop(mut self) {
        self.ask_to_stop();
        self.ends_well();
    }

    /// Sends SIGTERM, without waiting for the end.
    pub(crate) fn ask_to_stop(&self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    /// Waits until the editor ends, and asserts that it succeeded.
    pub(crate) fn ends_well(&mut self) {
        assert!(self.child.wait().unwrap().success());
    }

    /// Runs a script of `e2e/editor` with third-party clients. It must succeed in time.
    pub(crate) fn script(&self, name: &str, arguments: &[&str]) {
        script(&self.url, name, arguments);
    }
}

/// A request that was sent.
pub(crate) struct Asked(TcpStream);

impl Asked {
    /// Waits for the response, and returns it with its head.
    pub(crate) fn answer(mut self) -> String {
        let mut answer = String::new();
        self.0.read_to_string(&mut answer).unwrap();
        answer
    }
}

/// Runs the script against any server.
pub(crate) fn script(url: &str, name: &str, arguments: &[&str]) {
    let output = Command::new("timeout")
        .args([PATIENCE, "node", name, url])
        .args(arguments)
        .current_dir(e2e().join("editor"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {arguments:?}: {said}");
}

/// Returns the folder of the scripts and of the third-party servers and clients.
pub(crate) fn e2e() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e");
    let modules = folder.join("node_modules/socket.io-client");
    assert!(modules.exists(), "run e2e/install.sh first");
    folder
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
