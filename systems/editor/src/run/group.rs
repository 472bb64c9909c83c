//! A memory control group for each sandbox, if this server may create groups. The kernel then limits the memory of all
//! the sandbox's processes together. The limit includes memory that belongs to no process, such as data queued in
//! sockets and pipes.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::Pid;

/// Where control groups are mounted.
const MOUNTED: &str = "/sys/fs/cgroup";
/// Interval at which to retry removing a group. A group can be removed only after its processes have ended.
const STEP: Duration = Duration::from_millis(20);
const STEPS: usize = 250;

/// The next group's number within this process.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The parent directory for new groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    parent: PathBuf,
    names: &'static Names,
}

/// The names of the files that control a group, for version 1 or 2.
#[derive(Debug, PartialEq, Eq)]
struct Names {
    limit: &'static str,
    /// The file that limits swap, and the value to write. `None` means the memory limit, because version 1 counts
    /// memory and swap together.
    swap: (&'static str, Option<u64>),
    killed: &'static str,
}

const FIRST: Names = Names {
    limit: "memory.limit_in_bytes",
    swap: ("memory.memsw.limit_in_bytes", None),
    killed: "memory.oom_control",
};
const SECOND: Names = Names {
    limit: "memory.max",
    swap: ("memory.swap.max", Some(0)),
    killed: "memory.events",
};

/// One control group. It is removed when this value is dropped and the group's processes have ended.
#[derive(Debug)]
pub(super) struct Group {
    folder: PathBuf,
    names: &'static Names,
}

impl Groups {
    /// Finds a directory in which this process may create groups with a memory limit. `None` if there is no such
    /// directory.
    pub(super) fn find() -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let places = places(&own);
        places
            .into_iter()
            .find(|groups| groups.make(1 << 30).is_ok())
    }

    /// Creates a group with a limit of `most` bytes.
    pub(super) fn make(&self, most: u64) -> io::Result<Group> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("headcount-run-{}-{number}", std::process::id());
        let folder = self.parent.join(name);
        fs::create_dir(&folder)?;
        let group = Group {
            folder,
            names: self.names,
        };
        group.write(self.names.limit, &most.to_string())?;
        let (swap, limit) = self.names.swap;
        // The file does not exist if the kernel does not count swap.
        let _ = group.write(swap, &limit.unwrap_or(most).to_string());
        Ok(group)
    }
}

/// Returns the candidate directories according to `/proc/self/cgroup`. New groups go below our own group in version 1,
/// and next to it in version 2, where a group must not have both processes and limited children.
fn places(own: &str) -> Vec<Groups> {
    let lines = own.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        Some((parts.next()?, parts.next()?, parts.next()?))
    });
    let place = |(number, controllers, path): (&str, &str, &str)| {
        let path = Path::new(path.trim_start_matches('/'));
        if number == "0" && controllers.is_empty() {
            let parent = Path::new(MOUNTED).join(path.parent().unwrap_or(path));
            return Some(Groups {
                parent,
                names: &SECOND,
            });
        }
        let is_memory = controllers.split(',').any(|name| name == "memory");
        is_memory.then(|| Groups {
            parent: Path::new(MOUNTED).join("memory").join(path),
            names: &FIRST,
        })
    };
    lines.filter_map(place).collect()
}

impl Group {
    /// Moves a process into the group. Its future children also belong to the group.
    pub(super) fn enter(&self, process: Pid) -> io::Result<()> {
        let pid = process.as_raw_nonzero().to_string();
        self.write("cgroup.procs", &pid)
    }

    /// Writes to a file that the kernel created, and never creates the file. A directory that only contains the mounts
    /// of both versions has no such file, and a new file would limit nothing.
    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(self.folder.join(name));
        file?.write_all(text.as_bytes())
    }

    /// Whether the kernel has killed a process because the group reached its memory limit.
    pub(super) fn has_killed(&self) -> bool {
        let told = fs::read_to_string(self.folder.join(self.names.killed));
        killed(&told.unwrap_or_default()) > 0
    }
}

/// The count in `oom_kill 2`.
fn killed(told: &str) -> u64 {
    let line = told.lines().find_map(|line| line.strip_prefix("oom_kill "));
    line.and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}

impl Drop for Group {
    fn drop(&mut self) {
        if fs::remove_dir(&self.folder).is_ok() {
            return;
        }
        let folder = self.folder.clone();
        thread::spawn(move || {
            for _ in 0..STEPS {
                thread::sleep(STEP);
                if fs::remove_dir(&folder).is_ok() {
                    return;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_made_where_the_kernel_says_that_we_are() {
        let first = places("5:cpu:/x\n4:memory:/app/one\n0::/\n");
        let parents: Vec<_> = first.iter().map(|groups| groups.parent.to_str()).collect();
        let expected = ["/sys/fs/cgroup/memory/app/one", "/sys/fs/cgroup/"];
        assert_eq!(parents, expected.map(Some));
        let second = places("0::/system.slice/editor.service\n");
        assert_eq!(second[0].parent, Path::new("/sys/fs/cgroup/system.slice"));
        assert!(places("nonsense").is_empty());
    }

    #[test]
    fn a_folder_that_is_no_group_is_not_taken_for_one() {
        let folder = tempfile::tempdir().unwrap();
        let groups = Groups {
            parent: folder.path().to_owned(),
            names: &SECOND,
        };
        assert!(groups.make(1 << 30).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn kills_for_lack_of_memory_are_read_in_both_versions() {
        assert_eq!(killed("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2);
        assert_eq!(killed("low 0\nmax 7\noom 1\noom_kill 0\n"), 0);
        assert_eq!(killed(""), 0);
    }
}
