use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::parts::StudyError;

/// A built-in system as a process of its own, so that its CPU and memory are its own. Stops when dropped.
#[derive(Debug)]
pub(crate) struct System {
    child: Child,
    pub(crate) url: String,
}

impl System {
    /// Starts `exe serve NAME` on a free port of the loopback, on these cores (empty: any).
    pub(crate) fn start(exe: &Path, name: &str, cores: &[usize]) -> Result<Self, StudyError> {
        let cannot = |why: &dyn std::fmt::Display| {
            StudyError::System(format!("cannot start the {name}: {why}"))
        };
        let mut child = Command::new(exe)
            .args(["serve", name, "--listen", "127.0.0.1:0", "--log", "warn"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|why| cannot(&why))?;
        pin(&child, cores);
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout)
                .read_line(&mut line)
                .map_err(|why| cannot(&why))?;
        }
        let mut system = Self {
            child,
            url: String::new(),
        };
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .ok_or_else(|| cannot(&"it ended before it listened"))?;
        url.clone_into(&mut system.url);
        Ok(system)
    }

    pub(crate) fn pid(&self) -> u32 {
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

/// A machine that does not allow it is no reason to stop: the report names the cores that were shared.
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
