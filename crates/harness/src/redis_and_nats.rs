//! Redis and NATS, for systems that store their state there.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde::Deserialize;

use crate::leftovers::TemporaryFolder;
use crate::process::{Process, ending_with_us};
use crate::system::LaunchError;

/// Number of attempts to start Redis. Another process may take the port before Redis does.
const ATTEMPTS: u32 = 5;
/// Number of checks whether a server is ready, and the pause between them.
const CHECKS: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(10);
/// Folder in which Debian installs servers, and which is often missing in `PATH`.
const SERVER_FOLDER: &str = "/usr/sbin";
/// File name of Redis' log.
const LOG: &str = "redis.log";

/// A `redis-server`, which appends every write to a file, and a `nats-server`, on free loopback ports. They end when
/// dropped.
#[derive(Debug)]
pub struct RedisAndNats {
    redis: Server,
    nats: Server,
}

impl RedisAndNats {
    /// Starts both servers on these cores (empty: any), and waits until they are ready. `exe` is headcount, which ends them
    /// if this process is killed.
    pub fn start(exe: &Path, cores: &[usize]) -> Result<Self, LaunchError> {
        Ok(Self {
            redis: redis(exe, cores)?,
            nats: nats(exe, cores, &[])?,
        })
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

    /// The process IDs of Redis and of NATS.
    #[must_use]
    pub fn pids(&self) -> [u32; 2] {
        [&self.redis, &self.nats].map(|server| server.process.id())
    }
}

/// A `nats-server` with JetStream on a free loopback port. It ends when dropped.
#[derive(Debug)]
pub struct NatsServer(Server);

impl NatsServer {
    /// Starts the server, and waits until it is ready. `exe` is headcount, which ends it if this process is killed.
    pub fn with_jetstream(exe: &Path) -> Result<Self, LaunchError> {
        Ok(Self(nats(exe, &[], &["--jetstream"])?))
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.0.port)
    }
}

/// A server with a folder for its data. The process is the first field, so it ends before the folder is removed.
#[derive(Debug)]
struct Server {
    process: Process,
    port: u16,
    _folder: TemporaryFolder,
}

/// Starts Redis on a free port.
fn redis(exe: &Path, cores: &[usize]) -> Result<Server, LaunchError> {
    let program = "redis-server";
    let cannot = |why| LaunchError::Server { program, why };
    for _ in 0..ATTEMPTS {
        let port = free_port().map_err(cannot)?;
        if let Some(server) = redis_on(port, (exe, program), cores).map_err(cannot)? {
            return Ok(server);
        }
    }
    Err(LaunchError::Unreachable { program })
}

/// Starts Redis on this port. Only its own log shows that it has the port: another server may answer there.
fn redis_on(port: u16, programs: (&Path, &str), cores: &[usize]) -> io::Result<Option<Server>> {
    let configure = |command: &mut Command, folder: &Path| {
        command
            .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
            .args(["--save", "", "--appendonly", "yes", "--logfile"])
            .arg(folder.join(LOG))
            .arg("--dir")
            .arg(folder);
    };
    let is_ready = |_: &Process, folder: &Path| {
        let log = fs::read_to_string(folder.join(LOG)).unwrap_or_default();
        log.contains("Ready to accept connections").then_some(port)
    };
    start(programs, cores, configure, is_ready)
}

/// The file in which NATS states its addresses.
#[derive(Deserialize)]
struct Ports {
    nats: Vec<String>,
}

/// Starts NATS, which chooses a free port itself.
fn nats(exe: &Path, cores: &[usize], more: &[&str]) -> Result<Server, LaunchError> {
    let program = "nats-server";
    let configure = |command: &mut Command, folder: &Path| {
        command
            .args(["--addr", "127.0.0.1", "--port", "-1", "--ports_file_dir"])
            .arg(folder)
            .arg("--store_dir")
            .arg(folder)
            .args(more);
    };
    let port = |process: &Process, folder: &Path| {
        let file = folder.join(format!("{program}_{}.ports", process.id()));
        let ports: Ports = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        let (_, port) = ports.nats.first()?.rsplit_once(':')?;
        port.parse().ok()
    };
    start((exe, program), cores, configure, port)
        .map_err(|why| LaunchError::Server { program, why })?
        .ok_or(LaunchError::Unreachable { program })
}

/// Starts a program with the arguments that `configure` adds, and waits until `port_of` returns its port. Returns `None` if
/// the program ends instead, or is not ready after ten seconds.
fn start(
    (exe, program): (&Path, &str),
    cores: &[usize],
    configure: impl Fn(&mut Command, &Path),
    port_of: impl Fn(&Process, &Path) -> Option<u16>,
) -> io::Result<Option<Server>> {
    let folder = TemporaryFolder::new()?;
    let mut command = ending_with_us(exe, installed(program)?);
    configure(&mut command, folder.path());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let process = Process::start(&mut command, cores)?;
    for _ in 0..CHECKS {
        if process.has_ended()? {
            break;
        }
        if let Some(port) = port_of(&process, folder.path()) {
            return Ok(Some(Server {
                process,
                port,
                _folder: folder,
            }));
        }
        sleep(PAUSE);
    }
    Ok(None)
}

/// Returns the name or path under which a program can be started.
fn installed(program: &str) -> io::Result<String> {
    let can_start = |path: &str| {
        let mut command = Command::new(path);
        command.arg("--version").stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    match can_start(program) {
        Err(why) if why.kind() == ErrorKind::NotFound => {
            let path = format!("{SERVER_FOLDER}/{program}");
            can_start(&path).map(|_| path)
        }
        other => other.map(|_| program.to_owned()),
    }
}

/// Finds a loopback port that is free at the moment, for a server that cannot choose one itself and report it.
pub fn free_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Installs a script in a folder. Another process writes the file, because a file that is open for writing cannot be
    /// executed, and a process that another test starts would inherit it.
    fn script(folder: &Path, name: &str, text: &str) -> String {
        let (draft, path) = (folder.join("draft"), folder.join(name));
        fs::write(&draft, text).unwrap();
        let mut install = Command::new("install");
        assert!(install.arg(&draft).arg(&path).status().unwrap().success());
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_foreign_server_on_the_port_is_not_taken_for_redis() {
        let folder = TemporaryFolder::new().unwrap();
        let exe = script(
            folder.path(),
            "headcount",
            "#!/bin/sh\nshift 2\nexec \"$@\"\n",
        );
        // It never listens, and ends like a Redis whose port is taken.
        let redis = script(folder.path(), "redis", "#!/bin/sh\nsleep 0.2\n");
        let foreign = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = foreign.local_addr().unwrap().port();
        let server = redis_on(port, (Path::new(&exe), &redis), &[]).unwrap();
        assert!(server.is_none());
        let ready = "#!/bin/sh\n[ \"$1\" = --version ] && exit\necho Ready to accept connections > \"${10}\"\nexec sleep 60\n";
        let redis = script(folder.path(), "ready-redis", ready);
        assert!(
            redis_on(port, (Path::new(&exe), &redis), &[])
                .unwrap()
                .is_some()
        );
    }
}
