//! A `nats-server` of the distribution, with its own counts.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A server on a free port, killed by its process id when dropped.
pub(crate) struct NatsServer {
    child: Child,
    port: u16,
    /// Port of its monitoring.
    monitor: u16,
    /// Holds the server's files.
    folder: TempDir,
}

impl NatsServer {
    pub(crate) fn start(configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server.conf");
        fs::write(&file, format!("http: \"127.0.0.1:-1\"\n{configuration}")).unwrap();
        let (child, port, monitor) = launch(folder.path(), "-1");
        Self {
            child,
            port,
            monitor,
            folder,
        }
    }

    /// Kills the server and starts it again, on the same port and with what it has stored.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let port = self.port.to_string();
        (self.child, self.port, self.monitor) = launch(self.folder.path(), &port);
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The JSON of a page of the server's monitoring, such as `varz`.
    pub(crate) fn page(&self, name: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.monitor)).unwrap();
        let patience = Some(Duration::from_secs(10));
        stream.set_read_timeout(patience).unwrap();
        write!(stream, "GET /{name} HTTP/1.0\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }

    /// One of the server's counts.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.page("varz")[name].as_u64().unwrap()
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

/// Starts the server whose files are in the folder. Returns its process and its ports, the second for monitoring.
fn launch(folder: &Path, port: &str) -> (Child, u16, u16) {
    let mut command = Command::new("nats-server");
    command
        .args(["--addr", "127.0.0.1", "--port", port, "--ports_file_dir"])
        .arg(folder)
        .arg("--store_dir")
        .arg(folder.join("store"))
        .arg("--config")
        .arg(folder.join("server.conf"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let child = command.spawn();
    let child = child.unwrap_or_else(|why| {
        panic!("cannot start nats-server: {why}; install it, as ./test.sh does")
    });
    let ports = folder.join(format!("nats-server_{}.ports", child.id()));
    let found = (0..1000).find_map(|_| {
        // The file exists as soon as the server listens.
        let ports: Option<Value> = fs::read(&ports)
            .ok()
            .and_then(|ports| serde_json::from_slice(&ports).ok());
        if ports.is_none() {
            sleep(Duration::from_millis(10));
        }
        let port = |name: &str| -> Option<u16> {
            let url = ports.as_ref()?[name][0].as_str()?;
            url.rsplit(':').next()?.parse().ok()
        };
        Some((port("nats")?, port("monitoring")?))
    });
    let (port, monitor) = found.unwrap_or_else(|| panic!("nats-server does not listen"));
    (child, port, monitor)
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
