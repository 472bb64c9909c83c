//! What a thread does at this moment.

use std::fs;

/// The state of a thread at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadState {
    /// It runs, or is ready to run.
    Running,
    /// It waits for the disk: `D`, the uninterruptible sleep. Few other waits are uninterruptible, and most of those are
    /// short.
    Disk,
    /// It waits for something else, such as a socket, a lock or a timer.
    Waiting,
}

/// Reads the state of a thread of any process. `None` if the thread has ended.
pub fn thread_state(tid: i32) -> Option<ThreadState> {
    // Without `task`, the kernel would add up the times of all threads of the process.
    parse(&fs::read_to_string(format!("/proc/{tid}/task/{tid}/stat")).ok()?)
}

/// The state follows the name, which is in parentheses and may contain some itself.
fn parse(stat: &str) -> Option<ThreadState> {
    let (_, rest) = stat.rsplit_once(") ")?;
    match rest.chars().next()? {
        'R' => Some(ThreadState::Running),
        'D' => Some(ThreadState::Disk),
        'Z' | 'X' | 'x' => None,
        _ => Some(ThreadState::Waiting),
    }
}

/// Data that a process and its threads have read from the disk, and written to it, since its start, in bytes. `None` if
/// it is not visible: only the owner of a process and root may see it.
pub fn disk_bytes(pid: i32) -> Option<(u64, u64)> {
    let io = procfs::process::Process::new(pid).ok()?.io().ok()?;
    Some((io.read_bytes, io.write_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_data_is_counted() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let (_, before) = disk_bytes(pid).unwrap();
        let file = std::env::temp_dir().join(format!("probe-{pid}"));
        fs::write(&file, vec![1; 1 << 20]).unwrap();
        fs::File::open(&file).unwrap().sync_all().unwrap();
        fs::remove_file(&file).unwrap();
        let (_, after) = disk_bytes(pid).unwrap();
        assert!(after >= before, "more on a disk, the same in memory");
        assert_eq!(disk_bytes(i32::MAX), None);
    }

    #[test]
    fn the_state_follows_the_name() {
        let state = |letter| parse(&format!("7 (a) R (b) {letter} 1 7 7"));
        assert_eq!(state('R'), Some(ThreadState::Running));
        assert_eq!(state('D'), Some(ThreadState::Disk));
        assert_eq!(state('S'), Some(ThreadState::Waiting));
        assert_eq!(state('Z'), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn the_own_thread_runs() {
        let tid = rustix::thread::gettid().as_raw_nonzero().get();
        assert_eq!(thread_state(tid), Some(ThreadState::Running));
        assert_eq!(thread_state(i32::MAX), None);
    }
}
