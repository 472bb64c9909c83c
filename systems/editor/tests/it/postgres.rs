//! The log in a real `PostgreSQL`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::durable::survives_an_orderly_stop;

/// A cluster of its own on a free port, from Debian's package; stopped when dropped.
struct Postgres {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
}

impl Postgres {
    fn start() -> Self {
        let versions = fs::read_dir("/usr/lib/postgresql");
        let versions = versions
            .expect("PostgreSQL is there: `apt-get install postgresql`, which ./test.sh does");
        let newest = versions
            .map(|version| version.unwrap().path())
            .max()
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        // Port 0 is not for PostgreSQL: one that was free a moment ago.
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
            &["--auth=trust", "--username=editor", "--no-sync"],
        );
        let options = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={}",
            path.display()
        );
        postgres.run(
            "pg_ctl",
            &[
                "--wait",
                "--silent",
                "--log",
                &path.join("log").display().to_string(),
                "--options",
                &options,
                "start",
            ],
        );
        postgres
    }

    fn url(&self) -> String {
        format!("postgres://editor@127.0.0.1:{}/postgres", self.port)
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let mut command = command(&program);
        let output = command
            .arg("-D")
            .arg(self.folder.path().join("cluster"))
            .args(arguments)
            .current_dir(self.folder.path())
            .stdout(std::process::Stdio::null())
            .status();
        assert!(output.unwrap().success(), "{}", program.display());
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.run("pg_ctl", &["--silent", "--mode=immediate", "stop"]);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// `PostgreSQL` refuses to be run by root.
fn command(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

#[test]
fn a_log_in_postgresql_survives_and_becomes_short() {
    let postgres = Postgres::start();
    survives_an_orderly_stop(&postgres.url());
}
