//! The limits of a process's cgroups, and their effects.
//!
//! A process that has used up its CPU quota stops for the rest of the period, and a process above its memory limit is
//! killed. Neither is visible in the figures of the whole machine.

mod folders;
mod throttling;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use folders::folders;
pub use throttling::Throttling;

/// The cgroups of a process, found while it was alive. Their counters can still be read after its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroup {
    /// Folders of the CPU controller: the folder of the process, followed by its parents.
    cpu: Vec<PathBuf>,
    /// Folders of the memory controller, in the same order.
    memory: Vec<PathBuf>,
}

/// The state of the cgroups at one moment. A field is `None` if there is no such limit or counter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CgroupLook {
    /// The tightest CPU quota, in cores.
    pub cpu_limit: Option<f64>,
    /// The tightest memory limit, in bytes.
    pub memory_limit: Option<u64>,
    /// Memory used in the cgroup with the tightest memory limit, in bytes, including the page cache.
    pub memory: Option<u64>,
    /// Number of processes of the innermost cgroup that were killed for lack of memory, since the cgroup was created.
    pub oom_kills: Option<u64>,
    throttling: Vec<Option<Throttling>>,
}

impl Cgroup {
    /// The cgroups of a process. `None` if there are none or they are not visible.
    pub fn of(pid: i32) -> Option<Self> {
        let table = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        Some(Self::under(Path::new("/sys/fs/cgroup"), &table))
    }

    fn under(root: &Path, table: &str) -> Self {
        Self {
            cpu: folders(root, table, "cpu"),
            memory: folders(root, table, "memory"),
        }
    }

    /// Reads the current state.
    pub fn look(&self) -> CgroupLook {
        let limits = self.memory.iter().filter_map(|folder| {
            let limit = memory_limit(folder)?;
            Some((limit, memory_used(folder)))
        });
        let tightest = limits.min_by_key(|(limit, _)| *limit);
        CgroupLook {
            cpu_limit: self
                .cpu
                .iter()
                .filter_map(|folder| cpu_limit(folder))
                .min_by(f64::total_cmp),
            memory_limit: tightest.map(|(limit, _)| limit),
            memory: tightest.and_then(|(_, used)| used),
            oom_kills: self.memory.iter().find_map(|folder| oom_kills(folder)),
            throttling: self
                .cpu
                .iter()
                .map(|folder| Throttling::read(folder))
                .collect(),
        }
    }
}

impl CgroupLook {
    /// The throttling since `earlier`, in the cgroup that was stopped for the longest time. `None` if the kernel does
    /// not count it.
    pub fn throttled_since(&self, earlier: &Self) -> Option<Throttling> {
        let pairs = self.throttling.iter().zip(&earlier.throttling);
        pairs
            .filter_map(|(now, then)| Some((*now)?.since((*then)?)))
            .max_by_key(|since| (since.throttled, since.periods))
    }
}

/// The CPU quota in cores. Version 2 has it in `cpu.max` (`50000 100000` or `max 100000`), version 1 in two files (`-1`
/// means no quota).
fn cpu_limit(folder: &Path) -> Option<f64> {
    if let Some(text) = read(folder, "cpu.max") {
        let mut words = text.split_ascii_whitespace();
        let (quota, period): (f64, f64) =
            (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        return (period > 0.0).then(|| quota / period);
    }
    let number = |name| read(folder, name)?.trim().parse::<f64>().ok();
    let (quota, period) = (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// More memory than any machine has. Without a limit, version 1 shows the largest number of pages.
const NO_LIMIT: u64 = 1 << 60;

fn memory_limit(folder: &Path) -> Option<u64> {
    let text = read(folder, "memory.max").or_else(|| read(folder, "memory.limit_in_bytes"))?;
    // "max" means no limit.
    let limit = text.trim().parse().ok()?;
    (limit < NO_LIMIT).then_some(limit)
}

fn memory_used(folder: &Path) -> Option<u64> {
    let text = read(folder, "memory.current").or_else(|| read(folder, "memory.usage_in_bytes"))?;
    text.trim().parse().ok()
}

fn oom_kills(folder: &Path) -> Option<u64> {
    let text = read(folder, "memory.events").or_else(|| read(folder, "memory.oom_control"))?;
    keyed(&text, "oom_kill")
}

fn read(folder: &Path, name: &str) -> Option<String> {
    fs::read_to_string(folder.join(name)).ok()
}

/// The value of a line `name value`.
fn keyed(text: &str, name: &str) -> Option<u64> {
    let words = text.lines().filter_map(|line| line.split_once(' '));
    words
        .filter(|(key, _)| *key == name)
        .find_map(|(_, value)| value.trim().parse().ok())
}
