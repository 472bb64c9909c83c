//! A child process that ends with its owner.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};

/// A process. It is asked to end (SIGTERM) when dropped, and the drop waits for its end.
#[derive(Debug)]
pub(crate) struct Process(Child);

impl Process {
    /// Starts the command without input, on these cores (empty: any). It has a process group of its own, so that Ctrl-C in
    /// a terminal does not end it before the run has stopped in order.
    pub(crate) fn start(command: &mut Command, cores: &[usize]) -> io::Result<Self> {
        command.process_group(0);
        let process = Self(command.stdin(Stdio::null()).spawn()?);
        process.pin(cores);
        Ok(process)
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
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.0.try_wait()?.is_some())
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.id()).ok().and_then(Pid::from_raw)
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
        let _ = sched_setaffinity(self.pid(), &set);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already. A failure here needs no action.
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctrl_c_in_the_terminal_does_not_reach_the_process() {
        let process = Process::start(Command::new("sleep").arg("60"), &[]).unwrap();
        let group = rustix::process::getpgid(process.pid()).unwrap();
        assert_eq!(Some(group), process.pid());
        assert_ne!(group, rustix::process::getpgrp());
    }

    #[test]
    fn a_process_ends_with_its_owner() {
        let process = Process::start(Command::new("sleep").arg("60"), &[]).unwrap();
        let pid = process.pid().unwrap();
        drop(process);
        assert!(rustix::process::test_kill_process(pid).is_err());
    }
}
