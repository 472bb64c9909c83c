use std::io::BufReader;
use std::process::{Child, ChildStdout, Command, Stdio};

use ::harness::free_port;
use tempfile::TempDir;

use super::attempts::{says, start};

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
        start("redis-server", || Self::attempt(options))
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
        if !says(&mut stdout, "Ready to accept connections") {
            child.wait().unwrap();
            return None;
        }
        Some(Self {
            child,
            port,
            cluster_port,
            _stdout: stdout,
            _folder: folder,
        })
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
