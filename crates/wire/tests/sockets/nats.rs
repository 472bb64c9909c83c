//! NATS, against `nats-server` and the official client for Rust.

use std::fs;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use model::Fault;
use tempfile::TempDir;
use wire::nats::{Connection, Login, Message, Signal};
use wire::{Stream, TlsSettings};

use crate::drive::{flushed, open, received};
use crate::process::{Process, eventually, local};

mod jetstream;
mod login;
mod messages;
mod official;

const LIMIT: usize = 8 << 20;

/// A `nats-server` on a free port, with this configuration.
struct Server {
    _process: Process,
    /// Holds the server's files.
    folder: TempDir,
    address: SocketAddr,
}

impl Server {
    fn start(configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server.conf");
        fs::write(&file, configuration).unwrap();
        let mut command = Command::new("nats-server");
        command
            .args(["--addr", "127.0.0.1", "--port", "-1", "--ports_file_dir"])
            .arg(folder.path())
            .arg("--store_dir")
            .arg(folder.path().join("store"))
            .arg("--config")
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = Process::start(&mut command, "install nats-server, as ./test.sh does");
        let ports = folder
            .path()
            .join(format!("nats-server_{}.ports", process.id()));
        // The file exists as soon as the server listens.
        let port = eventually("nats-server", || {
            let ports: serde_json::Value = serde_json::from_slice(&fs::read(&ports).ok()?).ok()?;
            ports["nats"][0].as_str()?.rsplit(':').next()?.parse().ok()
        });
        Self {
            _process: process,
            folder,
            address: local(port),
        }
    }

    fn client(&self) -> Client {
        self.login(Login::default()).unwrap()
    }

    fn login(&self, login: Login) -> Result<Client, Fault> {
        Client::connect(self.address, login, None)
    }
}

/// A received message.
#[derive(Clone, Debug, PartialEq)]
struct Heard {
    subject: String,
    sid: u64,
    reply: Option<String>,
    status: Option<u16>,
    headers: Vec<(String, String)>,
    payload: Vec<u8>,
}

impl Heard {
    fn of(message: &Message<'_>) -> Self {
        let header = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self {
            subject: message.subject.into(),
            sid: message.sid,
            reply: message.reply.map(str::to_owned),
            status: message.headers.status().map(|status| status.code),
            headers: message.headers.iter().map(header).collect(),
            payload: message.payload.into(),
        }
    }

    fn text(&self) -> &str {
        str::from_utf8(&self.payload).unwrap()
    }
}

/// A connection, with what it has received.
struct Client {
    connection: Connection,
    /// What is to be sent.
    out: Vec<u8>,
    heard: Vec<Heard>,
    refusals: Vec<String>,
    pongs: usize,
}

impl Client {
    fn connect(
        address: SocketAddr,
        login: Login,
        tls: Option<&TlsSettings>,
    ) -> Result<Self, Fault> {
        let stream = Stream::connect(address, None, None)?;
        let mut client = Self {
            connection: Connection::new(stream, login, LIMIT),
            out: Vec::new(),
            heard: Vec::new(),
            refusals: Vec::new(),
            pongs: 0,
        };
        open(client.connection.stream_mut())?;
        while !client.connection.is_connected() {
            if client.receive()? {
                client.connection.start_tls(tls.unwrap(), "localhost")?;
                open(client.connection.stream_mut())?;
                client.connection.on_open(&mut client.out)?;
                client.out.clear();
            }
        }
        Ok(client)
    }

    /// Sends what is to be sent, and handles one read. Returns whether TLS must begin.
    fn receive(&mut self) -> Result<bool, Fault> {
        self.connection.send(&self.out)?;
        self.out.clear();
        flushed(self.connection.stream_mut())?;
        let bytes = received(self.connection.stream_mut())?;
        let mut starts_tls = false;
        self.connection
            .on_bytes(&bytes, &mut self.out, &mut |signal| match signal {
                Signal::Message(message) => self.heard.push(Heard::of(&message)),
                Signal::Refused(error) => self.refusals.push(error.text.to_owned()),
                Signal::Pong => self.pongs += 1,
                Signal::StartTls => starts_tls = true,
                Signal::Connected(_) | Signal::Changed(_) | Signal::Alive => {}
                Signal::Ok => panic!("a confirmation that the client did not want"),
            })?;
        Ok(starts_tls)
    }

    fn subscribe(&mut self, subject: &str, queue: Option<&str>, sid: u64) {
        wire::nats::encode_subscribe(&mut self.out, subject, queue, sid).unwrap();
    }

    fn publish(&mut self, subject: &str, reply: Option<&str>, payload: &[u8]) {
        self.connection
            .publish(&mut self.out, (subject, reply), &[], payload)
            .unwrap();
    }

    /// Waits until the server has processed everything sent.
    fn settle(&mut self) {
        wire::nats::encode_ping(&mut self.out);
        let before = self.pongs;
        while self.pongs == before {
            self.receive().unwrap();
        }
    }

    /// Waits for this number of messages, and takes them.
    fn take(&mut self, count: usize) -> Vec<Heard> {
        while self.heard.len() < count {
            self.receive().unwrap();
        }
        self.heard.drain(..count).collect()
    }

    /// Sends a request, and waits for the reply. Uses the subscription 999.
    fn request(&mut self, subject: &str, payload: &[u8]) -> Heard {
        self.subscribe("_INBOX.request", None, 999);
        self.publish(subject, Some("_INBOX.request"), payload);
        let reply = self.take(1).remove(0);
        wire::nats::encode_unsubscribe(&mut self.out, 999, None);
        reply
    }
}
