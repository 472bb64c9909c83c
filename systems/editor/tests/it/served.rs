//! The editor as a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// No script runs longer than this, in seconds.
const PATIENCE: &str = "90";

/// A running editor; killed when dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_headcount-editor"))
            .args(["--listen", "127.0.0.1:0", "--log", "warn"])
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

    /// Runs a script of `e2e/editor` with clients that others wrote; it must end well and in time.
    pub(crate) fn script(&self, name: &str, arguments: &[&str]) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e/editor");
        let modules = folder.join("../node_modules/socket.io-client");
        assert!(modules.exists(), "run e2e/install.sh first");
        let output = Command::new("timeout")
            .args([PATIENCE, "node", name, &self.url])
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} {arguments:?}: {said}");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
