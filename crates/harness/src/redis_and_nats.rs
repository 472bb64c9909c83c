//! Redis and NATS, for systems that store their state there.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

use crate::process::Process;
use crate::system::LaunchError;

/// Number of attempts to start a server. Another process may take the port before the server does.
const ATTEMPTS: u32 = 5;
/// Number of looks whether a server listens, and the pause between them.
const LOOKS: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(10);
/// Folder in which Debian installs servers, and which is often missing in `PATH`.
const SERVER_FOLDER: &str = "/usr/sbin";

/// A `redis-server`, which saves every write, and a `nats-server`, on free loopback ports. They end when dropped.
#[derive(Debug)]
pub struct RedisAndNats {
    redis: Server,
    nats: Server,
}

impl RedisAndNats {
    /// Starts both servers on these cores (empty: any), and waits until they listen.
    pub fn start(cores: &[usize]) -> Result<Self, LaunchError> {
        let redis = Server::start("redis-server", cores, |command, folder| {
            command
                .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"])
                .arg("--dir")
                .arg(folder.path());
        })?;
        let nats = Server::start("nats-server", cores, |command, _| {
            command.args(["--addr", "127.0.0.1"]);
        })?;
        Ok(Self { redis, nats })
    }

    /// The URL of Redis.
    #[must_use]
    pub fn redis_url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.redis.port)
    }

    /// The URL of NATS.
    #[must_use]
    pub fn nats_url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.nats.port)
    }
}

/// A server with a folder for its data. The process is the first field, so it ends before the folder is removed.
#[derive(Debug)]
struct Server {
    _process: Process,
    port: u16,
    _folder: TempDir,
}

impl Server {
    /// Starts `program --port PORT` with the arguments that `configure` adds.
    fn start(
        program: &'static str,
        cores: &[usize],
        configure: impl Fn(&mut Command, &TempDir),
    ) -> Result<Self, LaunchError> {
        let cannot = |why| LaunchError::Server { program, why };
        for _ in 0..ATTEMPTS {
            let folder = tempfile::tempdir().map_err(cannot)?;
            let port = free_port().map_err(cannot)?;
            let launch = |program: &str| {
                let mut command = Command::new(program);
                command.args(["--port", &port.to_string()]);
                configure(&mut command, &folder);
                command.stdout(Stdio::null()).stderr(Stdio::null());
                Process::start(&mut command, cores)
            };
            let mut process = match launch(program) {
                Err(why) if why.kind() == ErrorKind::NotFound => {
                    launch(&format!("{SERVER_FOLDER}/{program}"))
                }
                other => other,
            }
            .map_err(cannot)?;
            if listens(&mut process, port).map_err(cannot)? {
                return Ok(Self {
                    _process: process,
                    port,
                    _folder: folder,
                });
            }
        }
        Err(LaunchError::Unreachable { program })
    }
}

/// Finds a free port. Redis cannot choose one itself and tell it.
fn free_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

/// Waits until the process listens. Returns `false` if it ended instead, or does not listen after ten seconds.
fn listens(process: &mut Process, port: u16) -> io::Result<bool> {
    for _ in 0..LOOKS {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            // If another process has the port, this one has ended.
            return Ok(!process.has_ended()?);
        }
        if process.has_ended()? {
            return Ok(false);
        }
        sleep(PAUSE);
    }
    Ok(false)
}
