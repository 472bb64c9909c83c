//! A built-in system as a separate process, so that its CPU time and memory can be measured separately.
//!
//! Runs a given program as `EXE serve NAME` on a free loopback port, pins it to cores, and stops it when the [`System`]
//! is dropped.

use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use engine::Clock;
use thiserror::Error;

use crate::process::{Process, ending_with_us};

/// Why a system could not be started.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The program cannot be started, or its output cannot be read.
    #[error("cannot start the {name}: {why}")]
    Start {
        /// Name of the system.
        name: String,
        /// The error of the operating system.
        why: io::Error,
    },
    /// The program ended, or printed something else, before it printed its address.
    #[error("cannot start the {name}: it did not report a listening address")]
    Silent {
        /// Name of the system.
        name: String,
    },
    /// A server that a system needs cannot be started.
    #[error("cannot start `{program}`: {why}; install it, or pass the URLs of running servers")]
    Server {
        /// The program of the server.
        program: &'static str,
        /// The error of the operating system.
        why: io::Error,
    },
    /// A server that a system needs does not listen.
    #[error("`{program}` does not listen on a free loopback port: run it by hand to see why")]
    Unreachable {
        /// The program of the server.
        program: &'static str,
    },
}

/// A running system. It is stopped when dropped.
#[derive(Debug)]
pub struct System {
    process: Process,
    url: String,
    start_up: Duration,
}

impl System {
    /// Starts `exe serve NAME FLAGS` on a free loopback port, on these cores (empty: any), and waits until it listens.
    pub fn start(
        exe: &Path,
        name: &str,
        flags: &[String],
        cores: &[usize],
    ) -> Result<Self, LaunchError> {
        let cannot = |why: io::Error| LaunchError::Start {
            name: name.to_owned(),
            why,
        };
        let mut command = ending_with_us(exe, exe);
        command
            .args(["serve", name, "--listen", "127.0.0.1:0", "--log", "warn"])
            .args(flags)
            .stdout(Stdio::piped());
        let clock = Clock::start();
        let mut process = Process::start(&mut command, cores).map_err(cannot)?;
        let stdout = process.take_stdout();
        let mut system = Self {
            process,
            url: String::new(),
            start_up: Duration::ZERO,
        };
        let mut line = String::new();
        if let Some(stdout) = stdout {
            BufReader::new(stdout)
                .read_line(&mut line)
                .map_err(cannot)?;
        }
        let url = line.trim().strip_prefix("listening on ");
        let url = url.ok_or_else(|| LaunchError::Silent {
            name: name.to_owned(),
        })?;
        url.clone_into(&mut system.url);
        system.start_up = clock.now().into();
        Ok(system)
    }

    /// The base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Time from the start of the process until it listened.
    pub fn start_up(&self) -> Duration {
        self.start_up
    }

    /// The process ID.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}
