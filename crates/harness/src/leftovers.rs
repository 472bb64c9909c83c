//! The processes and temporary folders of this crate. A program that exits without dropping their owners can end and
//! remove them all with [`end_all`].

use std::io;
use std::mem::{forget, take};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use tempfile::TempDir;

/// Number of checks whether the processes have ended after SIGTERM, and the pause between them. Half a second suffices
/// for a system that removes its own temporary files. A process that still runs is killed.
const CHECKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(5);

static LEFTOVERS: Mutex<Leftovers> = Mutex::new(Leftovers {
    processes: Vec::new(),
    folders: Vec::new(),
});

/// A process is on the list until it has ended, and its ID is freed only when it is off the list. So no signal reaches
/// another process that got the same ID.
#[derive(Debug)]
struct Leftovers {
    processes: Vec<Pid>,
    folders: Vec<PathBuf>,
}

fn leftovers() -> MutexGuard<'static, Leftovers> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks all processes that this crate started to end, kills those that do not end within half a second, and removes all
/// temporary folders. Call it from any thread, directly before the program exits: other threads can start no processes
/// afterwards.
pub fn end_all() {
    let mut all = leftovers();
    for &pid in &all.processes {
        let _ = kill_process(pid, Signal::TERM); // it may have ended
    }
    let mut running = all.processes.clone();
    for _ in 0..CHECKS {
        running.retain(|&pid| !has_ended(pid).unwrap_or(true));
        if running.is_empty() {
            break;
        }
        sleep(PAUSE);
    }
    for pid in running {
        let _ = kill_process(pid, Signal::KILL);
    }
    for folder in take(&mut all.folders) {
        let _ = std::fs::remove_dir_all(folder); // it may be gone
    }
    forget(all);
}

/// Starts a process. [`reap`] must follow.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    // Locked while the process starts, so that `end_all` misses none.
    let mut all = leftovers();
    let child = command.spawn()?;
    all.processes.push(Pid::from_child(&child));
    Ok(child)
}

/// Waits for the end of a process that [`spawn`] started, and frees its ID.
pub(crate) fn reap(child: &mut Child) {
    let pid = Pid::from_child(child);
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), ended), Err(Errno::INTR)) {}
    let mut all = leftovers();
    all.processes.retain(|&one| one != pid);
    let _ = child.wait();
}

/// Whether the process has ended. Its ID remains in use until [`reap`].
pub(crate) fn has_ended(pid: Pid) -> io::Result<bool> {
    let now = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    Ok(waitid(WaitId::Pid(pid), now)?.is_some())
}

/// A folder that is removed when it is dropped, and also by [`end_all`].
#[derive(Debug)]
pub struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    /// Creates an empty folder.
    pub fn new() -> io::Result<Self> {
        let mut all = leftovers();
        let folder = tempfile::tempdir()?;
        all.folders.push(folder.path().to_owned());
        Ok(Self(folder))
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let path = self.path().to_owned();
        leftovers().folders.retain(|one| *one != path);
        // The field removes the folder.
    }
}
