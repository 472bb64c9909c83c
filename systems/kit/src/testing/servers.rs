use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// Number of attempts to start a server. Another process may take the port before the server does.
const ATTEMPTS: u32 = 5;
/// Number of looks whether a server listens, and the pause between them.
const LOOKS: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(10);

/// A `redis-server` of the distribution on a free port, which saves every write. Killed by its process id when dropped.
#[derive(Debug)]
pub struct Redis {
    server: Server,
}

/// A `nats-server` of the distribution on a free port. Killed by its process id when dropped.
#[derive(Debug)]
pub struct Nats {
    server: Server,
}

impl Redis {
    /// Starts the server. Panics if that fails, because the test cannot run without it.
    #[must_use]
    pub fn start() -> Self {
        let server = Server::start("redis-server", |port, folder| {
            let port = port.to_string();
            [
                "--bind",
                "127.0.0.1",
                "--port",
                &port,
                "--save",
                "",
                "--appendonly",
                "yes",
                // With `everysec`, Redis acknowledges up to two seconds of changes before it writes them.
                "--appendfsync",
                "always",
                "--dir",
                folder,
            ]
            .map(str::to_owned)
            .to_vec()
        });
        Self { server }
    }

    /// The URL of the server, which stays the same after a restart.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.server.port)
    }

    /// Kills the server.
    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Starts the server again with its data, after [`Self::kill`].
    pub fn restart(&mut self) {
        self.server.restart();
    }
}

impl Nats {
    /// Starts the server. Panics if that fails, because the test cannot run without it.
    #[must_use]
    pub fn start() -> Self {
        let server = Server::start("nats-server", |port, _| {
            let port = port.to_string();
            ["--addr", "127.0.0.1", "--port", &port]
                .map(str::to_owned)
                .to_vec()
        });
        Self { server }
    }

    /// The URL of the server, which stays the same after a restart.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.server.port)
    }

    /// Kills the server.
    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Starts the server again, after [`Self::kill`].
    pub fn restart(&mut self) {
        self.server.restart();
    }
}

/// A server process on a fixed port.
#[derive(Debug)]
struct Server {
    program: &'static str,
    arguments: Vec<String>,
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Server {
    fn start(program: &'static str, arguments: impl Fn(u16, &str) -> Vec<String>) -> Self {
        for _ in 0..ATTEMPTS {
            let folder = tempfile::tempdir().unwrap();
            // The servers cannot tell a port that they chose themselves before they are asked, so find a free one first.
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let arguments = arguments(port, folder.path().to_str().unwrap());
            if let Some(child) = launch(program, &arguments, port) {
                return Self {
                    program,
                    arguments,
                    child,
                    port,
                    _folder: folder,
                };
            }
        }
        panic!("{program} does not start: run it by hand to see why");
    }

    fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn restart(&mut self) {
        // The port of a killed server is free at once, because it is bound with `SO_REUSEADDR`.
        self.child = launch(self.program, &self.arguments, self.port).expect("the server restarts");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a server and waits until it listens. `None` if it ended instead.
fn launch(program: &str, arguments: &[String], port: u16) -> Option<Child> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|why| panic!("{why}: install {program}, as ./test.sh does"));
    for _ in 0..LOOKS {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            // If another process had the port, this one has ended.
            return child.try_wait().unwrap().is_none().then_some(child);
        }
        if child.try_wait().unwrap().is_some() {
            return None;
        }
        sleep(PAUSE);
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
