//! A built-in system as a separate process, so that its CPU time and memory can be measured separately.
//!
//! Runs a given program as `EXE serve NAME` on a free loopback port, pins it to cores, and stops it when the [`System`]
//! is dropped.

use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};
use thiserror::Error;

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
}

/// A running system. It is stopped when dropped.
#[derive(Debug)]
pub struct System {
    child: Child,
    url: String,
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
        let mut child = Command::new(exe)
            .args(["serve", name, "--listen", "127.0.0.1:0", "--log", "warn"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(cannot)?;
        pin(&child, cores);
        let stdout = child.stdout.take();
        let mut system = Self {
            child,
            url: String::new(),
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
        Ok(system)
    }

    /// The base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The process ID.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for System {
    fn drop(&mut self) {
        // The process may have ended already. A failure here needs no action.
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

/// Pins the process to the cores. If the machine refuses, the run continues, because the record shows which cores were
/// shared.
fn pin(child: &Child, cores: &[usize]) {
    if cores.is_empty() {
        return;
    }
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core);
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let _ = sched_setaffinity(pid, &set);
}
