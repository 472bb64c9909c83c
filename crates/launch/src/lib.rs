//! A built-in system as a process of its own, so that its CPU and its memory are its own.
//!
//! It starts the program that it is told (`EXE serve NAME`) on a free port of the loopback, pins it to
//! cores, and stops it when it is forgotten. It never knows a system's inside, and never prints.

use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};
use thiserror::Error;

/// Why a system does not run.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The program cannot be started, or its words not be read.
    #[error("cannot start the {name}: {why}")]
    Start {
        /// Which system.
        name: String,
        /// Why.
        why: io::Error,
    },
    /// It ended, or said something else, before it listened.
    #[error("cannot start the {name}: it ended before it listened")]
    Silent {
        /// Which system.
        name: String,
    },
}

/// A running system. Stops when dropped.
#[derive(Debug)]
pub struct System {
    child: Child,
    url: String,
}

impl System {
    /// Starts `exe serve NAME FLAGS` on a free port of the loopback, on these cores (empty: any).
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

    /// Its base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for System {
    fn drop(&mut self) {
        // It may be gone already; either way nothing is left to do here.
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

/// A machine that does not allow it is no reason to stop: a record says which cores were shared.
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
