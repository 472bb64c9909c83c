//! A child process that ends with its owner.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::leftovers;

/// A process. It is asked to end (SIGTERM) when dropped, and the drop waits for its end.
#[derive(Debug)]
pub struct Process(Child);

/// First argument of headcount that makes it become another program. The process ID of the parent, the program and its
/// arguments follow.
pub const END_WITH_PARENT: &str = "end-with-parent";

/// Returns the command that runs a program and ends it with this process, however this process ends. `exe` is
/// headcount, which becomes the program.
///
/// The kernel ends the program when the thread that started it ends, so start it on the main thread.
pub(crate) fn ending_with_us(exe: &Path, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(exe);
    let parent = std::process::id().to_string();
    command.args([END_WITH_PARENT, &parent]).arg(program);
    command
}

impl Process {
    /// Starts the command without input, on these cores (empty: any). It has a process group of its own, so that Ctrl-C in
    /// a terminal does not end it before the run has stopped in order. [`leftovers::end_all`] ends it too.
    pub(crate) fn start(command: &mut Command, cores: &[usize]) -> io::Result<Self> {
        command.process_group(0).stdin(Stdio::null());
        let process = Self(leftovers::spawn(command)?);
        process.pin(cores);
        Ok(process)
    }

    /// Starts headcount (`exe`) with these arguments, and without these environment variables. It ends with this process,
    /// however this process ends.
    pub fn start_self(exe: &Path, arguments: &[String], without: &[&str]) -> io::Result<Self> {
        let mut command = ending_with_us(exe, exe);
        for variable in without {
            command.env_remove(variable);
        }
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self::start(&mut command, &[])
    }

    /// The process ID.
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Takes the standard output, if the command pipes it.
    pub(crate) fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.0.stdout.take()
    }

    /// Whether the process has ended.
    pub(crate) fn has_ended(&self) -> io::Result<bool> {
        leftovers::has_ended(self.pid())
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }

    /// If the machine refuses, the run continues, because the record shows which cores were shared.
    fn pin(&self, cores: &[usize]) {
        if cores.is_empty() {
            return;
        }
        let mut set = CpuSet::new();
        for &core in cores {
            set.set(core);
        }
        let _ = sched_setaffinity(Some(self.pid()), &set);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already. A failure here needs no action.
        let _ = kill_process(self.pid(), Signal::TERM);
        leftovers::reap(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctrl_c_in_the_terminal_does_not_reach_the_process() {
        let process = Process::start(Command::new("sleep").arg("60"), &[]).unwrap();
        let group = rustix::process::getpgid(Some(process.pid())).unwrap();
        assert_eq!(group, process.pid());
        assert_ne!(group, rustix::process::getpgrp());
    }

    #[test]
    fn a_process_ends_with_its_owner() {
        let process = Process::start(Command::new("sleep").arg("60"), &[]).unwrap();
        let pid = process.pid();
        assert!(!process.has_ended().unwrap());
        drop(process);
        assert!(rustix::process::test_kill_process(pid).is_err());
    }
}
