//! Redis, against `redis-server` and `redis-cli`.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use model::Fault;
use tempfile::TempDir;
use wire::Stream;
use wire::resp::{Login, Reply, Session, Signal, Value};

use crate::drive::{flushed, open, received};
use crate::process::{Process, free_port, local};

mod cluster;
mod commands;
mod pubsub;
mod types;

const LIMIT: usize = 16 << 20;

/// A `redis-server` without persistence.
struct Server {
    _process: Process,
    _folder: TempDir,
    address: SocketAddr,
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Another process may take the port before the server does.
        let (process, address) = (0..5)
            .find_map(|_| Self::attempt(folder.path(), options))
            .unwrap();
        Self {
            _process: process,
            _folder: folder,
            address,
        }
    }

    fn attempt(folder: &Path, options: &[&str]) -> Option<(Process, SocketAddr)> {
        let address = local(free_port());
        let mut command = Command::new("redis-server");
        command
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args([
                "--port",
                &address.port().to_string(),
                "--cluster-port",
                &free_port().to_string(),
            ])
            .args(["--enable-debug-command", "yes", "--dir"])
            .arg(folder)
            .args(options)
            .stdout(Stdio::piped());
        let mut process = Process::start(&mut command, "install redis-server, as ./test.sh does");
        let listens = process.prints("Ready to accept connections");
        listens.then_some((process, address))
    }

    fn client(&self) -> Client {
        self.login(&Login::default()).unwrap()
    }

    fn login(&self, login: &Login) -> Result<Client, Fault> {
        Client::connect(self.address, login)
    }

    /// Calls the official command-line client, and returns what it prints.
    fn cli(&self, arguments: &[&str]) -> String {
        let port = self.address.port().to_string();
        let mut command = Command::new("redis-cli");
        let output = command.args(["-3", "-p", &port]).args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }
}

/// A session on a stream.
struct Client {
    stream: Stream,
    session: Session,
    /// What is to be sent.
    out: Vec<u8>,
    /// The tokens of responses, each with the reply as text.
    replies: Vec<(u64, String)>,
    pushes: Vec<String>,
    version: String,
}

impl Client {
    fn connect(address: SocketAddr, login: &Login) -> Result<Self, Fault> {
        let mut out = Vec::new();
        let mut client = Self {
            stream: Stream::connect(address, None, None)?,
            session: Session::begin(login, LIMIT, &mut out),
            out,
            replies: Vec::new(),
            pushes: Vec::new(),
            version: String::new(),
        };
        open(&mut client.stream)?;
        while !client.session.is_connected() {
            client.receive()?;
        }
        Ok(client)
    }

    /// Sends what is to be sent, and handles one read.
    fn receive(&mut self) -> Result<(), Fault> {
        self.stream.write(&self.out)?;
        self.out.clear();
        flushed(&mut self.stream)?;
        let bytes = received(&mut self.stream)?;
        self.session.on_bytes(&bytes, &mut |signal| match signal {
            Signal::Connected(hello) => self.version.clone_from(&hello.version),
            Signal::Reply { token, reply } => self.replies.push((token, text(reply))),
            Signal::Confirmed { token } => self.replies.push((token, "confirmed".into())),
            Signal::Push { kind, items, .. } => {
                let rest: Vec<String> = items.elements().map(text).collect();
                self.pushes.push(format!("{kind} {}", rest.join(" ")));
            }
        })
    }

    fn send(&mut self, token: u64, arguments: &[&[u8]]) {
        self.session.send(&mut self.out, token, arguments).unwrap();
    }

    /// Sends a command of words, and returns the text of its reply.
    fn call(&mut self, command: &str) -> String {
        let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
        self.send(0, &words);
        self.take(1).remove(0).1
    }

    /// Waits for this number of responses, and takes them.
    fn take(&mut self, count: usize) -> Vec<(u64, String)> {
        while self.replies.len() < count {
            self.receive().unwrap();
        }
        self.replies.drain(..count).collect()
    }

    /// Waits for this number of pushes, and takes them.
    fn pushed(&mut self, count: usize) -> Vec<String> {
        while self.pushes.len() < count {
            self.receive().unwrap();
        }
        self.pushes.drain(..count).collect()
    }
}

/// A reply in one line.
fn text(reply: Reply<'_>) -> String {
    let all =
        |items: wire::resp::Items<'_>| items.elements().map(text).collect::<Vec<_>>().join(" ");
    let value = match reply.value {
        Value::Null => "null".to_owned(),
        Value::Boolean(is) => is.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Double(number) => format!("{number:?}"),
        Value::BigNumber(digits) => format!("({digits}"),
        Value::Simple(bytes) | Value::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Verbatim { format, text } => {
            format!(
                "{}:{}",
                String::from_utf8_lossy(&format),
                String::from_utf8_lossy(text)
            )
        }
        Value::Chunked(chunks) => format!("{:?}", chunks.parts().collect::<Vec<_>>()),
        Value::Error(error) => format!("error {}", error.text()),
        Value::Array(items) => format!("[{}]", all(items)),
        Value::Set(items) => format!("{{{}}}", all(items)),
        Value::Map(items) => format!("map[{}]", all(items)),
        Value::Push(items) => format!("push[{}]", all(items)),
    };
    match reply.attributes {
        None => value,
        Some(attributes) => format!("|{}| {value}", all(attributes)),
    }
}
