use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use ::harness::free_port;
use tempfile::TempDir;

/// Number of attempts to start a server. Another process may take the port before the server does.
const ATTEMPTS: u32 = 5;

/// The distribution's `redis-server` without persistence, killed by its process id when dropped.
#[derive(Debug)]
pub(crate) struct RedisServer {
    child: Child,
    port: u16,
    cluster_port: u16,
    /// Kept open, so that the server's further output does not fail.
    _stdout: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl RedisServer {
    pub(crate) fn start(options: &[&str]) -> Self {
        let server = (0..ATTEMPTS).find_map(|_| Self::attempt(options));
        server.unwrap_or_else(|| panic!("redis-server does not start: run it by hand to see why"))
    }

    fn attempt(options: &[&str]) -> Option<Self> {
        let (port, cluster_port) = (free_port().unwrap(), free_port().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--port", &port.to_string()])
            .args(["--cluster-port", &cluster_port.to_string(), "--dir"])
            .arg(folder.path())
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|why| panic!("{why}: install redis-server, as ./test.sh does"));
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while stdout.read_line(&mut line).unwrap() > 0 {
            if line.contains("Ready to accept connections") {
                return Some(Self {
                    child,
                    port,
                    cluster_port,
                    _stdout: stdout,
                    _folder: folder,
                });
            }
            line.clear();
        }
        child.wait().unwrap();
        None
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The port on which the nodes of a cluster talk to this one.
    pub(crate) fn cluster_port(&self) -> u16 {
        self.cluster_port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Calls the official command-line client. Returns what it prints.
    pub(crate) fn cli(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("redis-cli");
        command.args(["-p", &self.port.to_string()]).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// The number of calls of a command that the server has counted, without refused ones.
    pub(crate) fn calls(&self, command: &str) -> u64 {
        let stats = self.cli(&["INFO", "commandstats"]);
        let prefix = format!("cmdstat_{command}:calls=");
        let calls = stats.lines().find_map(|line| line.strip_prefix(&prefix));
        calls.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}
