//! Servers of others, as processes.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A process that is killed when this value is dropped.
pub(crate) struct Process(Child);

impl Process {
    /// Starts a program. `advice` says how to install it.
    pub(crate) fn start(command: &mut Command, advice: &str) -> Self {
        let child = command.stdin(Stdio::piped()).spawn();
        Self(child.unwrap_or_else(|error| panic!("{command:?}: {error}; {advice}")))
    }

    /// Starts a server that prints its port on the first line.
    pub(crate) fn printing_its_port(command: &mut Command, advice: &str) -> (Self, SocketAddr) {
        let mut process = Self::start(command.stdout(Stdio::piped()), advice);
        let mut line = String::new();
        let mut output = BufReader::new(process.0.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        (process, local(line.trim().parse().unwrap()))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Waits until the process prints a line with these words. Returns false if it ends before.
    pub(crate) fn prints(&mut self, words: &str) -> bool {
        let output = BufReader::new(self.0.stdout.take().unwrap());
        output.lines().any(|line| line.unwrap().contains(words))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// A port that was free a moment ago, for servers that cannot choose one themselves.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(local(0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// Waits up to ten seconds until `check` finds something.
pub(crate) fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    for _ in 0..1000 {
        if let Some(found) = check() {
            return found;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("waited in vain for {what}");
}
