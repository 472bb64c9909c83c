//! Configurations, servers and hostile clients for the tests of several systems. Requires the feature `testing`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "only tests use this, and a test that cannot begin fails"
)]

mod arguments;
pub mod hostile;
mod page;
mod servers;

pub use arguments::config;
pub use page::PageSources;
pub use servers::{Nats, Redis};

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A separate `PostgreSQL` cluster on a free port. Uses the programs of the Debian package. Stops when dropped.
#[derive(Debug)]
pub struct Postgres {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
}

impl Postgres {
    /// Starts the cluster. Panics if that fails, because the test cannot run without it.
    #[must_use]
    pub fn start() -> Self {
        let versions = fs::read_dir("/usr/lib/postgresql");
        let versions = versions
            .expect("PostgreSQL is not installed: run ./test.sh or `apt-get install postgresql`");
        let newest = versions
            .map(|version| version.unwrap().path())
            .max()
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        // PostgreSQL does not support port 0, so find a free port first.
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let postgres = Self {
            programs: newest.join("bin"),
            folder,
            port,
        };
        let path = postgres.folder.path();
        if is_root() {
            let owned = Command::new("chown")
                .arg("postgres")
                .arg(path)
                .status()
                .unwrap();
            assert!(owned.success());
        }
        postgres.run(
            "initdb",
            &["--auth=trust", "--username=headcount", "--no-sync"],
        );
        postgres.open();
        postgres
    }

    /// Kills the cluster as in a power failure, and starts it again.
    pub fn crash_and_restart(&mut self) {
        let lock = self.folder.path().join("cluster/postmaster.pid");
        let lock = fs::read_to_string(lock).unwrap();
        let pid = lock.lines().next().unwrap().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        // The child processes take some time to end, and a new server cannot start before.
        for _ in 0..50 {
            if self.launches() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("PostgreSQL did not restart");
    }

    /// Starts the cluster again after a stop.
    pub fn open(&self) {
        assert!(self.launches(), "PostgreSQL did not start");
    }

    /// Stops the cluster at once.
    pub fn close(&self) {
        self.run("pg_ctl", &["--silent", "--mode=immediate", "stop"]);
    }

    fn launches(&self) -> bool {
        let path = self.folder.path();
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={}",
            self.port,
            path.display()
        );
        let log = path.join("log").display().to_string();
        let arguments = [
            "--wait",
            "--silent",
            "--log",
            &log,
            "--options",
            &options,
            "start",
        ];
        self.succeeds("pg_ctl", &arguments)
    }

    /// The URL of the cluster.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://headcount@127.0.0.1:{}/postgres", self.port)
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        assert!(self.succeeds(program, arguments), "{program} failed");
    }

    fn succeeds(&self, program: &str, arguments: &[&str]) -> bool {
        let program = self.programs.join(program);
        let mut command = command(&program);
        let output = command
            .arg("-D")
            .arg(self.folder.path().join("cluster"))
            .args(arguments)
            .current_dir(self.folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status();
        output.unwrap().success()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A test may have stopped the cluster already.
        self.succeeds("pg_ctl", &["--silent", "--mode=immediate", "stop"]);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Builds a command that never runs as root, because `PostgreSQL` refuses that.
fn command(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}
